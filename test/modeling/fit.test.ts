import fc from 'fast-check';
import { MultivariateLinearRegression } from 'ml-regression';
import { describe, expect, test } from 'vitest';
import { fitModel } from '../../modeling/fit/fit.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { times } from '../times.ts';
import { fixture, grid, objects } from './fixtures.ts';
import { plain } from './plain-data.ts';

const RANKS = { ranksPerNode: 18 };

describe('the reference figures to six significant digits', () => {
  // An independent least-squares oracle: x = 18 n, base 25.
  test.each([
    ['eq2', 'eq2_s28', 256, { C1: 136.343376, C2: 4.296856 }, null, 0.947389, 0.0299346],
    ['eq3', 'eq3_s26-30', 1280, { C1: 20.458993, C2: 0.765166 }, null, 0.950628, 0.40435931],
    ['eq5', 'eq5_s29_n25', 1344, { C: 1.023502 }, 1.0691056187, 0.795169, 0.01198087],
    ['eq6', 'eq6_s28', 5376, { C1: 115.932349, C2: 6.131428 }, 1.1076228872, 0.96078, 0.02656932],
    ['eq7', 'eq7_s26-28', 16128, { C1: 16.664459, C2: 0.571954 }, 1.1372806174, 0.974085, 0.01399363],
    ['eq6', 'eq6_s28_latency', 5376, { C1: 92.84992, C2: 8.975672 }, 1.0837594831, 0.95802, 0.02687816],
  ] as const)('%s on %s', async (model, name, rows, coefficients, alpha, r2, mse) => {
    const result = fitModel(model, await fixture(name), RANKS);
    expect(plain(result)).toBe(result);
    expect(result.rows).toBe(rows);
    expect(Object.keys(result.coefficients)).toEqual(Object.keys(coefficients));
    for (const [term, value] of Object.entries(coefficients)) {
      expectDigits(result.coefficients[term], value, 6);
    }
    expectDigits(result.r2, r2, 6);
    expectDigits(result.mse, mse, 6);
    if (alpha === null) expect(result.alpha).toBeNull();
    // The table's tenth digit of alpha is not exact; the next test has the exact ones.
    else expectDigits(result.alpha, alpha, 9);
    expect(result.alphaAtBound).toBeUndefined();
  });
});

test.each([
  ['eq6', 'eq6_s28', 1.10762288716212, 115.932349343884, 6.131427711597],
  ['eq7', 'eq7_s26-28', 1.13728061770575, 16.664458830738, 0.571954273571],
  ['eq6', 'eq6_s28_latency', 1.08375948322025, 92.849919555949, 8.975671578988],
] as const)('%s on %s agrees with a solution in 50-digit arithmetic to 1e-12', async (model, name, alpha, C1, C2) => {
  const result = fitModel(model, await fixture(name), RANKS);
  expect(Math.abs((result.alpha ?? 0) / alpha - 1)).toBeLessThan(1e-12);
  expect(Math.abs((result.coefficients.C1 ?? 0) / C1 - 1)).toBeLessThan(1e-12);
  expect(Math.abs((result.coefficients.C2 ?? 0) / C2 - 1)).toBeLessThan(1e-12);
});

test.each(['absolute', 'relative'] as const)('by %s errors Eq 3 has the coefficients of ml-regression', (errors) => {
  const settings = [20, 22].flatMap((scale) => [1, 4, 9, 25].map((nodes) => ({ scale, nodes, bw: 100 })));
  const noise = fc.array(fc.double({ min: -0.1, max: 0.1, noNaN: true }), { minLength: 1, maxLength: 3 });
  const scatter = fc.tuple(...settings.map(() => noise));
  const coefficient = fc.double({ min: 1, max: 10, noNaN: true });
  fc.assert(
    fc.property(coefficient, coefficient, scatter, (C1, C2, noises) => {
      const cells = settings.map((setting, cell) => {
        const [D, x] = [2 ** (setting.scale - 19), 2 * setting.nodes];
        const terms = [D / x, D / Math.sqrt(x)] as const;
        const times = (noises[cell] ?? []).map((one) => (C1 * terms[0] + C2 * terms[1]) * (1 + one));
        return { setting, terms, times };
      });
      // A row that is divided by its cell's mean counts by its relative error.
      const rows = cells.flatMap(({ setting, terms, times }) => {
        const unit = errors === 'absolute' ? 1 : times.reduce((sum, time) => sum + time, 0) / times.length;
        return times.map((ct) => ({ ...setting, ct, x: terms.map((term) => term / unit), y: ct / unit }));
      });
      const oracle = new MultivariateLinearRegression(
        rows.map(({ x }) => x),
        rows.map(({ y }) => [y]),
        { intercept: false, statistics: false },
      ).weights.flat();
      fc.pre(oracle.every((weight) => weight > 0));
      const { coefficients } = fitModel('eq3', rowsFrom(rows), { ranksPerNode: 2, errors });
      expect(oracle.length).toBe(2);
      for (const [index, weight] of oracle.entries()) expectDigits(coefficients[`C${index + 1}`], weight, 7);
    }),
    { numRuns: times(50) },
  );
});

describe('what a fit stands on', () => {
  test('repeating every row changes nothing but the number of rows', async () => {
    const rows = objects(await fixture('eq6_s28'));
    const once = fitModel('eq6', rowsFrom(rows), RANKS);
    const thrice = fitModel('eq6', rowsFrom([...rows, ...rows, ...rows]), RANKS);
    expect(thrice.rows).toBe(3 * once.rows);
    expectClose(thrice, once);
  });

  test('the order of the rows does not matter', async () => {
    const rows = objects(await fixture('eq2_s28'));
    const sorted = fitModel('eq2', rowsFrom(rows), RANKS);
    fc.assert(
      fc.property(fc.shuffledSubarray(rows, { minLength: rows.length }), (shuffled) => {
        expectClose(fitModel('eq2', rowsFrom(shuffled), RANKS), sorted);
      }),
      { numRuns: 20 },
    );
  });

  test('times in another unit scale the coefficients and leave alpha and R2', async () => {
    const rows = objects(await fixture('eq6_s28'));
    const seconds = fitModel('eq6', rowsFrom(rows), RANKS);
    const millis = fitModel('eq6', rowsFrom(rows.map((row) => ({ ...row, ct: row.ct * 1000 }))), RANKS);
    expectDigits(millis.alpha, seconds.alpha ?? 0, 10);
    expectDigits(millis.r2, seconds.r2, 10);
    expectDigits(millis.coefficients.C1, 1000 * (seconds.coefficients.C1 ?? 0), 9);
  });

  test('a large common offset does not spoil R2 and MSE', () => {
    const noise = [1e-4, -1e-4];
    const rows = [4, 9, 16].flatMap((nodes) =>
      noise.map((e) => ({ scale: 20, nodes, bw: 100, ct: 1e6 / Math.sqrt(nodes) + e })),
    );
    expectDigits(fitModel('eq2', rowsFrom(rows), { ranksPerNode: 1 }).mse, 1e-8, 5);
  });

  test('the base is one below the smallest scale unless given', async () => {
    const rows = await fixture('eq3_s26-30');
    expect(fitModel('eq3', rows, RANKS).baseScale).toBe(25);
    const zero = fitModel('eq3', rows, { ...RANKS, baseScale: 26 });
    expectDigits(zero.coefficients.C1, 2 * 20.458993, 6);
  });

  test('equal completion times everywhere have an R2 of 0 and no NaN', () => {
    const rows = grid({ scale: [20], nodes: [4, 9, 16], bw: [10, 50, 100] }, () => 0.1);
    expect(fitModel('eq2', rows, RANKS).r2).toBe(0);
    expect(fitModel('eq5', rows, { ...RANKS, at: { nodes: 4 } })).toMatchObject({
      mse: expect.closeTo(0, 20),
      alpha: 1,
      r2: 0,
    });
  });
});

describe('alpha', () => {
  const positive = fc.double({ min: 0.1, max: 1000, noNaN: true });

  test('is recovered from data without noise', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1.002, max: 2.9, noNaN: true }),
        positive,
        positive,
        fc.constantFrom([10, 20, 50], [10, 12, 14, 100], [30, 60], [50, 100]),
        (alpha, c1, c2, bw) => {
          const rows = grid({ scale: [26, 27], nodes: [4, 9, 25], bw }, ({ scale, nodes, bw: percent }) => {
            const [x, D] = [18 * nodes, 2 ** (scale - 25)];
            return (c1 * D) / x + (c2 * D * alpha ** (100 / percent)) / Math.sqrt(x);
          });
          const result = fitModel('eq7', rows, RANKS);
          expect(Math.abs((result.alpha ?? 0) / alpha - 1)).toBeLessThan(1e-9);
          expect(result.alphaAtBound).toBeUndefined();
        },
      ),
      { numRuns: times(50) },
    );
  });

  test('is at its lower bound, and says so, when bandwidth changes nothing', () => {
    const rows = grid(
      { scale: [20], nodes: [4, 9, 16], bw: [10, 50, 100] },
      ({ nodes }) => 3 / nodes + 1 / nodes ** 0.5,
    );
    expect(fitModel('eq6', rows, { ranksPerNode: 1 })).toMatchObject({ alpha: 1, alphaAtBound: 'lower' });
  });

  test('is at its lower bound when less bandwidth is faster', () => {
    const rows = grid({ scale: [20], nodes: [4], bw: [10, 50, 100] }, ({ bw }) => 1 + bw / 100);
    expect(fitModel('eq5', rows, RANKS)).toMatchObject({ alpha: 1, alphaAtBound: 'lower' });
  });

  test('is at its upper bound when the effect is steeper than 3^(100/bw)', () => {
    const rows = grid({ scale: [20], nodes: [4], bw: [50, 100] }, ({ bw }) => 4 ** (100 / bw));
    const result = fitModel('eq5', rows, RANKS);
    expect(result.alphaAtBound).toBe('upper');
    expect(result.alpha).toBeCloseTo(3, 12);
  });

  test('survives bandwidths so small that 3^(100/bw) is no number', () => {
    const rows = grid(
      { scale: [20], nodes: [4, 9], bw: [0.1, 0.2, 100] },
      ({ nodes, bw }) => 1 / nodes + 1.001 ** (100 / bw),
    );
    const result = fitModel('eq5', rows, { ...RANKS, at: { nodes: 4 } });
    expect(plain(result)).toBe(result);
    expect(result.alpha).toBeCloseTo(1.001, 3);
  });
});

describe('which rows a model is fitted to', () => {
  test('eq2 takes the rows at full bandwidth when there are several', () => {
    const rows = grid({ scale: [20], nodes: [4, 9, 16], bw: [50, 100] }, ({ nodes, bw }) => 100 / nodes / bw);
    expect(fitModel('eq2', rows, RANKS).trainedOn).toEqual({ nodes: [4, 9, 16], scales: [20], bw: [100] });
    expect(fitModel('eq2', rows, { ...RANKS, at: { bw: 50 } }).trainedOn.bw).toEqual([50]);
  });

  test('a selection restricts also what the model may vary', async () => {
    const rows = await fixture('eq7_s26-28');
    const result = fitModel('eq7', rows, { ...RANKS, at: { scale: 28 } });
    expect(result.trainedOn.scales).toEqual([28]);
    expect(result.rows).toBe(5376);
  });

  const rows = grid({ scale: [26, 28], nodes: [4, 9, 25], bw: [10, 20, 50] }, ({ nodes }) => 1 / nodes);
  test.each([
    ['eq6', rows, {}, /has a fixed scale, but the rows have 26,28: choose one, such as scale 28/],
    ['eq3', rows, {}, /has a fixed bandwidth.*10,20,50.*bandwidth 50/],
    ['eq5', rows, { scale: 28 }, /has a fixed node count.*4,9,25.*node count 25/],
    ['eq6', rows, { scale: 27 }, /No row has the scale 27: the rows have 26,28/],
    [
      'eq3',
      grid({ scale: [26, 27], nodes: [4], bw: [100] }, () => 1),
      {},
      /needs a second node count: the rows have only 4/,
    ],
    ['eq2', grid({ scale: [26], nodes: [4], bw: [100] }, () => 1), {}, /needs a second node count/],
    [
      'eq6',
      grid({ scale: [26], nodes: [4, 9], bw: [100] }, () => 1),
      {},
      /needs a second bandwidth: the rows have only 100/,
    ],
    [
      'eq6',
      grid({ scale: [26], nodes: [4], bw: [50, 100] }, () => 1),
      {},
      /needs a second node count: the rows have only 4/,
    ],
    ['eq6', grid({ scale: [26], nodes: [4], bw: [10, 50, 100] }, () => 1), {}, /needs a second node count/],
    ['eq2', rowsFrom([]), {}, /no rows/],
  ] as const)(
    '%s on rows that do not determine it is an error that says what to do (%#)',
    (model, given, at, message) => {
      expect(() => fitModel(model, given, { ...RANKS, at })).toThrow(message);
      expect(() => fitModel(model, given, { ...RANKS, at })).toThrow(expect.objectContaining({ kind: 'badInput' }));
    },
  );

  test('values that no row meets together are named', () => {
    const separate = rowsFrom([
      { scale: 26, nodes: 4, bw: 100, ct: 1 },
      { scale: 27, nodes: 4, bw: 50, ct: 1 },
    ]);
    expect(() => fitModel('eq2', separate, { ...RANKS, at: { scale: 26, bw: 50 } })).toThrow(
      'scale 26 and bandwidth 50 together',
    );
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%s ranks per node is an error', (ranksPerNode) => {
    expect(() => fitModel('eq6', rows, { ranksPerNode, at: { scale: 28 } })).toThrow('ranks per node');
  });
});

function expectClose(a: ReturnType<typeof fitModel>, b: ReturnType<typeof fitModel>): void {
  expect(Object.keys(a.coefficients)).toEqual(Object.keys(b.coefficients));
  expect(Object.keys(b.coefficients).length).toBeGreaterThan(0);
  for (const [term, value] of Object.entries(b.coefficients)) expectDigits(a.coefficients[term], value, 10);
  if (b.alpha !== null) expectDigits(a.alpha, b.alpha, 11);
  expectDigits(a.r2, b.r2, 11);
  expectDigits(a.mse, b.mse, 11);
}

/** Equal to so many significant digits, within half a unit of the last one (and a little for the table's own rounding). */
function expectDigits(actual: number | null | undefined, expected: number, digits: number): void {
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(expected))) + 1 - digits);
  expect(Math.abs((actual ?? Number.NaN) - expected), `${actual} against ${expected}`).toBeLessThanOrEqual(0.6 * unit);
}
