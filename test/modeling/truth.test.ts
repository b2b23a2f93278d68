import { expect, test } from 'vitest';
import { methods } from '../bench/truth/methods.ts';
import { type Outcome, summary } from '../bench/truth/score.ts';
import { tableSplits } from '../bench/truth/tables.ts';

test('on real clusters nine in ten unseen times lie inside intervals of three tenths, half of the tables are 7 % off', {
  timeout: 300_000,
}, () => {
  const [predict] = methods;
  const outcomes = tableSplits('test/fixtures/real-clusters', 0.4).map((split): Outcome => {
    const told = predict?.answer(split) ?? { answers: null };
    return { set: split.set, name: split.name, ...told };
  });
  const { refused, median, mean, coverage, halfWidth, worst, abstained } = summary(outcomes);
  expect(refused).toBe(0);
  expect(median).toBeLessThan(7);
  expect(mean).toBeLessThan(14);
  expect(coverage).toBeGreaterThan(85);
  expect(coverage).toBeLessThan(96);
  expect(halfWidth).toBeLessThan(30);
  expect(worst).toBeLessThan(2);
  expect(abstained).toBeLessThan(45);
});
