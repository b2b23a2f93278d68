import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitModel, models, predict, project, trafficForm, turningPoint, volumeLaw } from '../../modeling/index.ts';
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
      { numRuns: 40 },
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
  test('a power law is recovered, and its exponents stand in the form', () => {
    const points = settings.scale.flatMap((scale) =>
      settings.nodes.map((nodes) => ({ scale, nodes, bytes: 5e5 * D(scale) ** 0.9 * nodes ** -0.62 })),
    );
    const law = volumeLaw(points, { ranksPerNode: 1, baseScale: 19 });
    expect(law.bytes).toBeCloseTo(5e5, 3);
    expect(law.ranks).toBeCloseTo(-0.62, 9);
    expect(law.size).toBeCloseTo(0.9, 9);
    const rows = grid(settings, () => 1);
    const form = trafficForm(points, rows, { ranksPerNode: 1, baseScale: 19 });
    expect(form?.terms[1]?.basis).toEqual({ D: law.size, s: 1, x: law.ranks });
    expect(form?.volume).toEqual(law);
  });

  test('what did not vary keeps the exponent of a 2-D partition', () => {
    const one = volumeLaw(
      [4, 9, 16].map((nodes) => ({ scale: 20, nodes, bytes: 1e6 / nodes })),
      { ranksPerNode: 2, baseScale: 19 },
    );
    expect(one.ranks).toBeCloseTo(-1, 9);
    expect(one.size).toBe(1);
    const still = volumeLaw(
      [20, 21].map((scale) => ({ scale, nodes: 4, bytes: 1e6 * D(scale) })),
      { ranksPerNode: 1, baseScale: 19 },
    );
    expect(still.ranks).toBe(-0.5);
    expect(still.size).toBeCloseTo(1, 9);
  });

  test('no traffic is an error', () => {
    expect(() => volumeLaw([{ scale: 20, nodes: 4, bytes: 0 }], { ranksPerNode: 1, baseScale: 19 })).toThrow(
      /no volume/,
    );
  });
});

test('time is least at (2 C1 / C3)^(2/3) ranks when work meets a cost of sqrt(x)', () => {
  const fitted = fitModel(
    'volume',
    grid(settings, ({ nodes, scale }) => (0.4 * D(scale)) / nodes + 0.01 * Math.sqrt(nodes)),
    { ranksPerNode: 1 },
  );
  expect(turningPoint(fitted, { bw: 100, scale: 20 })).toBeCloseTo(((2 * 0.4 * D(20)) / 0.01) ** (2 / 3), 2);
  const falling = fitModel(
    'eq7',
    grid(settings, ({ nodes, scale, bw }) => (0.4 * D(scale)) / nodes + 1.1 ** (100 / bw) / Math.sqrt(nodes)),
    { ranksPerNode: 1 },
  );
  expect(turningPoint(falling, { bw: 100, scale: 20 })).toBeNull();
});
