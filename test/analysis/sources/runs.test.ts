import { describe, expect, test } from 'vitest';
import { analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { phasePath } from '../../../analysis/grade10/model/phases.ts';
import { loadPlatform } from '../../../analysis/platform/load-platform.ts';
import { cellModel } from '../../../analysis/sources/runs/cell-model.ts';
import { summarise } from '../../../analysis/sources/runs/summarise.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import { makeTrace, NO_MESSAGES } from './runs/make-run.ts';

const MS = 1e6;

/** Two hosts, one search of two levels; rank 1 folds 20 ms longer than rank 0, which waits for it. */
function trace(shiftNs = 0): CellTrace {
  const rows: [rank: number, root: number, level: number, phase: string, from: number, to: number][] = [];
  for (const rank of [0, 1]) {
    rows.push([rank, -1, -1, 'construct', 0, 50]);
    rows.push([rank, 0, -1, 'bfs', 100, 200]);
    for (const level of [0, 1]) {
      const begin = 100 + 50 * level;
      const folded = begin + (rank === 0 ? 25 : 45);
      rows.push([rank, 0, level, 'expand', begin, begin + 5]);
      rows.push([rank, 0, level, 'compute', begin + 5, begin + 15]);
      rows.push([rank, 0, level, 'fold', begin + 15, folded]);
      rows.push([rank, 0, level, 'synchronise', folded, begin + 50]);
    }
  }
  const at = (rank: number, ms: number): number => ms * MS + (rank === 1 ? shiftNs : 0);
  const times = [-50, 50, 100, 150, 200, 260];
  const counter = (host: string, metric: string, values: readonly number[]): CellTrace['counters'][number] => ({
    host,
    metric,
    worker: null,
    timesNs: Float64Array.from(times, (ms) => at(host === 'b' ? 1 : 0, ms)),
    values: Float64Array.from(values),
  });
  return {
    spans: {
      bytesSent: new Float64Array(rows.length).fill(Number.NaN),
      worker: Int32Array.from(rows, ([rank]) => rank),
      keys: {
        root: Float64Array.from(rows, ([, root]) => (root < 0 ? Number.NaN : root)),
        level: Float64Array.from(rows, ([, , level]) => (level < 0 ? Number.NaN : level)),
      },
      phase: rows.map(([, , , phase]) => phase),
      startNs: Float64Array.from(rows, ([rank, , , , from]) => at(rank, from)),
      endNs: Float64Array.from(rows, ([rank, , , , , to]) => at(rank, to)),
      asleepNs: new Float64Array(rows.length).fill(Number.NaN),
      queuedNs: new Float64Array(rows.length).fill(Number.NaN),
    },
    messages: NO_MESSAGES,
    counters: ['a', 'b'].flatMap((host) => [
      counter(
        host,
        'cpu.busy_ns',
        [0, 20, 20, 30, 40, 40].map((ms) => ms * MS),
      ),
      counter(host, 'cpu.capacity_mcores', [500, 500, 500, 500, 500, 500]),
      counter(host, 'net.tx_bytes', [0, 0, 0, 125_000, 250_000, 250_000]),
      counter(host, 'net.rx_bytes', [0, 0, 0, 1000, 2000, 2000]),
    ]),
  };
}

function record(offsetNs = 0, errorNs = 1000): CellRecord {
  return {
    cell: {
      id: '0123456789abcdef',
      workload: 'graph500',
      nodes: 2,
      ranks: 2,
      scale: 20,
      bw: 10,
      rep: 1,
      role: 'measure',
      roots: 1,
    },
    hosts: ['a', 'b'],
    marks: [],
    clocks: [
      { host: 'a', offsetNs: 0, errorNs: 1000 },
      { host: 'b', offsetNs, errorNs },
    ],
  } as unknown as CellRecord;
}

// 10 % of 200 Mbit/s is 2.5 MB/s, 125 kB in 50 ms: the interface out is full during the search.
const platform = await loadPlatform('graph500');
const options = { platform, lineRateBps: 200e6, cores: 2 };

describe('a measured run becomes a model', () => {
  test('searches, levels and ranks span what lies within them', () => {
    const { model } = cellModel(record(), trace(), options);
    const { phases, phaseTypes, sliceCount } = model;
    const paths = Array.from({ length: phases.count }, (_, row) => phasePath(phases, phaseTypes, row));
    expect(sliceCount).toBe(200);
    const level = paths.indexOf('/Search[root=0]/Bfs/Level[level=1]');
    expect([phases.first[level], phases.length[level]]).toEqual([150, 50]);
    const fold = paths.indexOf('/Search[root=0]/Bfs/Level[level=0]/RankLevel[rank=1]/Fold');
    expect([phases.first[fold], phases.length[fold]]).toEqual([115, 30]);
  });

  test('capacities are the quota and what the throttle allowed', () => {
    const { model } = cellModel(record(), trace(), options);
    const capacity = (path: string) =>
      model.metrics.flatMap((metric) => (metric.path === path && metric.class === 'consumable' ? metric.capacity : []));
    expect(capacity('/host[host=a]/cpu')).toEqual([0.5]);
    expect(capacity('/host[host=b]/network/bytes-out')).toEqual([2.5e6]);
  });

  test('what held the search up comes out: the full link, and the rank that folds longer', () => {
    const { model } = cellModel(record(), trace(), options);
    const { focus, count, seconds, phases: parts, costs } = summarise(analyse(model), platform);
    expect({ focus, count }).toEqual({ focus: '/Search/Bfs', count: 1 });
    expect(seconds).toBeCloseTo(0.1, 9);
    // Rank 0 folds for 2 * 10 ms, rank 1 for 2 * 30 ms, always one of two leaves.
    expect(parts.find(({ name }) => name.endsWith('Fold'))?.seconds).toBeCloseTo((0.02 + 0.06) / 2, 9);
    const imbalance = costs.find(({ kind, phases }) => kind === 'imbalance' && phases?.endsWith('Fold'));
    // Per level 30 ms against a mean of 20 ms.
    expect(imbalance?.seconds).toBeCloseTo(0.02, 9);
    const link = costs.find(({ kind, resource }) => kind === 'critical-path' && resource === '/host/network/bytes-out');
    expect(link?.percent).toBeGreaterThan(20);
    expect(
      costs.find(({ kind, resource }) => kind === 'critical-path' && resource === '/host/network/bytes-in'),
    ).toBeUndefined();
  });

  test('a clock that is off is set right, and said; one within its error bound is left alone', () => {
    const shifted = cellModel(record(30 * MS), trace(30 * MS), options);
    expect(shifted.warnings.join(' ')).toMatch(/clocks of b differ .* by more than a slice/);
    const { model } = cellModel(record(), trace(), options);
    expect(summarise(analyse(shifted.model), platform)).toEqual(summarise(analyse(model), platform));
    expect(cellModel(record(0.5 * MS, MS), trace(), options).warnings).toEqual([]);
  });

  test('a run without phases is refused', () => {
    const empty = makeTrace([]);
    expect(() => cellModel(record(), empty, options)).toThrow(/has no phases/);
  });
});
