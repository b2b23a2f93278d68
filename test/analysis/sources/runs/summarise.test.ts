import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Analysis, analyse } from '../../../../analysis/grade10/analyse-phases.ts';
import { issueFinder } from '../../../../analysis/grade10/issues/issue-rule.ts';
import { createModel } from '../../../../analysis/grade10/model/create-model.ts';
import { type Part, summarise } from '../../../../analysis/sources/runs/summarise.ts';
import { readCase } from '../../../cases/grade10/read-case.ts';
import { outputOf } from '../../case-output.ts';
import { analysed } from '../../export/analysed.ts';
import { blocking, consumable, full, makeCase, SLICE, variable, type Written } from '../../make-case.ts';
import { randomCase } from '../../random-case.ts';
import { partsByDefinition } from './by-definition.ts';
import { labelled } from './labels.ts';

/** A has processor and link full, alone at first, then next to B, which waits; then nobody is there. */
const SHARED: Written = {
  execution_spec: { name: '', children: [{ name: 'Job', children: [{ name: 'A' }, { name: 'B' }] }] },
  resource_spec: {
    name: '',
    metrics: [
      { name: 'cpu', class: 'consumable' },
      { name: 'link', class: 'consumable' },
      { name: 'lock', class: 'blocking' },
    ],
  },
  rules: [variable('/Job/A', '/cpu'), variable('/Job/A', '/link'), full('/Job/B', '/lock')],
  slices: { '/': [0, 12], '/Job': [0, 10], '/Job/A': [0, 4], '/Job/B': [2, 8] },
  metrics: [
    consumable('/cpu', { capacity: 10, bounds: [0, 4, 12], rates: [10, 0] }),
    consumable('/link', { capacity: 10, bounds: [0, 1, 3, 12], rates: [0, 10, 0] }),
    blocking('/lock', [4, 6]),
  ],
};

const analysis = analysed(makeCase(SHARED));

/** Parts in slices, by name. */
function inSlices(parts: readonly Part[]): Record<string, number> {
  return Object.fromEntries(parts.map(({ name, seconds }) => [name, Number(((seconds * 1e9) / SLICE).toFixed(9))]));
}

describe('the time of a phase', () => {
  const summary = summarise(analysis, labelled(analysis.model, { focus: '/Job' }));

  test('is that of the type in focus alone', () => {
    expect(summary).toMatchObject({ focus: '/Job', count: 1 });
    expect(summary.seconds).toBeCloseTo(10 * SLICE * 1e-9, 15);
  });

  test('is shared equally by leaves that are alive together, and by resources that hold one up together', () => {
    expect(inSlices(summary.components)).toEqual({
      // Slice 0 alone, slice 1 shared with the link; of slices 2 and 3 A has half, of slice 2 the link again half.
      '/cpu': 1 + 0.5 + 0.25 + 0.5,
      '/link': 0.5 + 0.25,
      '/lock': 2,
      // B's halves of slices 2 and 3, B alone in 6 and 7, nobody in 8 and 9.
      unexplained: 0.5 + 0.5 + 2 + 2,
    });
  });

  test('by phases is that of the leaves alive, and of the phase itself while it is idle', () => {
    expect(inSlices(summary.phases)).toEqual({ '/Job/A': 3, '/Job/B': 5, '/Job': 2 });
  });

  test('is listed with the largest part first', () => {
    expect(summary.components.map(({ name }) => name)).toEqual(['unexplained', '/cpu', '/lock', '/link']);
    expect(summary.phases.map(({ name }) => name)).toEqual(['/Job/B', '/Job/A', '/Job']);
  });

  test('counts resources of one group once', () => {
    const groups = { '/cpu': 'machine', '/link': 'machine' };
    const { components } = summarise(analysis, labelled(analysis.model, { focus: '/Job', groups }));
    expect(inSlices(components)).toEqual({ unexplained: 5, machine: 3, '/lock': 2 });
  });

  test('of a leaf is its own', () => {
    const leaf = summarise(analysis, labelled(analysis.model, { focus: '/Job/A' }));
    // Slices 0 and 3 on the processor alone, 1 and 2 shared with the link.
    expect(inSlices(leaf.components)).toEqual({ '/cpu': 3, '/link': 1, unexplained: 0 });
    expect(inSlices(leaf.phases)).toEqual({ '/Job/A': 4 });
  });

  test('of a type that never ran is nothing', () => {
    const { '/Job': _, '/Job/A': __, '/Job/B': ___, ...slices } = SHARED.slices ?? {};
    const empty = analysed(makeCase({ ...SHARED, slices }));
    expect(summarise(empty, labelled(empty.model, { focus: '/Job' }))).toEqual({
      focus: '/Job',
      count: 0,
      seconds: 0,
      sliceSeconds: 1e-8,
      components: [{ name: 'unexplained', seconds: 0 }],
      phases: [],
      costs: [],
    });
  });
});

describe('what phases could save', () => {
  /** Two steps one after the other, each with two workers that take unequally long. */
  const STEPS: Written = {
    execution_spec: {
      name: '',
      children: [
        {
          name: 'Step',
          repeat: 'sequential',
          key: 's',
          children: [{ name: 'Worker', repeat: 'concurrent', key: 'w' }],
        },
      ],
    },
    resource_spec: { name: '', metrics: [{ name: 'lock', class: 'blocking' }] },
    rules: [full('/Step/Worker', '/lock')],
    slices: {
      '/': [0, 20],
      '/Step[s=0]': [0, 4],
      '/Step[s=0]/Worker[w=0]': [0, 4],
      '/Step[s=0]/Worker[w=1]': [0, 2],
      '/Step[s=1]': [4, 10],
      '/Step[s=1]/Worker[w=0]': [4, 10],
      '/Step[s=1]/Worker[w=1]': [4, 6],
    },
    metrics: [blocking('/lock', [0, 2])],
  };

  /** Reports 2 slices for each step's workers, and 1 for every phase as a whole. */
  const own = issueFinder<null>({
    analyseLeaf: () => [null],
    analyseComposite: () => [null],
    extractIssues: (phase, _, { model: { phaseTypes } }) => [
      {
        pass: 'custom',
        rule: 'skew',
        phase,
        impact: 2,
        target: phaseTypes.indexOf.get('/Step/Worker') ?? -1,
        source: 0,
      },
      { pass: 'custom', rule: 'start', phase, impact: 1 },
    ],
  });

  const costsOf = (given: Analysis) =>
    summarise(given, labelled(given.model, { focus: '/Step' })).costs.map(({ seconds, percent, ...rest }) => ({
      ...rest,
      slices: Number(((seconds * 1e9) / SLICE).toFixed(9)),
      percent: Number(percent.toFixed(9)),
    }));

  test('is added up over all phases in focus, and none but theirs, the most first', () => {
    expect(costsOf(analysed(makeCase(STEPS)))).toEqual([
      // 4 - 3 and 6 - 4 slices, of 10 in all.
      { kind: 'imbalance', rule: null, phases: '/Step/Worker', resource: null, slices: 3, percent: 30 },
      // Both workers of the first step wait for 2 slices.
      { kind: 'bottleneck', rule: null, phases: '/Step/Worker', resource: '/lock', slices: 2, percent: 20 },
      { kind: 'critical-path', rule: null, phases: null, resource: '/lock', slices: 2, percent: 20 },
    ]);
  });

  test("by rules of one's own is listed under the rule's name", () => {
    expect(costsOf(analyse(createModel(readCase(makeCase(STEPS))), { issues: [own] }))).toEqual([
      { kind: 'custom', rule: 'skew', phases: '/Step/Worker', resource: '/lock', slices: 4, percent: 40 },
      { kind: 'custom', rule: 'start', phases: null, resource: null, slices: 2, percent: 20 },
    ]);
  });
});

describe('of random jobs, whatever is in focus', () => {
  const seed = fc.integer({ min: 0, max: 2 ** 31 });
  const grouping = fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    { '/host/cpu': 'machine', '/host/net': 'machine' },
    { '/host/cpu': 'all', '/host/net': 'all', '/lock/wait': 'all' },
  );

  test('components and phases each add up to the seconds, and no part is below 0', () => {
    fc.assert(
      fc.property(seed, grouping, (value, groups) => {
        const job = analysed(randomCase(value));
        for (const focus of job.model.phaseTypes.paths) {
          const { seconds, components, phases } = summarise(job, labelled(job.model, { focus, groups }));
          for (const parts of [components, phases]) {
            const sum = parts.reduce((total, part) => total + part.seconds, 0);
            expect(Math.abs(sum - seconds)).toBeLessThanOrEqual(1e-12 * Math.max(seconds, 1e-9));
            expect(Math.min(0, ...parts.map((part) => part.seconds))).toBe(0);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test('they are what the definition gives slice by slice', () => {
    fc.assert(
      fc.property(seed, grouping, (value, groups) => {
        const input = randomCase(value);
        const job = analysed(input);
        const output = outputOf(input, job);
        for (const focus of job.model.phaseTypes.paths) {
          const found = summarise(job, labelled(job.model, { focus, groups }));
          const wanted = partsByDefinition(output, { input, focus, groupOf: (type) => groups[type] ?? type });
          expect(found.count).toBe(wanted.count);
          expect(found.seconds).toBeCloseTo(wanted.seconds, 15);
          expect(byName(found.components)).toEqual(near(byName(wanted.components)));
          expect(byName(found.phases)).toEqual(near(byName(wanted.phases)));
        }
      }),
      { numRuns: 60 },
    );
  });

  /** Seconds of parts above 0. */
  function byName(parts: readonly Part[]): Record<string, number> {
    return Object.fromEntries(
      parts.filter(({ seconds }) => seconds > 1e-13).map(({ name, seconds }) => [name, seconds]),
    );
  }

  function near(parts: Record<string, number>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(parts).map(([name, seconds]) => [name, expect.closeTo(seconds, 15)]));
  }
});
