import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Analysis, drillDown, isLeaf, phasePath } from '../../../analysis/index.ts';
import { analysed } from '../export/analysed.ts';
import { blocking, consumable, full, makeCase, variable, type Written } from '../make-case.ts';
import { randomCase } from '../random-case.ts';

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

test('in random jobs it goes from parent to child until only leaves would follow, and never ends in a leaf', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
      const analysis = analysed(randomCase(seed));
      const { phases, phaseTypes } = analysis.model;
      for (let type = 0; type < phaseTypes.count; type += 1) {
        const rows = drillDown(analysis, type);
        const composites = Array.from(phases.type.entries()).filter(([row, own]) => own === type && !isLeaf(phases, row));
        if (rows.length > 0) expect(phases.type[rows[0] ?? -1]).toBe(type);
        else expect(composites.length).toBeLessThan(Array.from(phases.type).filter((own) => own === type).length || 1);
        for (const [index, row] of rows.entries()) {
          expect(isLeaf(phases, row)).toBe(false);
          if (index > 0) expect(phases.parent[row]).toBe(rows[index - 1]);
        }
      }
    }),
    { numRuns: 100 },
  );
});
