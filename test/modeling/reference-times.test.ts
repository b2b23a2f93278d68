import { describe, expect, it } from 'vitest';
import type { CellRecord } from '../../experiments/records.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { effectsOfReference } from '../../modeling/questions/steady.ts';
import { goodRecord, nth } from '../experiments/make.ts';
import { cellsOf } from './made-visits.ts';

const CELL = nth(cellsOf(parseSweep({ nodes: '2', scales: '12', bw: '100' })), 0);

/** Four settings of a bandwidth, each visited so often; hosts are slower or faster by 8 %, times follow by `slope` and scatter by 5 %. */
function visitsOf(seed: number, { bw, slope, visits = 4 }: { bw: number; slope: number; visits?: number }) {
  const random = createRandom(seed);
  return [2, 4, 8, 16].flatMap((nodes) =>
    Array.from({ length: visits }, (_, index): CellRecord => {
      const slower = 0.08 * random.normal();
      const seconds = Math.exp(slope * slower + 0.05 * random.normal()) / nodes;
      const cell = { ...CELL, nodes, bw, rep: index + 1 };
      return { ...goodRecord(cell, [seconds]), summary: { reference_time: 0.1 * Math.exp(slower) } };
    }),
  );
}
const settingOf = ({ cell }: CellRecord): string => `${cell.nodes} ${cell.bw}`;
const squares = (values: readonly number[]): number => values.reduce((total, value) => total + value ** 2, 0);

describe('what equal work took beside the runs', () => {
  it('explains as much of them as follows it, at each bandwidth by itself', () => {
    const [full, low] = [visitsOf(1, { bw: 100, slope: 1 }), visitsOf(3, { bw: 10, slope: 0 })];
    const effects = effectsOfReference([...full, ...low], settingOf);
    expect([full.filter((record) => effects.has(record)).length, low.some((record) => effects.has(record))]).toEqual([
      16,
      false,
    ]);
    // 0.08 by the slope and 0.05 beside it: of the squares a quarter is left.
    const centred = (values: number[]): number[] => {
      const mean = values.reduce((total, value) => total + value, 0) / values.length;
      return values.map((value) => value - mean);
    };
    const left = [2, 4, 8, 16].map((nodes) => {
      const visits = full.filter(({ cell }) => cell.nodes === nodes);
      const times = visits.map(({ runs }) => Math.log(runs[0]?.ct ?? Number.NaN));
      const evened = times.map((time, index) => time - (effects.get(visits[index] as CellRecord) ?? Number.NaN));
      return [squares(centred(evened)), squares(centred(times))] as const;
    });
    const share = left.reduce((total, [now]) => total + now, 0) / left.reduce((total, [, then]) => total + then, 0);
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
  });

  it('is rarely used where times do not follow it, and never where few visits can tell', () => {
    const used = (visits: number) => (seed: number) =>
      effectsOfReference(visitsOf(seed, { bw: 100, slope: 0, visits }), settingOf).size > 0;
    const seeds = Array.from({ length: 200 }, (_, seed) => seed);
    expect(seeds.filter(used(4)).length).toBeLessThan(20);
    expect(seeds.filter(used(2)).length + seeds.filter(used(1)).length).toBe(0);
  });

  it('is looked for in runs that have it alone', () => {
    const bare = visitsOf(1, { bw: 100, slope: 1 }).map((record) => ({ ...record, summary: {} }));
    expect(effectsOfReference(bare, settingOf).size).toBe(0);
  });
});
