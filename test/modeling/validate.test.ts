import { describe, expect, test } from 'vitest';
import { solve } from '../../modeling/judge/compare-candidates.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { leaveLargestOut } from '../../modeling/judge/predict-unseen.ts';
import { validate } from '../../modeling/judge/validate.ts';
import { type MeasuredRow, rowsFrom } from '../../modeling/rows.ts';
import { fixture, grid } from './fixtures.ts';
import { plain } from './plain-data.ts';

const RANKS = { ranksPerNode: 18 };

describe('cross-validation', () => {
  test("the paper's split trains on 4/5 and predicts 1/5 as well as the whole fit describes it", async () => {
    const result = validate('eq7', await fixture('eq7_s26-28'), { ...RANKS, seed: 7 });
    expect(plain(result)).toBe(result);
    const [first] = result.parts;
    expect(first?.fit.rows).toBe(Math.ceil((16128 * 4) / 5));
    expect(first?.score.rows).toBe(Math.floor(16128 / 5));
    expect(first?.score.r2).toBeCloseTo(0.974, 2);
    expect(first?.score.mse).toBeCloseTo(0.014, 2);
    expect(first?.score.medianErrorPercent).toBeLessThan(first?.score.meanErrorPercent ?? 0);
  });

  test('k folds hold each row out once', async () => {
    const result = validate('eq6', await fixture('eq6_s28'), { ...RANKS, folds: 5 });
    expect(result.parts).toHaveLength(5);
    expect(result.parts.reduce((sum, part) => sum + part.score.rows, 0)).toBe(5376);
    expect(result.score.rows).toBe(5376);
    const mse = result.parts.reduce((sum, part) => sum + part.score.mse * part.score.rows, 0) / 5376;
    expect(result.score.mse).toBeCloseTo(mse, 12);
    // Held-out rows cannot be met better than by the fit to all of them.
    expect(result.score.mse).toBeGreaterThanOrEqual(0.02656932);
  });

  test('errors are those that were asked for', async () => {
    const rows = await fixture('eq6_s28');
    for (const errors of ['absolute', 'relative'] as const) {
      const { parts } = validate('eq6', rows, { ...RANKS, errors });
      expect(parts.map(({ fit }) => fit.errors)).toEqual(parts.map(() => errors));
    }
  });

  test('the seed alone decides the split', async () => {
    const rows = await fixture('eq2_s28');
    const [one, again, other] = [1, 1, 2].map((seed) => validate('eq2', rows, { ...RANKS, seed }));
    expect(again).toEqual(one);
    expect(other?.score).not.toEqual(one?.score);
  });

  test('exact data are predicted exactly', () => {
    const rows = grid(
      { scale: [20], nodes: [1, 2, 4, 8, 16, 32], bw: [100] },
      ({ nodes }) => 5 / nodes + 2 / nodes ** 0.5,
    );
    const { score } = validate('eq2', rows, { ranksPerNode: 1, folds: 6 });
    expect(score.r2).toBeCloseTo(1, 12);
    expect(score.meanErrorPercent).toBeLessThan(1e-9);
  });

  test.each([1, 2.5, 257])('%s parts of 256 rows are an error', async (folds) => {
    const rows = await fixture('eq2_s28');
    expect(() => validate('eq2', rows, { ...RANKS, folds })).toThrow('choose 2 to 256');
  });
});

describe('leaving out the largest node counts', () => {
  test('the model that made the data predicts them, cell by cell', async () => {
    const result = leaveLargestOut('eq7', await fixture('eq7_s26-28'), { ...RANKS, count: 2 });
    expect(plain(result)).toBe(result);
    expect(result.fit.trainedOn.nodes).toEqual([4, 9]);
    expect(result.heldOutNodes).toEqual([16, 25]);
    expect(result.cells).toHaveLength(3 * 2 * 21);
    expect(result.medianErrorPercent).toBeLessThan(3);
    const [first] = result.cells;
    expect(first).toMatchObject({ scale: 26, nodes: 16, bw: 10, rows: 64 });
    expect(first?.errorPercent).toBeCloseTo(((first?.predicted ?? 0) / (first?.measured ?? 1) - 1) * 100, 10);
  });

  test('a model that the data do not follow errs more on what it has not seen', async () => {
    const [own, other] = await Promise.all([fixture('eq6_s28'), fixture('eq6_s28_latency')]);
    const errors = [own, other].map((rows) => leaveLargestOut('eq6', rows, RANKS).medianErrorPercent);
    expect(errors[1]).toBeGreaterThan(2 * (errors[0] ?? Number.NaN));
  });

  test('two node counts must stay, one must go, and the model must vary nodes', async () => {
    const rows = await fixture('eq6_s28');
    expect(() => leaveLargestOut('eq6', rows, { ...RANKS, count: 3 })).toThrow('keep two');
    expect(() => leaveLargestOut('eq6', rows, { ...RANKS, count: 0 })).toThrow('leave out at least one');
    expect(() => leaveLargestOut('eq5', rows, RANKS)).toThrow('has a fixed node count');
  });

  test('a selection applies before anything is left out', async () => {
    const result = leaveLargestOut('eq6', await fixture('eq7_s26-28'), { ...RANKS, at: { scale: 27 } });
    expect(new Set(result.cells.map((cell) => cell.scale))).toEqual(new Set([27]));
    expect(result.heldOutNodes).toEqual([25]);
  });
});

test('what is left out says nothing of which training rows are odd', () => {
  const random = createRandom(3);
  const rowsOn = (counts: readonly number[], scatter: number): MeasuredRow[] =>
    counts.flatMap((nodes) =>
      Array.from({ length: 6 }, (_, index) => {
        // One run of four nodes took twice as long: far off beside its like, and nothing much where all scatter by a half.
        const odd = nodes === 4 && index === 0 ? 2 : 1;
        return { nodes, bw: 100, scale: 20, ct: (odd * Math.exp(scatter * random.normal())) / nodes };
      }),
    );
  const training = rowsOn([2, 4], 0.01);
  const all = rowsFrom([...training, ...rowsOn([8, 16, 32], 0.5)]);
  const { fit } = leaveLargestOut('eq2', all, { ...RANKS, count: 3 });
  expect(fit.coefficients).toEqual(solve('eq2', rowsFrom(training), RANKS).fit.coefficients);
});
