import { expect, it } from 'vitest';
import { type Narrower, narrower } from '../../modeling/answers/narrower.ts';
import { collapse } from '../../modeling/fit/collapse.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { bootstrap, estimate } from '../../modeling/judge/ensemble.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { rowsFrom } from '../../modeling/rows.ts';

const TARGET = { nodes: 100, bw: 100, scale: 20 };
const OPTIONS = { ranksPerNode: 1 };
const SQUARES = (nodes: number): boolean => Number.isInteger(Math.sqrt(nodes));
const widthOf = ({ low, high }: Estimate): number => Math.log((high ?? Number.NaN) / (low ?? Number.NaN));

/** Three repetitions on each count of a law, with 2 % of noise. */
function measured(seed: number, counts: readonly number[]) {
  const random = createRandom(seed);
  const law = (nodes: number): number => 8 / nodes + 0.4 * nodes ** -0.3;
  const rows = counts.flatMap((nodes) =>
    [1, 2, 3].map(() => ({ nodes, bw: 100, scale: 20, ct: law(nodes) * Math.exp(0.02 * random.normal()) })),
  );
  return collapse(rowsFrom(rows));
}

it('an interval is foretold as it is once the next larger count was measured', () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const ratios = seeds.map((seed) => {
    const cells = measured(seed, [4, 9, 16]);
    const found: Narrower = narrower({ model: 'auto', cells, options: OPTIONS }, TARGET, { isAdmissible: SQUARES });
    expect(found.larger?.nodes).toBe(36);
    expect(widthOf(found.larger?.ct as Estimate)).toBeLessThan(0.8 * widthOf(found.now));
    // Distance is left: repetitions do little against it.
    expect(widthOf(found.twice)).toBeGreaterThan(0.8 * widthOf(found.now));
    expect(widthOf(found.twice)).toBeLessThan(1.1 * widthOf(found.now));
    const { solved } = chooseAmong(measured(seed, [4, 9, 16, 36]), OPTIONS);
    return widthOf(found.larger?.ct as Estimate) / widthOf(estimate(bootstrap(solved), (fit) => predict(fit, TARGET)));
  });
  const mean = ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length;
  expect(Math.abs(mean)).toBeLessThan(0.35);
});

it('there is no larger count to measure where the target is the next one, or none is admissible', () => {
  const cells = measured(1, [4, 9, 16]);
  const ask = (nodes: number, isAdmissible: (nodes: number) => boolean): Narrower['larger'] =>
    narrower({ model: 'auto', cells, options: OPTIONS }, { ...TARGET, nodes }, { isAdmissible }).larger;
  expect([ask(25, SQUARES), ask(100, (nodes) => nodes <= 16), ask(36, SQUARES)?.nodes]).toEqual([null, null, 25]);
});
