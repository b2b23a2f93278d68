import { expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { cellModel } from '../../../../analysis/sources/runs/cell-model.ts';
import { blockedSlices, cpu, type Event, makeRecord, makeTrace } from './make-run.ts';
import { usedBy } from './model-rows.ts';

const platform = await loadPlatform('graph500');
const options = { platform, lineRateBps: 200e6, cores: 2 };

const idle = ['a', 'b'].map((host) =>
  cpu(host, [
    [0, 0],
    [200, 0],
  ]),
);
const slices = (from: number, end: number): number[] => Array.from({ length: end - from }, (_, at) => from + at);

/** Two searches of one level; rank 0 waits for rank 1, which never waits. */
const events: readonly Event[] = [0, 1].flatMap((search): Event[] => {
  const start = 100 * search;
  return [
    [0, 'fold', start, start + 20, search, 0],
    [0, 'synchronise', start + 20, start + 50, search, 0],
    [1, 'fold', start, start + 50, search, 0],
  ];
});

test('a rank is blocked while it synchronises, over all searches, and only then', () => {
  const { model } = cellModel(makeRecord(), makeTrace(events, idle), options);
  const waits = model.metrics.filter((metric) => metric.class === 'blocking');
  expect(waits.map(({ path }) => path)).toEqual(['/rank[rank=0]/message-wait']);
  expect(blockedSlices(model, '/rank[rank=0]/message-wait')).toEqual([...slices(20, 50), ...slices(120, 150)]);
});

test('each rank waits on its own', () => {
  const both = makeTrace([...events, [1, 'synchronise', 150, 160, 1, 1]], idle);
  const { model } = cellModel(makeRecord(), both, options);
  expect(blockedSlices(model, '/rank[rank=1]/message-wait')).toEqual(slices(150, 160));
  const leaf = (rank: number, level: number): string =>
    `/Search[root=1]/Bfs/Level[level=${level}]/RankLevel[rank=${rank}]/Synchronise`;
  expect(usedBy(model, leaf(0, 0))).toEqual(['/host[host=a]/cpu', '/rank[rank=0]/message-wait']);
  expect(usedBy(model, leaf(1, 1))).toEqual(['/host[host=b]/cpu', '/rank[rank=1]/message-wait']);
});

test('where sleep was measured, a rank waited that long at the end of its exchanges, and never longer than they last', () => {
  const measured: readonly Event[] = [
    [0, 'expand', 0, 20, 0, 0, 5],
    [0, 'compute', 20, 40, 0, 0, 15],
    [0, 'fold', 40, 60, 0, 0, 0],
    [0, 'synchronise', 60, 100, 0, 0, 50],
    [1, 'fold', 0, 100, 0, 0, 100],
  ];
  const { model } = cellModel(makeRecord(), makeTrace(measured, idle), options);
  // Sleep while computing is no wait for messages.
  expect(blockedSlices(model, '/rank[rank=0]/message-wait')).toEqual([...slices(15, 20), ...slices(60, 100)]);
  expect(blockedSlices(model, '/rank[rank=1]/message-wait')).toEqual(slices(0, 100));
});
