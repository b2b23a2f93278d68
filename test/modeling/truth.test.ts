import { expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { answersOf, auto, methods } from '../bench/truth/methods.ts';
import { type Outcome, summary } from '../bench/truth/score.ts';
import { tableSplits } from '../bench/truth/tables.ts';
import { SHIPPED, VARIANTS, withVariant } from '../bench/truth/variants.ts';

test('on real clusters nine in ten unseen times lie inside their intervals, half of them inside those of one in two', {
  timeout: 300_000,
}, () => {
  const [predict] = methods;
  const outcomes = tableSplits('test/fixtures/real-clusters', 0.4).map((split): Outcome => {
    const told = predict?.answer(split) ?? { answers: null };
    return { set: split.set, name: split.name, ...told };
  });
  const { refused, median, mean, coverage, intervalScore, worst, abstained } = summary(outcomes);
  expect(refused).toBe(0);
  expect(median).toBeLessThan(9);
  expect(mean).toBeLessThan(18);
  expect(coverage).toBeGreaterThan(87);
  expect(coverage).toBeLessThan(98);
  expect(intervalScore).toBeLessThan(1.7);
  expect(worst).toBeLessThan(2);
  expect(abstained).toBeLessThan(60);
  const half = outcomes.flatMap(({ answers }) => (answers ?? []).map(({ inside }) => (inside?.[0] === true ? 1 : 0)));
  const share = half.reduce((sum: number, one) => sum + one, 0) / half.length;
  expect(share).toBeGreaterThan(0.45);
  expect(share).toBeLessThan(0.75);
});

test('answers with the shipped constants are those of auto, and every other constant changes them', {
  timeout: 60_000,
}, () => {
  const split = at(tableSplits('test/fixtures/real-clusters', 0.6), 0);
  const { solved } = chooseAmong(split.training, { ranksPerNode: 1 });
  const own = answersOf(withVariant(solved, SHIPPED), split.unseen, []);
  const told = auto.answer(split).answers ?? [];
  expect(own.map(({ low, high }) => [low, high])).toEqual(told.map(({ low, high }) => [low, high]));
  for (const variant of VARIANTS.filter((one) => one !== SHIPPED)) {
    expect(answersOf(withVariant(solved, variant), split.unseen, []), variant.name).not.toEqual(own);
  }
});
