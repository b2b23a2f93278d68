import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analysisTables } from '../../../analysis/export/analysis-tables.ts';
import type { Table } from '../../../analysis/export/create-table.ts';
import { analyse, defaultIssueFinders } from '../../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../../analysis/grade10/model/create-model.ts';
import { readCase } from '../../cases/grade10/read-case.ts';
import { blocking, consumable, full, makeCase, ONE_RESOURCE, variable } from '../make-case.ts';
import { randomCase } from '../random-case.ts';
import { analysed, referenceCases } from './analysed.ts';
import { count, flat, type Row, rowsOf, slices, sums } from './read-table.ts';

const cases = referenceCases().map((one) => ({ ...one, tables: analysisTables(one.analysis) }));

describe.each(cases)('$name', ({ analysis, expected, tables }) => {
  const slice = expected.timeslice_ns;

  test('phases are where they should be', () => {
    const phases = rowsOf(tables, 'phases');
    expect(phases.map(({ path, first_slice, last_slice }) => [path, first_slice, last_slice]).sort()).toEqual(
      expected.phases.toSorted(),
    );
    expect(phases).not.toEqual([]);
    for (const { first_slice, last_slice, start_ns, end_ns, seconds } of phases) {
      expect([start_ns, end_ns]).toEqual([Number(first_slice) * slice, (Number(last_slice) + 1) * slice]);
      expect(seconds).toBeCloseTo((Number(end_ns) - Number(start_ns)) / 1e9, 12);
    }
    const leaves = phases.filter(({ is_leaf }) => is_leaf === 1).map(({ path }) => String(path));
    expect(leaves).toEqual(expect.arrayContaining(Object.keys(expected.attribution)));
    const parents = new Set(phases.map(({ parent }) => parent));
    expect(leaves.filter((path) => parents.has(path))).toEqual([]);
  });

  test('samples sum up to those expected and follow each other', () => {
    const samples = rowsOf(tables, 'samples');
    expectNear(
      sums(samples, key('metric'), (row) => slices(row) * Number(row.value)),
      Object.fromEntries(Object.entries(expected.sampled).map(([metric, values]) => [metric, sum(values)])),
    );
    expect(sums(samples, key('metric'), slices)).toEqual(
      Object.fromEntries(Object.entries(expected.sampled).map(([metric, { length }]) => [metric, length])),
    );
  });

  test('measured rates times their slices are what the samples sum up to, or more where the excess is dropped', () => {
    const measured = sums(rowsOf(tables, 'measurements'), key('metric'), (row) => slices(row) * Number(row.rate));
    expect(Object.keys(measured)).toEqual(Object.keys(expected.sampled));
    for (const [metric, values] of Object.entries(expected.sampled)) {
      expect(measured[metric]).toBeGreaterThanOrEqual(sum(values) * (1 - 1e-9));
    }
  });

  test.each(['usage', 'capacity'] as const)('the %s attributed to each leaf of each metric sums up', (column) => {
    expectNear(
      sums(rowsOf(tables, 'attribution'), key('phase', 'metric'), (row) => slices(row) * Number(row[column])),
      Object.fromEntries(
        flat(expected.attribution).flatMap(([path, one]) => (one[column].length > 0 ? [[path, sum(one[column])]] : [])),
      ),
    );
  });

  test.each([
    ['local', 'L'],
    ['global', 'G'],
  ])('%s bottlenecks of leaves have as many slices', (kind, letter) => {
    const found = rowsOf(tables, 'leaf_bottlenecks').filter((row) => row.kind === kind);
    expect(sums(found, key('phase', 'metric_type'), slices)).toEqual(marked(flat(expected.leaf_bottlenecks), letter));
  });

  test('bottlenecks of composite phases have as many slices, by each predicate', () => {
    const wanted = Object.entries(expected.composite_bottlenecks).flatMap(([predicate, phases]) =>
      flat(phases).map(([path, runs]): [string, string] => [`${predicate} ${path}`, runs]),
    );
    expect(sums(rowsOf(tables, 'bottlenecks'), key('predicate', 'phase', 'metric_type'), slices)).toEqual(
      marked(wanted, 'B'),
    );
  });

  test('issues are all there, the largest first', () => {
    const issues = rowsOf(tables, 'issues');
    expect(issues).toHaveLength(expected.issue_count);
    expect(issues.map(({ rank }) => rank)).toEqual(issues.map((_, index) => index + 1));
    const impacts = issues.map(({ impact_slices }) => Number(impact_slices));
    expect(impacts).toEqual(impacts.toSorted((a, b) => b - a));
    const lengths = new Map(expected.phases.map(([path, first, last]) => [path, last - first + 1]));
    const rows = expected.issues.map((one): [string, number] => [
      [one.pass, one.phase, 'target' in one ? one.target : '', 'source' in one ? one.source : ''].join(' '),
      one.impact,
    ]);
    const identity = key('pass', 'phase', 'target', 'source');
    expectNear(
      Object.fromEntries(issues.map((row) => [identity(row), Number(row.impact_slices)])),
      Object.fromEntries(rows),
    );
    expect(issues).not.toEqual([]);
    for (const { phase, impact_slices, impact_seconds, percent_of_phase } of issues) {
      expect(impact_seconds).toBeCloseTo((Number(impact_slices) * slice) / 1e9, 12);
      expect(percent_of_phase).toBeCloseTo((100 * Number(impact_slices)) / (lengths.get(String(phase)) ?? 0), 9);
    }
  });

  test('blocked stretches have the slices that are blocked', () => {
    const wanted = analysis.model.metrics.flatMap((metric) =>
      metric.class === 'blocking' && metric.blocked.includes(1)
        ? [[metric.path, metric.blocked.filter((state) => state === 1).length]]
        : [],
    );
    expect(sums(rowsOf(tables, 'blocked'), key('metric'), slices)).toEqual(Object.fromEntries(wanted));
  });
});

test('tables of random jobs have columns of equal length, whole slices and runs as long as can be', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const tables = analysisTables(analysed(randomCase(seed)));
      expect(tables).toHaveLength(9);
      for (const { name, columns } of tables) {
        expect(new Set(columns.map(({ values }) => values.length)).size, name).toBe(1);
        for (const { type, values: stored } of columns) {
          const wanted = type === 'text' ? 'string' : 'number';
          const values = Array.from<string | number>(stored);
          expect(
            values.every((value) => typeof value === wanted),
            name,
          ).toBe(true);
          if (type === 'integer') expect(values.every(Number.isSafeInteger), name).toBe(true);
        }
        const rows = rowsOf(tables, name).filter((row) => row.end_slice !== undefined);
        expect(rows.filter((row) => slices(row) <= 0)).toEqual([]);
        if (name !== 'measurements') expect(rows.filter((row, at) => continues(row, rows[at - 1]))).toEqual([]);
      }
    }),
    { numRuns: 60 },
  );
});

test('the tables of a small job can be read', () => {
  const tables = analysisTables(
    analysed(
      makeCase({
        execution_spec: { name: '', children: [{ name: 'A' }, { name: 'B', after: ['A'] }] },
        resource_spec: ONE_RESOURCE,
        slices: { '/': [5, 15], '/A': [5, 13], '/B': [13, 13] },
        rules: [variable('/A', '/R'), full('/A', '/B')],
        metrics: [consumable('/R', { capacity: 4, bounds: [0, 7, 15], rates: [4, 1] }), blocking('/B', [11, 99])],
      }),
    ),
  );
  const shown = Object.fromEntries(
    tables.map(({ name }) => [name, rowsOf(tables, name).map((row) => Object.values(row))]),
  );
  expect(shown).toEqual({
    phases: [
      ['/', '/', '', 0, 5, 14, 50, 150, 1e-7],
      ['/A', '/A', '/', 1, 5, 12, 50, 130, 8e-8],
      ['/B', '/B', '/', 1, 13, 12, 130, 130, 0],
    ],
    metrics: [
      ['/R', '/R', 'consumable', 4],
      ['/B', '/B', 'blocking', Number.NaN],
    ],
    measurements: [
      ['/R', 5, 7, 50, 70, 4],
      ['/R', 7, 15, 70, 150, 1],
    ],
    blocked: [['/B', 11, 15, 110, 150]],
    // Eight slices at 1 fall to the four in which A is active.
    samples: [
      ['/R', 5, 7, 4],
      ['/R', 7, 11, 2],
      ['/R', 11, 15, 0],
    ],
    attribution: [
      ['/A', '/R', 5, 7, 4, 4],
      ['/A', '/R', 7, 11, 2, 4],
      ['/A', '/R', 11, 13, 0, 0],
    ],
    leaf_bottlenecks: [
      ['/A', '/R', 'global', 5, 7],
      ['/A', '/B', 'global', 11, 13],
    ],
    bottlenecks: ['any', 'all', 'majority', 'majority+any'].flatMap((predicate) => [
      [predicate, '/', '/R', 5, 7],
      [predicate, '/', '/B', 11, 13],
    ]),
    issues: [
      [1, 'bottleneck', '/A', '/A', '/R', 2, 2e-8, 25],
      [2, 'bottleneck', '/A', '/A', '/B', 2, 2e-8, 25],
      [3, 'bottleneck', '/', '/A', '/R', 2, 2e-8, 20],
      [4, 'bottleneck', '/', '/A', '/B', 2, 2e-8, 20],
      [5, 'critical-path', '/A', '', '/R', 2, 2e-8, 25],
      [6, 'critical-path', '/A', '', '/B', 2, 2e-8, 25],
      [7, 'critical-path', '/', '', '/R', 2, 2e-8, 20],
      [8, 'critical-path', '/', '', '/B', 2, 2e-8, 20],
    ],
  });
});

test('issues of a rule of your own are named for it, a phase of no slices has no percentage', () => {
  const model = createModel(readCase(makeCase({ slices: { '/': [3, 3] } })));
  const own = () => [{ pass: 'custom', rule: 'mine', phase: 0, impact: 1, target: 0 } as const];
  const tables: Table[] = analysisTables(analyse(model, { issues: [...defaultIssueFinders, own] }));
  expect(rowsOf(tables, 'issues').map((row) => Object.values(row))).toEqual([
    [1, 'custom:mine', '/', '/', '', 1, 1e-8, Number.NaN],
  ]);
});

function key(...columns: readonly string[]): (row: Row) => string {
  return (row) => columns.map((column) => row[column]).join(' ');
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** How many slices have a state, without those that have none. */
function marked(entries: readonly (readonly [string, string])[], letter: string): Record<string, number> {
  return Object.fromEntries(
    entries.map(([path, runs]) => [path, count(runs, letter)] as const).filter(([, length]) => length > 0),
  );
}

/** Numbers to 1e-9 relative, the same keys. */
function expectNear(found: Readonly<Record<string, number>>, wanted: Readonly<Record<string, number>>): void {
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  for (const [path, value] of Object.entries(wanted)) {
    const near = Math.abs((found[path] ?? Number.NaN) - value) <= 1e-9 * Math.max(1, Math.abs(value));
    if (!near) expect.fail(`${path}: ${found[path]} instead of ${value}`);
  }
}

/** Whether a row could have been one with the row before. */
function continues(row: Row, before: Row | undefined): boolean {
  const ends = new Set(['first_slice', 'end_slice', 'start_ns', 'end_ns']);
  return (
    before !== undefined &&
    row.first_slice === before.end_slice &&
    Object.keys(row).every((column) => ends.has(column) || row[column] === before[column])
  );
}
