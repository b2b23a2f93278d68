import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../analysis/grade10/analyse-phases.ts';
import { isLeaf, phasePath } from '../../../analysis/grade10/model/phases.ts';
import {
  type BottleneckReport,
  createBottleneckReport,
  type LimitedStretch,
} from '../../../analysis/pictures/bottleneck-report.ts';
import { times } from '../../times.ts';
import { analysed, referenceCases } from '../export/analysed.ts';
import { blocking, consumable, full, makeCase, SLICE, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';
import { unpacked } from '../sources/runs/by-definition.ts';
import { labelled } from '../sources/runs/labels.ts';

const PREDICATES = ['any', 'all', 'majority', 'majority+any'] as const;

function rowOf({ model: { phases, phaseTypes } }: Analysis, path: string): number {
  const rows = Array.from({ length: phases.count }, (_, row) => row);
  const found = rows.find((row) => phasePath(phases, phaseTypes, row) === path);
  if (found === undefined) throw new Error(`no phase ${path}`);
  return found;
}

function reportOf(
  analysis: Analysis,
  path: string,
  options: { readonly predicate?: string; readonly groups?: Readonly<Record<string, string>> } = {},
): BottleneckReport {
  const { predicate = 'any', groups = {} } = options;
  return createBottleneckReport(analysis, labelled(analysis.model, { groups }), {
    row: rowOf(analysis, path),
    predicate,
  });
}

/** Per slice the groups of a list of stretches, joined. */
function perSlice({ model: { timesliceNs } }: Analysis, stretches: readonly LimitedStretch[]): string[] {
  return stretches.flatMap(({ from, to, groups }) =>
    Array<string>(Math.round(((to - from) * 1e9) / timesliceNs)).fill(groups.join(' ')),
  );
}

/** The same from run lengths per metric type. */
function expectedSlices(types: Readonly<Record<string, string>>, length: number): string[] {
  const states = Object.entries(types).map(([type, runs]) => ({ type, letters: unpacked(runs) }));
  return Array.from({ length }, (_, slice) =>
    states
      .filter(({ letters }) => letters[slice] !== 'N')
      .map(({ type }) => type)
      .sort()
      .join(' '),
  );
}

describe('of the reference cases', () => {
  test.each(referenceCases())('$name: overviews are the bottlenecks that two independent programs found', (one) => {
    const { analysis, expected } = one;
    expect(expected.phases).not.toEqual([]);
    for (const [path, first, last] of expected.phases) {
      for (const predicate of PREDICATES) {
        const types = isLeaf(analysis.model.phases, rowOf(analysis, path))
          ? expected.leaf_bottlenecks[path]
          : expected.composite_bottlenecks[predicate]?.[path];
        const { overview } = reportOf(analysis, path, { predicate });
        expect(perSlice(analysis, overview), `${predicate} ${path}`).toEqual(
          expectedSlices(types ?? {}, last - first + 1),
        );
      }
    }
  });

  test.each(referenceCases())('$name: each subphase is shown as its own overview has it, where it lies', (one) => {
    const { analysis, expected } = one;
    const seconds = (slices: number): number => (slices * expected.timeslice_ns) / 1e9;
    expect(expected.phases).not.toEqual([]);
    for (const [path, start] of expected.phases) {
      for (const predicate of PREDICATES) {
        const { subphases } = reportOf(analysis, path, { predicate });
        const children = expected.phases.filter(([child]) => child !== '/' && parentOf(child) === path);
        expect(subphases.map(({ name }) => name).sort()).toEqual(children.map(([child]) => lastStep(child)).sort());
        for (const { row, name, from, to, stretches } of subphases) {
          const [child = '', first = 0, last = 0] = children.find(([child]) => lastStep(child) === name) ?? [];
          expect(row).toBe(rowOf(analysis, child));
          expect([from, to]).toEqual([seconds(first - start), seconds(last + 1 - start)]);
          const own = reportOf(analysis, child, { predicate }).overview;
          expect(perSlice(analysis, stretches)).toEqual(perSlice(analysis, own));
        }
        expect(subphases.map(({ from }) => from)).toEqual(subphases.map(({ from }) => from).sort((a, b) => a - b));
      }
    }
  });
});

describe('a job made by hand', () => {
  const JOB = { name: '', children: [{ name: 'Job', children: [{ name: 'A' }, { name: 'B' }] }] };
  /** A has the processor full, at first with the link; from slice 2 on B is there too, which waits in 4 and 5. */
  const WRITTEN: Written = {
    execution_spec: JOB,
    resource_spec: {
      name: '',
      metrics: [
        { name: 'cpu', class: 'consumable' },
        { name: 'link', class: 'consumable' },
        { name: 'lock', class: 'blocking' },
      ],
    },
    rules: [variable('/Job/A', '/cpu'), variable('/Job/A', '/link'), full('/Job/B', '/lock')],
    slices: { '/': [0, 12], '/Job': [1, 11], '/Job/A': [1, 5], '/Job/B': [3, 9] },
    metrics: [
      consumable('/cpu', { capacity: 10, bounds: [0, 1, 5, 12], rates: [0, 10, 0] }),
      consumable('/link', { capacity: 10, bounds: [0, 1, 3, 12], rates: [0, 10, 0] }),
      blocking('/lock', [5, 7]),
    ],
  };
  const analysis = analysed(makeCase(WRITTEN));
  const at = (slice: number): number => (slice * SLICE) / 1e9;
  const report = reportOf(analysis, '/Job');

  test('has an overview of what holds it up when, in seconds since its start', () => {
    expect(report).toMatchObject({ path: '/Job', row: rowOf(analysis, '/Job'), seconds: at(10) });
    expect(report.overview).toEqual([
      { from: at(0), to: at(2), groups: ['/cpu', '/link'] },
      { from: at(2), to: at(4), groups: ['/cpu'] },
      { from: at(4), to: at(6), groups: ['/lock'] },
      { from: at(6), to: at(10), groups: [] },
    ]);
  });

  test('has per resource the share of the leaves alive that it holds up', () => {
    expect(report.resources).toEqual([
      {
        metricType: '/cpu',
        label: 'label of /cpu',
        group: '/cpu',
        percent: 30,
        stretches: [
          { from: at(0), to: at(2), share: 1 },
          { from: at(2), to: at(4), share: 0.5 },
          { from: at(4), to: at(10), share: 0 },
        ],
      },
      {
        metricType: '/link',
        label: 'label of /link',
        group: '/link',
        percent: 20,
        stretches: [
          { from: at(0), to: at(2), share: 1 },
          { from: at(2), to: at(10), share: 0 },
        ],
      },
      {
        metricType: '/lock',
        label: 'label of /lock',
        group: '/lock',
        percent: 20,
        stretches: [
          { from: at(0), to: at(4), share: 0 },
          { from: at(4), to: at(6), share: 1 },
          { from: at(6), to: at(10), share: 0 },
        ],
      },
    ]);
  });

  test('has its subphases in order of their starts', () => {
    expect(report.subphases.map(({ name, from, to }) => ({ name, from, to }))).toEqual([
      { name: 'A', from: at(0), to: at(4) },
      { name: 'B', from: at(2), to: at(8) },
    ]);
    expect(report.subphases.at(1)?.stretches).toEqual([
      { from: at(2), to: at(4), groups: [] },
      { from: at(4), to: at(6), groups: ['/lock'] },
      { from: at(6), to: at(8), groups: [] },
    ]);
  });

  test('shows resources of one group as one', () => {
    const { overview } = reportOf(analysis, '/Job', { groups: { '/cpu': 'machine', '/link': 'machine' } });
    expect(overview[0]).toEqual({ from: at(0), to: at(4), groups: ['machine'] });
  });

  test('depends on the predicate where only some of the leaves are held up', () => {
    /** A waits in slices 2 to 4 of its own lock, B never. */
    const locks = analysed(
      makeCase({
        execution_spec: JOB,
        resource_spec: {
          name: '',
          children: [{ name: 'lock', repeat: 'many', key: 'of', metrics: [{ name: 'wait', class: 'blocking' }] }],
        },
        rules: [full('/Job/A', '/lock/wait'), full('/Job/B', '/lock/wait')],
        slices: { '/': [0, 6], '/Job': [0, 6], '/Job/A': [0, 5], '/Job/B': [3, 6] },
        metrics: [blocking('/lock[of=a]/wait', [2, 5]), blocking('/lock[of=b]/wait')],
        mapping: [
          { phase: '/Job/A', resources: ['/lock[of=a]'] },
          { phase: '/Job/B', resources: ['/lock[of=b]'] },
        ],
      }),
    );
    const held = (predicate: string): string =>
      perSlice(locks, reportOf(locks, '/Job', { predicate }).overview)
        .map((groups) => (groups === '' ? 'N' : 'B'))
        .join('');
    expect(held('any')).toBe('NNBBBN');
    expect(held('majority')).toBe('NNBBBN');
    expect(held('all')).toBe('NNBNNN');
  });
});

describe('of random jobs', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });

  function forEachReport(check: (report: BottleneckReport, length: number) => void): void {
    let [resources, subphases] = [0, 0];
    fc.assert(
      fc.property(seed, fc.constantFrom(...PREDICATES), (value, predicate) => {
        const analysis = analysed(randomCase(value));
        const { phases, timesliceNs } = analysis.model;
        const labels = labelled(analysis.model);
        for (let row = 0; row < phases.count; row += 1) {
          const report = createBottleneckReport(analysis, labels, { row, predicate });
          expect(report.seconds).toBe(((phases.length[row] ?? 0) * timesliceNs) / 1e9);
          check(report, phases.length[row] ?? 0);
          resources += report.resources.length;
          subphases += report.subphases.length;
        }
      }),
      { numRuns: times(12) },
    );
    expect(Math.min(resources, subphases)).toBeGreaterThan(0);
  }

  test('the stretches of the overview, of each resource and of each subphase tile it exactly', () => {
    forEachReport(({ seconds, overview, resources, subphases }) => {
      expectTiled(overview, { from: 0, to: seconds, same: ({ groups }) => groups.join() });
      for (const { stretches } of resources) expectTiled(stretches, { from: 0, to: seconds, same: (one) => one.share });
      for (const { from, to, stretches } of subphases) {
        expectTiled(stretches, { from, to, same: ({ groups }) => groups.join() });
        expect(from).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThanOrEqual(seconds);
      }
    });
  });

  test('shares lie between 0 and 1, and their mean over time is the percentage', () => {
    forEachReport(({ seconds, resources }) => {
      for (const { percent, stretches } of resources) {
        for (const { share } of stretches) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
        const sum = stretches.reduce((total, { from, to, share }) => total + share * (to - from), 0);
        expect(percent).toBeCloseTo(seconds === 0 ? 0 : (100 * sum) / seconds, 6);
      }
    });
  });

  test("under 'any' the overview has a resource exactly where some leaf's share is above 0", () => {
    let stretches = 0;
    fc.assert(
      fc.property(seed, (value) => {
        const analysis = analysed(randomCase(value));
        for (let row = 0; row < analysis.model.phases.count; row += 1) {
          const { overview, resources } = createBottleneckReport(analysis, labelled(analysis.model), {
            row,
            predicate: 'any',
          });
          const held = resources.flatMap(({ metricType, stretches }) =>
            stretches.filter(({ share }) => share > 0).map(({ from, to }) => ({ metricType, from, to })),
          );
          stretches += held.length;
          const shown = perSlice(analysis, overview);
          const wanted = shown.map((_, slice) => {
            const middle = ((slice + 0.5) * analysis.model.timesliceNs) / 1e9;
            const at = held.filter(({ from, to }) => from < middle && middle < to);
            return at
              .map(({ metricType }) => metricType)
              .sort()
              .join(' ');
          });
          expect(shown).toEqual(wanted);
        }
      }),
      { numRuns: times(12) },
    );
    expect(stretches).toBeGreaterThan(0);
  });
});

/** Stretches that touch each other, from `from` to `to`, none empty and no two neighbours the same. */
function expectTiled<T extends { readonly from: number; readonly to: number }>(
  stretches: readonly T[],
  { from, to, same }: { readonly from: number; readonly to: number; readonly same: (one: T) => unknown },
): void {
  let reached = from;
  for (const [index, stretch] of stretches.entries()) {
    expect(stretch.from).toBe(reached);
    expect(stretch.to).toBeGreaterThan(stretch.from);
    const next = stretches[index + 1];
    if (next) expect(same(next)).not.toBe(same(stretch));
    reached = stretch.to;
  }
  expect(reached).toBe(to);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

test('a predicate that the analysis did not use is refused', () => {
  const [first] = referenceCases();
  if (!first) throw new Error('no case');
  expect(() => reportOf(first.analysis, '/', { predicate: 'most' })).toThrow(
    /'most' was not among .*: any, all, majority/,
  );
});
