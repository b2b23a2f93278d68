import { describe, expect, test } from 'vitest';
import { solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { bootstrap, estimate, estimates } from '../../modeling/judge/ensemble.ts';
import { estimateNoise } from '../../modeling/judge/noise.ts';
import { type Rows, rowsFrom } from '../../modeling/rows.ts';
import { findDominance } from './find-dominance.ts';
import { fixture, grid } from './fixtures.ts';
import { printed } from './paper.ts';

const RANKS = { ranksPerNode: 18, baseScale: 25 };
const target = { nodes: 100, bw: 100, scale: 28 };

/** Rows around the printed Eq 6 of Table III: log-normal repetitions, and whole cells off the curve by `between`. */
function redraw(seed: number, { between = 0, repetitions = 16 } = {}): Rows {
  const random = createRandom(seed);
  const sigma = 0.09;
  return rowsFrom(
    [4, 9, 16, 25].flatMap((nodes) =>
      [10, 20, 30, 40, 50].flatMap((bw) => {
        const cell = predict(printed.eq6, { nodes, bw, scale: 28 }) * Math.exp(between * random.normal());
        return Array.from({ length: repetitions }, () => ({
          scale: 28,
          nodes,
          bw,
          ct: cell * Math.exp(sigma * random.normal() - sigma ** 2 / 2),
        }));
      }),
    ),
  );
}

describe('intervals', () => {
  test('the same seed gives the same interval, another seed nearly the same', async () => {
    const solved = solveModel('eq6', await fixture('eq6_s28'), RANKS);
    const ct = (seed: number) => estimate(bootstrap(solved, { seed }), (fit) => predict(fit, target));
    expect(ct(1)).toEqual(ct(1));
    expect(ct(2).low).not.toBe(ct(1).low);
    expect((ct(2).low ?? 0) / (ct(1).low ?? 1)).toBeCloseTo(1, 1);
  });

  test('the value is that of the fit, inside its interval, and a surer interval is wider', async () => {
    const solved = solveModel('eq6', await fixture('eq6_s28'), RANKS);
    const at = (level: number) => estimate(bootstrap(solved, { level }), (fit) => predict(fit, target));
    const [usual, surer] = [at(0.9), at(0.99)];
    expect(usual.value).toBe(predict(solved.fit, target));
    expect(usual.low).toBeLessThan(usual.value ?? 0);
    expect(usual.high).toBeGreaterThan(usual.value ?? 0);
    expect(surer.low).toBeLessThan(usual.low ?? 0);
    expect(surer.high).toBeGreaterThan(usual.high ?? 0);
  });

  test('hold the truth about nine times in ten, with and without cells off the curve', () => {
    for (const between of [0, 0.08]) {
      let [time, crossing] = [0, 0];
      const truth = [predict(printed.eq6, target), findDominance(printed.eq6, { bw: [50] })[0]?.nodes ?? 0];
      for (let seed = 1; seed <= 60; seed += 1) {
        const solved = solveModel('eq6', redraw(seed, { between }), RANKS);
        const found = estimates(bootstrap(solved, { replicates: 200, seed }), (fit) => [
          predict(fit, target),
          findDominance({ ...fit, trainedOn: { ...fit.trainedOn, bw: [50] } }, { bw: [50] })[0]?.nodes ?? null,
        ]);
        const holds = (index: number): number =>
          (found[index]?.low ?? 0) <= (truth[index] ?? 0) && (truth[index] ?? 0) <= (found[index]?.high ?? Infinity)
            ? 1
            : 0;
        time += holds(0);
        crossing += holds(1);
      }
      // Four standard errors of 60 draws at 90 %.
      for (const hits of [time, crossing]) {
        expect(hits / 60).toBeGreaterThan(0.75);
        expect(hits / 60).toBeLessThanOrEqual(1);
      }
    }
  });

  test('more repetitions of cells that lie off the curve buy nothing', () => {
    const width = (repetitions: number): number =>
      [1, 2, 3, 4, 5, 6, 7, 8].reduce((sum, seed) => {
        const solved = solveModel('eq6', redraw(seed, { between: 0.08, repetitions }), RANKS);
        const { low, high } = estimate(bootstrap(solved, { replicates: 300 }), (fit) => predict(fit, target));
        return sum + (high ?? 0) - (low ?? 0);
      }, 0);
    expect(width(400) / width(16)).toBeGreaterThan(0.8);
  });

  test('a crossing far beyond the rows has an end far beyond them', () => {
    const rows = grid(
      { scale: [28], nodes: [4, 9, 16, 25], bw: [100] },
      ({ nodes }) => (100 / (18 * nodes)) * (1 + 0.05 * Math.cos(nodes)),
    );
    const solved = solveModel('eq2', rows, RANKS);
    const { low, high } = estimate(bootstrap(solved), (fit) => findDominance(fit, { bw: [100] })[0]?.nodes ?? null);
    expect(high ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1e4);
    expect(low).toBeGreaterThan(16);
  });

  test.each([{ level: 1 }, { level: 0.3 }, { replicates: 3 }])('%j is refused', async (options) => {
    const solved = solveModel('eq6', await fixture('eq6_s28'), RANKS);
    expect(() => bootstrap(solved, options)).toThrow(/of the interval is|of replicates is/);
  });
});

describe('the noise of cells', () => {
  test('on data made from the curve whole cells do not scatter', async () => {
    const noise = estimateNoise(solveModel('eq6', await fixture('eq6_s28'), RANKS));
    expect(noise.between).toBe(0);
    expect(noise.repetition).toBeGreaterThan(0.08);
    expect(noise.repetition).toBeLessThan(0.1);
    expect(noise.freedom).toBe(84 - 3);
  });

  test('a scatter of cells is found at its size', () => {
    const sizes = Array.from(
      { length: 20 },
      (_, seed) => estimateNoise(solveModel('eq6', redraw(seed + 1, { between: 0.1 }), RANKS)).between,
    );
    const mean = sizes.reduce((sum, size) => sum + size / sizes.length, 0);
    expect(mean).toBeGreaterThan(0.085);
    expect(mean).toBeLessThan(0.115);
  });

  test('what few repetitions scatter by themselves is no scatter of cells', () => {
    // Means of 4 repetitions scatter by 0.045 beside the 0.06 of cells: 0.075 together.
    const sizes = Array.from({ length: 20 }, (_, seed) => {
      return estimateNoise(solveModel('eq6', redraw(seed + 1, { between: 0.06, repetitions: 4 }), RANKS)).between;
    });
    const squares = sizes.reduce((sum, size) => sum + size ** 2 / sizes.length, 0);
    expect(Math.sqrt(squares)).toBeGreaterThan(0.05);
    expect(Math.sqrt(squares)).toBeLessThan(0.068);
  });

  test('one repetition per cell: all is scatter of cells', () => {
    const noise = estimateNoise(solveModel('eq6', redraw(1, { repetitions: 1 }), RANKS));
    expect(noise.repetition).toBeNull();
    expect(noise.between).toBeGreaterThan(0.05);
  });
});
