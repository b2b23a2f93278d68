import { describe, expect, test } from 'vitest';
import type { Cell, CellRecord } from '../../experiments/index.ts';
import { parseSweep } from '../../experiments/index.ts';
import { compareCampaigns } from '../../modeling/index.ts';
import { gateOf } from '../../modeling/judge/gate.ts';
import { cellsOf, visitsTo, workload } from './made-visits.ts';

const LIMIT = 5;
const calm = { drift: () => 0, scatter: 0.05 };

/** Campaigns of so many cells, each visited three times with a scatter of 5 %. */
function made(nodes: string, bw: string) {
  const sweep = parseSweep({ nodes, scales: '12', bw, reps: '3', roots: '3' });
  const cells = cellsOf(sweep);
  const campaign = {
    ...{ schema: 2 as const, name: 'made', createdAt: '2024-05-01T00:00:00.000Z', sweep, addedSweeps: [], cells },
    workload: workload.definition,
    inventory: {
      ...{ cluster: 'made', hosts: [], lineRateBps: 1e9, ranksPerNode: 1 },
      launcher: 'openmpi' as const,
    },
  };
  const told = (dir: string, seed: number, factor: (cell: Cell) => number = () => 1) => {
    const records = visitsTo(cells, { ...calm, seed }).map(
      (record): CellRecord => ({
        ...record,
        runs: record.runs.map((run) => ({ ...run, ct: run.ct * factor(record.cell) })),
      }),
    );
    return { dir, campaign, records };
  };
  return (seed: number, factor?: (cell: Cell) => number) => {
    const asked = { level: 0.9, limitPercent: LIMIT };
    const { gate } = compareCampaigns(told('after', 2 * seed + 1, factor), told('before', 2 * seed + 2), asked);
    if (gate === null) throw new Error('no gate');
    return gate;
  };
}

const isSlow = ({ mean, above }: ReturnType<ReturnType<typeof made>>): boolean => mean.slower || above.length > 0;

describe.each([
  ['12 cells', '2,4,8', '10,20,50,100'],
  ['48 cells', '1,2,4,8,16,32', '10,15,20,25,30,40,50,100'],
])('a gate of 5 %% between campaigns of %s', (_, nodes, bw) => {
  const gate = made(nodes, bw);

  test('has at most one false alarm of twenty where the program takes just what is allowed', () => {
    const alarms = Array.from({ length: 200 }, (__, seed) => isSlow(gate(seed, () => 1 + LIMIT / 100)));
    expect(alarms.filter(Boolean).length).toBeLessThanOrEqual(15);
    const none = Array.from({ length: 200 }, (__, seed) => isSlow(gate(seed)));
    expect(none.filter(Boolean).length).toBeLessThanOrEqual(2);
  });

  test('finds the slowdown of all that it says it can see, and none of less', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { mean, seesPercent } = gate(seed);
      // The ratio that was measured by chance is part of what is planted.
      const planted = (percent: number) => gate(seed, () => (1 + percent / 100) / mean.value);
      expect(planted(seesPercent + 0.1).mean.slower).toBe(true);
      expect(planted(seesPercent - 0.1).mean.slower).toBe(false);
    }
  });

  test('finds one cell that is twice as slow', () => {
    const found = Array.from({ length: 20 }, (__, seed) =>
      gate(seed, (cell) => (cell.nodes === 2 && cell.bw === 20 ? 2 : 1)),
    );
    for (const { above } of found) expect(above.map((cell) => [cell.nodes, cell.bw])).toEqual([[2, 20]]);
  });
});

test('nothing is said where a cell does not tell how it scatters, or there is none', () => {
  const known = { variance: 1e-4, freedom: 4 };
  expect(
    gateOf(
      [
        { place: 1, log: 1, known },
        { place: 2, log: 1, known: null },
      ],
      LIMIT,
    ),
  ).toBeNull();
  expect(gateOf([], LIMIT)).toBeNull();
  expect(gateOf([{ place: 1, log: 1, known }], LIMIT)?.above).toEqual([1]);
});
