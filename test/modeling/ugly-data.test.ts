import { describe, expect, test } from 'vitest';
import { parseRowsCsv } from '../../modeling/exchange/csv.ts';
import { fitModel, solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { compare } from '../../modeling/judge/compare-candidates.ts';
import { diagnose } from '../../modeling/judge/diagnose.ts';
import { bootstrap, estimate } from '../../modeling/judge/ensemble.ts';
import { type Rows, rowsFrom } from '../../modeling/rows.ts';
import { fixture, grid, objects } from './fixtures.ts';

const RANKS = { ranksPerNode: 18, baseScale: 25 };
const one = { ranksPerNode: 1 };
const square = { scale: [20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const exact = ({ nodes, bw }: { nodes: number; bw: number }): number =>
  2 / nodes + (0.1 * 1.1 ** (100 / bw)) / Math.sqrt(nodes);

describe('rows that determine too little are an error that says what to measure', () => {
  test.each([
    ['one cell', { scale: [20], nodes: [4], bw: [100] }, 'eq2', /needs a second node count/],
    [
      'one bandwidth for a model of bandwidth',
      { scale: [20], nodes: [4, 9], bw: [100] },
      'eq6',
      /needs a second bandwidth/,
    ],
    [
      'one node count for work and communication',
      { scale: [20], nodes: [4], bw: [10, 50] },
      'eq6',
      /needs a second node count/,
    ],
    [
      'fewer cells than unknowns',
      { scale: [20], nodes: [4], bw: [50, 100] },
      'volume',
      /second node count|different configurations/,
    ],
  ] as const)('%s', (_, settings, model, message) => {
    expect(() => fitModel(model, grid(settings, exact), one)).toThrow(message);
  });

  test('no rows', () => {
    expect(() => fitModel('eq2', rowsFrom([]), one)).toThrow('There are no rows');
    expect(() => compare(rowsFrom([]), one)).toThrow('There are no rows');
  });
});

describe('times that are no times are refused with their place', () => {
  test.each([
    ['NaN', Number.NaN],
    ['zero', 0],
    ['negative', -1],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('%s', (_, ct) => {
    expect(() =>
      rowsFrom([
        { scale: 20, nodes: 4, bw: 100, ct: 1 },
        { scale: 20, nodes: 4, bw: 100, ct },
      ]),
    ).toThrow(/^Row 2: ct is/);
  });

  test.each(['nan', '0', '-1', 'inf', '', '1e999'])("'%s' in a file", (text) => {
    expect(() => parseRowsCsv(`scale,n,bw,ct\n20,4,100,1\n20,4,100,${text}\n`, 'runs.csv')).toThrow(
      /runs.csv, line 3: ct is/,
    );
  });
});

describe('rows that are unusual have a defined result', () => {
  test('constant times: no trend, no NaN', () => {
    const solved = solveModel(
      'eq6',
      grid(square, () => 0.5),
      one,
    );
    expect(solved.fit.r2).toBe(0);
    expect(Object.values(solved.fit.coefficients).map(Number.isFinite)).toEqual([true, true]);
    expect(solved.fit.alpha).toBe(1);
    expect(diagnose(solved).warnings.join(' ')).toMatch(/alpha is at its lower bound/);
    expect(estimate(bootstrap(solved), (fit) => predict(fit, { nodes: 36, bw: 50, scale: 20 })).value).toBeGreaterThan(
      0,
    );
  });

  test('a fit that says that no time passes on one node: times 100,000 times apart are compared all the same', () => {
    const times = [1, 4, 9].flatMap((n) =>
      [20, 50, 100].flatMap((bw) => {
        const ct = Math.max(2e-8, 0.001 * ((n + bw + 1) % 7));
        return [`20,${n},${bw},1,${ct}`, `20,${n},${bw},2,${1.01 * ct}`];
      }),
    );
    const { candidates } = compare(parseRowsCsv(['scale,n,bw,rep,ct', ...times].join('\n'), 'rows'), one);
    expect(candidates.map(({ weight }) => weight).every(Number.isFinite)).toBe(true);
  });

  test('a coefficient of zero is told, and its interval begins at zero', () => {
    const noisy = grid(square, (at) => (2 / at.nodes) * (1 + 0.02 * Math.sin(7 * at.nodes + at.bw)));
    const solved = solveModel('volume', noisy, one);
    const zero = Object.entries(solved.fit.coefficients)
      .filter(([, value]) => value === 0)
      .map(([name]) => name);
    expect(zero.length).toBeGreaterThan(0);
    for (const name of zero) {
      expect(estimate(bootstrap(solved), (fit) => fit.coefficients[name] ?? 0).low).toBe(0);
      expect(diagnose(solved).warnings.join(' ')).toContain(`${name} was fitted as 0`);
    }
  });

  test('alpha at its bound stays a number, and replicas may leave it', () => {
    const flat = grid(
      square,
      (at) => (2 / at.nodes + 0.3 / Math.sqrt(at.nodes)) * (1 + 0.01 * Math.cos(at.nodes * at.bw)),
    );
    const solved = solveModel('eq6', flat, one);
    const alpha = estimate(bootstrap(solved), (fit) => fit.alpha);
    expect(alpha.low).toBe(1);
    expect(alpha.high).toBeGreaterThan(1);
    expect(alpha.high).toBeLessThan(1.1);
  });

  test('exact data have the truth in the middle of an interval that is never of no width', () => {
    const solved = solveModel('eq6', grid(square, exact), one);
    const { value, low, high } = estimate(bootstrap(solved), (fit) => predict(fit, { nodes: 100, bw: 20, scale: 20 }));
    expect(value).toBeCloseTo(exact({ nodes: 100, bw: 20 }), 8);
    expect((high ?? 0) / (low ?? 1)).toBeGreaterThan(1.01);
    // At four times the nodes programs stray by so much from curves that they were on before.
    expect((high ?? 0) / (low ?? 1)).toBeLessThan(2.5);
  });

  test('duplicate rows weigh more but do not make the interval of scattered cells narrower', () => {
    const rows = objects(grid(square, (at) => exact(at) * (1 + 0.05 * Math.sin(3 * at.nodes + at.bw))));
    const width = (some: Rows): number => {
      const { low, high } = estimate(bootstrap(solveModel('eq6', some, one)), (fit) =>
        predict(fit, { nodes: 100, bw: 20, scale: 20 }),
      );
      return (high ?? 0) - (low ?? 0);
    };
    const doubled = rowsFrom([...rows, ...rows]);
    expect(fitModel('eq6', doubled, one).coefficients.C1).toBeCloseTo(
      fitModel('eq6', rowsFrom(rows), one).coefficients.C1 ?? 0,
      9,
    );
    expect(width(doubled) / width(rowsFrom(rows))).toBeGreaterThan(0.9);
  });

  test('one repetition per cell is enough for a choice', async () => {
    const all = objects(await fixture('eq6_s28_latency'));
    const first = [...new Map(all.map((row) => [`${row.nodes} ${row.bw}`, row])).values()];
    const { chosen, fit } = compare(rowsFrom(first), RANKS);
    expect(fit.rows).toBe(84);
    expect(chosen.startsWith('eq6')).toBe(true);
  });
});
