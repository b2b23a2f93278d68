import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Analysis } from '../../../analysis/grade10/analyse-phases.ts';
import { isLeaf, phasePath } from '../../../analysis/grade10/model/phases.ts';
import { drillDown } from '../../../analysis/pictures/bottleneck-report.ts';
import type { Case } from '../../cases/grade10/case-records.ts';
import { type CaseOutput, outputOf } from '../case-output.ts';
import { analysed } from '../export/analysed.ts';
import { blocking, consumable, full, makeCase, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';
import { unpacked } from '../sources/runs/by-definition.ts';

/** Three searches of 2, 10 and 4 slices; in the last one worker 1 has the processor full and worker 0 waits. */
const SEARCHES: Written = {
  execution_spec: {
    name: '',
    children: [
      {
        name: 'Search',
        repeat: 'sequential',
        key: 'root',
        children: [
          {
            name: 'Worker',
            repeat: 'concurrent',
            key: 'w',
            children: [{ name: 'Compute', children: [{ name: 'Fold' }] }, { name: 'Wait' }],
          },
        ],
      },
    ],
  },
  resource_spec: {
    name: '',
    children: [
      {
        name: 'host',
        repeat: 'many',
        key: 'id',
        metrics: [
          { name: 'cpu', class: 'consumable' },
          { name: 'lock', class: 'blocking' },
        ],
      },
    ],
  },
  rules: [variable('/Search/Worker/Compute/Fold', '/host/cpu'), full('/Search/Worker/Wait', '/host/lock')],
  slices: {
    '/': [0, 16],
    '/Search[root=0]': [0, 2],
    '/Search[root=0]/Worker[w=0]': [0, 2],
    '/Search[root=1]': [2, 12],
    '/Search[root=1]/Worker[w=0]': [2, 12],
    '/Search[root=2]': [12, 16],
    '/Search[root=2]/Worker[w=0]': [12, 16],
    '/Search[root=2]/Worker[w=0]/Wait': [12, 16],
    '/Search[root=2]/Worker[w=1]': [12, 16],
    '/Search[root=2]/Worker[w=1]/Compute': [12, 15],
    '/Search[root=2]/Worker[w=1]/Compute/Fold': [12, 15],
    '/Search[root=2]/Worker[w=1]/Wait': [15, 16],
  },
  metrics: [
    consumable('/host[id=1]/cpu', { capacity: 1, bounds: [0, 12, 13, 16], rates: [0, 1, 0] }),
    blocking('/host[id=0]/lock', [0, 16]),
  ],
  mapping: [
    { phase: '/Search[root=2]/Worker[w=0]', resources: ['/host[id=0]'] },
    { phase: '/Search[root=2]/Worker[w=1]', resources: ['/host[id=1]'] },
  ],
};

function pathsOf(analysis: Analysis, type: string): string[] {
  const { phases, phaseTypes } = analysis.model;
  const rows = drillDown(analysis, phaseTypes.indexOf.get(type) ?? -1);
  return rows.map((row) => phasePath(phases, phaseTypes, row));
}

describe('the way down to where time is lost', () => {
  const analysis = analysed(makeCase(SEARCHES));

  test('starts at the phase of median length and follows what consumable resources hold up most, not waiting', () => {
    expect(pathsOf(analysis, '/Search')).toEqual([
      '/Search[root=2]',
      '/Search[root=2]/Worker[w=1]',
      '/Search[root=2]/Worker[w=1]/Compute',
    ]);
  });

  test('from the root starts at the root', () => {
    expect(pathsOf(analysis, '/')[0]).toBe('/');
    expect(pathsOf(analysis, '/').slice(1)).toEqual(pathsOf(analysis, '/Search'));
  });

  test('of a type of leaves, or of one that no phase has, is empty', () => {
    expect(pathsOf(analysis, '/Search/Worker/Wait')).toEqual([]);
    expect(pathsOf(analysed(makeCase({ ...SEARCHES, slices: { '/': [0, 16] }, mapping: [] })), '/Search')).toEqual([]);
  });
});

describe('in random jobs', () => {
  test('goes from parent to child, each time to one that loses most, until that is a leaf', () => {
    let steps = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
        const input = randomCase(seed);
        const analysis = analysed(input);
        const { phases, phaseTypes } = analysis.model;
        const lost = lostSlices(outputOf(input, analysis));
        const most = (rows: readonly number[]): number => Math.max(...rows.map((row) => lost(pathAt(input, row))));
        for (let type = 0; type < phaseTypes.count; type += 1) {
          const rows = drillDown(analysis, type);
          for (const [index, row] of rows.entries()) {
            expect(isLeaf(phases, row)).toBe(false);
            const children = (phases.groups[row] ?? []).flatMap((group) => [...group.phases]);
            const next = rows[index + 1];
            steps += 1;
            if (next === undefined) {
              const worst = children.filter((child) => lost(pathAt(input, child)) === most(children));
              expect(worst.some((child) => isLeaf(phases, child))).toBe(true);
            } else {
              expect(children).toContain(next);
              expect(lost(pathAt(input, next))).toBe(most(children));
            }
          }
        }
      }),
      { numRuns: 100 },
    );
    expect(steps).toBeGreaterThan(0);
  });

  test('starts at a phase of the type that half of the others are no shorter than, unless that is a leaf', () => {
    let starts = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
        const analysis = analysed(randomCase(seed));
        const { phases, phaseTypes } = analysis.model;
        for (let type = 0; type < phaseTypes.count; type += 1) {
          const own = Array.from(phases.type.keys()).filter((row) => phases.type[row] === type);
          const [start] = drillDown(analysis, type);
          if (start === undefined) {
            expect(own.length === 0 || own.some((row) => isLeaf(phases, row))).toBe(true);
          } else {
            expect(own).toContain(start);
            starts += 1;
            const shorter = own.filter((row) => (phases.length[row] ?? 0) < (phases.length[start] ?? 0));
            const longer = own.filter((row) => (phases.length[row] ?? 0) > (phases.length[start] ?? 0));
            expect(Math.max(shorter.length, longer.length)).toBeLessThanOrEqual(own.length / 2);
          }
        }
      }),
      { numRuns: 100 },
    );
    expect(starts).toBeGreaterThan(0);
  });
});

/** Each case's rows are the model's. */
function pathAt(input: Case, row: number): string {
  return input.phases[row]?.path ?? '';
}

/** Slices of leaves on or below a path that consumable metric types hold up. */
function lostSlices({ leaf_bottlenecks: leaves }: CaseOutput): (path: string) => number {
  const slices = Object.entries(leaves).map(([leaf, types]) => {
    const held = Object.entries(types).filter(([type]) => type.startsWith('/host/'));
    return { leaf, lost: held.reduce((sum, [, runs]) => sum + unpacked(runs).replaceAll('N', '').length, 0) };
  });
  return (path) =>
    slices
      .filter(({ leaf }) => leaf === path || leaf.startsWith(path.replace(/\/?$/, '/')))
      .reduce((sum, { lost }) => sum + lost, 0);
}
