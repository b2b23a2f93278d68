import { describe, expect, test } from 'vitest';
import { collapse } from '../../modeling/fit/collapse.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { peerForms } from '../../modeling/forms/candidates.ts';
import { pmnfForm } from '../../modeling/forms/pmnf.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { chosenForm, compare } from '../../modeling/judge/compare-candidates.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { predictUnseen } from '../../modeling/judge/predict-unseen.ts';
import { fixture, grid } from './fixtures.ts';
import { plain } from './plain-data.ts';

const RANKS = { ranksPerNode: 18, baseScale: 25 };

describe('the choice of a model', () => {
  test.each([
    ['eq2_s28', 'eq2'],
    ['eq3_s26-30', 'eq3'],
    ['eq5_s29_n25', 'eq5'],
    ['eq6_s28', 'eq6'],
    ['eq7_s26-28', 'eq7'],
    ['eq6_s28_latency', 'eq6+sqrt(x)'],
  ])('%s is best told by %s, by relative and by absolute errors', async (name, chosen) => {
    const rows = await fixture(name);
    const comparison = compare(rows, RANKS);
    expect(plain(comparison)).toBe(comparison);
    expect(comparison.chosen).toBe(chosen);
    expect(comparison.candidates.map((one) => one.name)).toContain(chosen);
    expect(compare(rows, { ...RANKS, errors: 'absolute' }).chosen).toBe(chosen);
  });

  test('with the added term a program with latency is told to 100 and 256 nodes within 10 % (median), without it within 60 %', async () => {
    const rows = await fixture('eq6_s28_latency');
    const errors = (fit: Parameters<typeof predict>[0]): number => {
      const all = [100, 256].flatMap((nodes) =>
        [10, 20, 30, 40, 50, 100].map((bw) => {
          const x = 18 * nodes;
          const truth = 118.026 / x + (5.968 * 1.11 ** (100 / bw)) / Math.sqrt(x) + 0.006 * Math.sqrt(x);
          return Math.abs(predict(fit, { nodes, bw, scale: 28 }) / truth - 1) * 100;
        }),
      );
      return all.sort((a, b) => a - b)[5] ?? 0;
    };
    const chosen = chosenForm(compare(rows, RANKS));
    expect(errors(solveModel(chosen, rows, { ...RANKS, errors: 'relative' }).fit)).toBeLessThan(10);
    expect(errors(solveModel('eq6', rows, RANKS).fit)).toBeGreaterThan(40);
  });

  test('candidates come by their error on what was left out, peers among them', async () => {
    const { candidates, leftOutNodes } = compare(await fixture('eq6_s28'), RANKS);
    expect(leftOutNodes).toEqual([25]);
    expect(candidates.map((one) => one.name)).toEqual(
      expect.arrayContaining(['amdahl', 'usl', 'ernest', 'volume', 'overlap']),
    );
    const scores = candidates.flatMap(({ score }) => score ?? []);
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
  });

  test('laws of others are fitted as published, with the factor of bandwidth once on their communication', () => {
    const laws = {
      amdahl: [0.8, 0.5],
      usl: [40, 3, 0.05],
      ernest: [40, 5, 2, 0.1],
    };
    const truth = {
      amdahl: (x: number, w: number) => 0.8 / x + 0.5 * w,
      usl: (x: number, w: number) => (40 + 3 * w * (x - 1) + 0.05 * w * x * (x - 1)) / x,
      ernest: (x: number, w: number) => 40 / x + 5 + 2 * w * Math.log(x) + 0.1 * w * x,
    };
    for (const name of Object.keys(laws) as (keyof typeof laws)[]) {
      const rows = grid({ scale: [20], nodes: [2, 4, 8, 16, 32], bw: [10, 25, 50, 100] }, ({ nodes, bw }) =>
        truth[name](nodes, 1.15 ** (100 / bw)),
      );
      const form = peerForms({ nodes: true, bw: true, scale: false, threads: false }).find((one) => one.name === name);
      const { alpha, coefficients } = solveModel(form ?? 'eq2', rows, { ranksPerNode: 1 }).fit;
      expect(alpha).toBeCloseTo(1.15, 4);
      for (const [index, value] of laws[name].entries()) {
        expect(Math.abs((coefficients[`C${index + 1}`] ?? 0) / value - 1)).toBeLessThan(1e-3);
      }
    }
  });

  test('cells say what their rows say', async () => {
    const rows = await fixture('eq6_s28');
    const cells = collapse(rows);
    expect(cells.length).toBeLessThan(rows.length / 50);
    expect(collapse(cells)).toBe(cells);
    expect(compare(cells, RANKS)).toEqual(compare(rows, RANKS));
    const unseen = { training: rows, unseen: rows };
    expect(predictUnseen('eq6', { training: cells, unseen: cells }, RANKS)).toEqual(
      predictUnseen('eq6', unseen, RANKS),
    );
  });

  test('two node counts leave nothing out: a mechanism wins there by its criterion', () => {
    const rows = grid({ scale: [20], nodes: [4, 9], bw: [5, 10, 20, 50, 100] }, ({ nodes, bw }) => {
      const wobble = 1 + 0.01 * Math.sin(nodes * bw);
      return (0.8 / nodes + (0.4 * 10) / bw / Math.sqrt(nodes) + 0.02 * Math.sqrt(nodes)) * wobble;
    });
    const { chosen, candidates, leftOutNodes } = compare(rows, { ranksPerNode: 1 });
    expect(leftOutNodes).toEqual([]);
    expect(candidates.length).toBeGreaterThan(3);
    expect(candidates.filter(({ score }) => score !== null)).toEqual([]);
    expect(chosen).toBe('volume');
  });

  test('rows that no form can be fitted to are an error that says what is missing', () => {
    const rows = grid({ scale: [20], nodes: [4], bw: [100] }, () => 1);
    expect(() => compare(rows, { ranksPerNode: 1 })).toThrow(/needs a second node count/);
  });
});

describe('misspecification', () => {
  test('is seen where a term is missing, over the node counts', async () => {
    const { trends, warnings } = diagnose(solveModel('eq6', await fixture('eq6_s28_latency'), RANKS));
    expect(trends.map(({ variable }) => variable)).toEqual(['nodes']);
    expect(warnings[0]).toMatch(/^Misspecified: .* depend on the node counts/);
  });

  test('is seen over the bandwidth where time goes like 1/bw', () => {
    const rows = grid(
      { scale: [20], nodes: [4, 9, 16], bw: [2, 5, 10, 20, 50, 100] },
      ({ nodes, bw }) => 1 / nodes + 100 / bw / Math.sqrt(nodes),
    );
    expect(diagnose(solveModel('eq6', rows, { ranksPerNode: 1 })).trends.map(({ variable }) => variable)).toContain(
      'bw',
    );
  });

  test.each([
    ['eq2', 'eq2_s28'],
    ['eq3', 'eq3_s26-30'],
    ['eq5', 'eq5_s29_n25'],
    ['eq6', 'eq6_s28'],
    ['eq7', 'eq7_s26-28'],
  ] as const)('%s on its own data has no warning', async (model, name) => {
    expect(diagnose(solveModel(model, await fixture(name), RANKS)).warnings).toEqual([]);
  });

  test('terms of 0 and bounds of alpha are told', () => {
    const flat = grid({ scale: [20], nodes: [4, 9, 16], bw: [10, 50, 100] }, ({ nodes }) => 1 / nodes);
    const { warnings } = diagnose(solveModel('eq6', flat, { ranksPerNode: 1 }));
    expect(warnings.join(' ')).toMatch(/C2 was fitted as 0/);
  });
});

describe("Extra-P's normal form", () => {
  test('finds the exponents of exact data, of either sign', () => {
    const rows = grid(
      { scale: [20], nodes: [2, 4, 8, 16, 32], bw: [10, 20, 50, 100] },
      ({ nodes, bw }) => 0.1 + 3 / nodes ** 0.75 + (20 / bw) * 0.2,
    );
    const form = pmnfForm(collapse(rows), { ranksPerNode: 1, baseScale: 19 });
    expect(form?.terms.map(({ basis }) => basis)).toEqual(expect.arrayContaining([{}, { x: -0.75 }, { s: 1 }]));
    expect(form?.terms).toHaveLength(3);
  });

  // Calotoiu et al., SC 2013: the exponents of their search space.
  test.each([
    ...[1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 2, 5 / 2, 3].flatMap((i) => [
      { x: i },
      { x: -i },
      { x: i, lnX: 1 },
    ]),
    ...[{ lnX: 1 }, { lnX: 2 }],
  ])('finds %j in exact data', (basis: { readonly x?: number; readonly lnX?: number }) => {
    const { x = 0, lnX = 0 } = basis;
    const rows = grid(
      { scale: [20], nodes: [2, 3, 5, 8, 13, 21, 34], bw: [100] },
      ({ nodes }) => 0.5 + 2 * nodes ** x * Math.log(nodes) ** lnX,
    );
    const form = pmnfForm(collapse(rows), { ranksPerNode: 1, baseScale: 20 });
    expect(form?.terms.map((term) => term.basis)).toEqual([{}, basis]);
  });

  test('is null where nothing varies', () => {
    expect(
      pmnfForm(collapse(grid({ scale: [20], nodes: [4], bw: [100] }, () => 1)), { ranksPerNode: 1, baseScale: 19 }),
    ).toBeNull();
  });
});
