import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTurningPoint } from '../../modeling/answers/decide/diminishing.ts';
import { project } from '../../modeling/answers/project.ts';
import { fitModel, solveModel } from '../../modeling/fit/fit.ts';
import { basisAt } from '../../modeling/forms/form.ts';
import { models } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { trafficForm, volumeLaws } from '../../modeling/forms/traffic-form.ts';
import { bootstrap } from '../../modeling/judge/ensemble.ts';
import { times } from '../times.ts';
import { grid } from './fixtures.ts';

const settings = { scale: [20, 21], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const D = (scale: number): number => 2 ** (scale - 19);

describe('the volume model', () => {
  const truth = ({ scale, nodes, bw }: { scale: number; nodes: number; bw: number }): number =>
    (0.3 * D(scale)) / nodes + (0.02 * D(scale) * 100) / bw / Math.sqrt(nodes) + 0.01 * Math.sqrt(nodes);

  test('is recovered from exact data, by absolute and by relative errors', () => {
    for (const errors of ['absolute', 'relative'] as const) {
      const { coefficients } = fitModel('volume', grid(settings, truth), { ranksPerNode: 1, errors });
      expect(coefficients.C1).toBeCloseTo(0.3, 9);
      expect(coefficients.C2).toBeCloseTo(0.02, 9);
      expect(coefficients.C3).toBeCloseTo(0.01, 9);
    }
  });

  test('answers for a faster link, which the exponential models refuse', () => {
    const rows = grid(settings, truth);
    const [faster] = project(fitModel('volume', rows, { ranksPerNode: 1 }), { nodes: [16], bw: [400], scales: [20] });
    expect(faster?.ct).toBeCloseTo(truth({ scale: 20, nodes: 16, bw: 400 }), 9);
    expect(() => project(fitModel('eq7', rows, { ranksPerNode: 1 }), { nodes: [16], bw: [400] })).toThrow(
      /faster link/,
    );
  });

  test('relative errors follow the small times where absolute ones follow the large', () => {
    // An outlier of +30 % on the slowest cell.
    const rows = grid(settings, (at) => truth(at) * (at.nodes === 4 && at.bw === 10 && at.scale === 21 ? 1.3 : 1));
    const miss = (errors: 'absolute' | 'relative'): number => {
      const fitted = fitModel('volume', rows, { ranksPerNode: 1, errors });
      const at = { scale: 20, nodes: 25, bw: 100 };
      return Math.abs(predict(fitted, at) / truth(at) - 1);
    };
    expect(miss('relative')).toBeLessThan(miss('absolute'));
  });
});

describe('overlap', () => {
  test('a soft maximum is recovered from exact data', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 3, noNaN: true }),
        fc.double({ min: 0.01, max: 0.3, noNaN: true }),
        fc.double({ min: 0.001, max: 0.02, noNaN: true }),
        (c1, c2, c3) => {
          const rows = grid(settings, ({ scale, nodes, bw }) => {
            const [work, volume] = [(c1 * D(scale)) / nodes, (c2 * D(scale) * 100) / bw / Math.sqrt(nodes)];
            return (work ** 4 + volume ** 4) ** 0.25 + c3 * Math.sqrt(nodes);
          });
          const fitted = fitModel('overlap', rows, { ranksPerNode: 1, errors: 'relative' });
          expect(fitted.r2).toBeGreaterThan(1 - 1e-4);
        },
      ),
      { numRuns: times(8) },
    );
  });

  test('is never slower than the sum of its parts and never faster than the longer one', () => {
    const fitted = {
      ...fitModel(
        'volume',
        grid(settings, ({ nodes }) => 1 / nodes + 0.01),
        { ranksPerNode: 1 },
      ),
      form: models.overlap,
    };
    const sum = { ...fitted, form: models.volume };
    for (const nodes of [4, 25]) {
      expect(predict(fitted, { nodes, bw: 50, scale: 20 })).toBeLessThanOrEqual(
        predict(sum, { nodes, bw: 50, scale: 20 }),
      );
    }
  });
});

describe('measured volumes', () => {
  const ONE = { ranksPerNode: 1, baseScale: 19 };
  const points = (
    bytes: (n: number, scale: number) => number,
    counts: readonly number[] = settings.nodes,
    scales: readonly number[] = settings.scale,
  ) => scales.flatMap((scale) => counts.map((nodes) => ({ scale, nodes, bytes: bytes(nodes, scale), least: 0 })));

  test('a power law is recovered, and its exponents stand in the form', () => {
    const told = points((n, scale) => 5e5 * D(scale) ** 0.9 * n ** -0.62);
    const [law] = volumeLaws(told, ONE);
    expect(law?.bytes).toBeCloseTo(5e5, 3);
    expect(law?.basis.x).toBeCloseTo(-0.62, 9);
    expect(law?.basis.D).toBeCloseTo(0.9, 9);
    const form = trafficForm(
      told,
      grid(settings, () => 1),
      ONE,
    );
    expect(form?.terms[1]?.basis).toEqual({ ...law?.basis, s: 1 });
    expect(form?.volume?.laws[0]).toEqual(law);
  });

  test.each([
    ['all with all of an array', (n: number) => (n - 1) / n ** 2, { otherHosts: 1, x: -2 }],
    ['all with all in rings', (n: number) => (n - 1) / n, { otherHosts: 1, x: -1 }],
    ['surfaces of cubes', (n: number) => n ** (-2 / 3), { x: -2 / 3 }],
    ['rows of a grid', (n: number) => (Math.sqrt(n) - 1) / n, { partners: 1, x: -1 }],
  ])('two node counts tell how the bytes go on: %s', (_, share, basis) => {
    for (const counts of [
      [2, 4],
      [4, 9],
    ]) {
      const [law, ...others] = volumeLaws(
        points((n) => 1e7 * share(n), counts, [20]),
        ONE,
      );
      expect(law?.basis).toEqual({ D: 1, ...basis, x: expect.closeTo(basis.x, 6) });
      expect(law?.share).toBeGreaterThan(0.5);
      expect([law, ...others].reduce((sum, one) => sum + (one?.share ?? 0), 0)).toBeCloseTo(1, 9);
    }
  });

  test('counters of Graph500 on 4 and 9 hosts, whose frontiers get sparser, tell those of 16 and 25', () => {
    // kB per search and host, scale 20, as counted on a grid of ranks.
    const counted = { 4: 286.1, 9: 224.8, 16: 177.8, 25: 144.8 };
    const told = points((n) => counted[n as 4 | 9] * 1e3, [4, 9], [20]);
    const [law] = volumeLaws(told, ONE);
    for (const n of [16, 25] as const) {
      const bytes = (law?.bytes ?? Number.NaN) * basisAt(law?.basis ?? {}, { n, x: n, t: 1, D: D(20), s: 1, w: 1 });
      expect(Math.abs(bytes / (counted[n] * 1e3) - 1)).toBeLessThan(0.06);
    }
  });

  test('what a program told of its volumes leads from 2, 4 and 9 hosts to 100', () => {
    // Values that a rank sends, by an exact count of a hashed Graph500 graph of scale 16, and by its degrees alone.
    const counted = new Map([
      [2, 20_208],
      [4, 25_212],
      [9, 22_825],
      [16, 19_138],
      [100, 7_798],
    ]);
    const told = {
      nodes: [2, 4, 9, 16, 25, 100, 400],
      volumes: [20_209, 25_208, 22_821, 19_139, 16_043, 7_799, 3_032],
    };
    const seen = points((n) => 80 * (counted.get(n) ?? NaN), [2, 4, 9], [20]);
    const errorOf = (traffic: typeof seen, n: number): number => {
      const [law] = volumeLaws(traffic, ONE);
      const bytes = (law?.bytes ?? NaN) * basisAt(law?.basis ?? {}, { n, x: n, t: 1, D: D(20), s: 1, w: 1 });
      return Math.abs(bytes / 80 / (counted.get(n) ?? NaN) - 1);
    };
    const known = seen.map((point) => ({ ...point, told }));
    expect([errorOf(known, 16), errorOf(known, 100)].every((error) => error < 0.01)).toBe(true);
    expect(errorOf(seen, 100)).toBeGreaterThan(0.2);
    // Of one node count too.
    expect(errorOf(known.slice(0, 1), 100)).toBeLessThan(0.01);
  });

  test('what leaves a host counts other hosts, not other ranks', () => {
    const [law] = volumeLaws(
      points((n) => (1e7 * (n - 1)) / n ** 2, [2, 4, 8], [20]),
      { ranksPerNode: 16, baseScale: 19 },
    );
    expect(law?.basis).toMatchObject({ otherHosts: 1, x: expect.closeTo(-2, 6) });
  });

  test('what did not vary keeps the exponent of a 2-D partition', () => {
    const [one] = volumeLaws(
      points((n) => 1e6 / n, [4, 9, 16], [20]),
      { ranksPerNode: 2, baseScale: 19 },
    );
    expect(one?.basis).toEqual({ D: 1, x: expect.closeTo(-1, 9) });
    const [still] = volumeLaws(
      points((_, scale) => 1e6 * D(scale), [4]),
      ONE,
    );
    expect(still?.basis).toEqual({ x: -0.5, D: expect.closeTo(1, 9) });
  });

  test('no traffic is an error', () => {
    expect(() =>
      volumeLaws(
        points(() => 0, [4], [20]),
        ONE,
      ),
    ).toThrow(/no volume/);
  });

  test('a transfer takes no less than its bytes over the rate, whatever the times say', () => {
    // 8e6 bytes per node count and 1/sqrt(x), a second of the full link each; times show a tenth of it.
    const told = points((n) => 8e6 / Math.sqrt(n), settings.nodes, [20]).map((point) => ({
      ...point,
      least: 1 / Math.sqrt(point.nodes),
    }));
    const rows = grid({ ...settings, scale: [20] }, ({ nodes, bw }) => 5 / nodes + 10 / bw / Math.sqrt(nodes));
    const form = trafficForm(told, rows, ONE);
    if (!form) throw new Error('no form');
    for (const errors of ['absolute', 'relative'] as const) {
      const solved = solveModel(form, rows, { ranksPerNode: 1, errors });
      // D = 2 at the only scale.
      expect(solved.fit.coefficients.C2).toBeCloseTo(0.5, 9);
      for (const { coefficients } of bootstrap(solved, { replicates: 40 }).replicas) {
        expect(coefficients.C2).toBeGreaterThanOrEqual(0.5);
      }
    }
  });

  test('the power of D that counters told is not looked for in times', () => {
    const told = points((n, scale) => 5e5 * D(scale) ** 0.9 * n ** -0.5);
    const rows = grid(
      settings,
      ({ nodes, bw, scale }) => D(scale) ** 1.4 / nodes + (D(scale) ** 0.9 * 10) / bw / Math.sqrt(nodes),
    );
    const form = trafficForm(told, rows, ONE);
    const { fit } = solveModel(form ?? 'volume', rows, { ranksPerNode: 1, baseScale: 19 });
    expect(fit.form.terms[0]?.basis.D).toBeCloseTo(1.4, 5);
    expect(fit.form.terms[1]?.basis.D).toBeCloseTo(0.9, 9);
  });
});

test('time is least at (2 C1 / C3)^(2/3) ranks when work meets a cost of sqrt(x)', () => {
  const fitted = fitModel(
    'volume',
    grid(settings, ({ nodes, scale }) => (0.4 * D(scale)) / nodes + 0.01 * Math.sqrt(nodes)),
    { ranksPerNode: 1 },
  );
  expect(findTurningPoint(fitted, { bw: 100, scale: 20 })).toBeCloseTo(((2 * 0.4 * D(20)) / 0.01) ** (2 / 3), 2);
  const falling = fitModel(
    'eq7',
    grid(settings, ({ nodes, scale, bw }) => (0.4 * D(scale)) / nodes + 1.1 ** (100 / bw) / Math.sqrt(nodes)),
    { ranksPerNode: 1 },
  );
  expect(findTurningPoint(falling, { bw: 100, scale: 20 })).toBeNull();
});

test('time is least in the lowest valley where it has two', () => {
  // Work and an exchange of all with all, which nobody makes alone: quick on one node, slow on two, quicker on many.
  const form = {
    ...models.volume,
    terms: [
      { name: 'C1', part: 'processing', basis: { x: -1 } },
      { name: 'C2', part: 'communication', basis: { otherHosts: 1, x: -2, s: 1 } },
      { name: 'C3', part: 'communication', basis: { x: 0.5 } },
    ],
  } as const;
  const fitted = fitModel(
    'volume',
    grid(settings, () => 1),
    { ranksPerNode: 1 },
  );
  const least = (C1: number): number | null =>
    findTurningPoint({ ...fitted, form, coefficients: { C1, C2: 1, C3: 0.001 } }, { bw: 10, scale: 20 });
  expect(least(0.01)).toBeCloseTo(1, 5);
  expect(least(2)).toBeGreaterThan(100);
});
