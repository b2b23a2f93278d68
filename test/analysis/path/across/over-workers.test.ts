import { expect, test } from 'vitest';
import { overWorkers } from '../../../../analysis/path/across/over-workers.ts';

const trace = (workers: number, lengthNs: number, byOperator: Record<string, number>) => ({
  workers,
  lengthNs,
  byOperator,
});

test('worked by hand: means of the traces of each worker count, shares of their paths, and what grows', () => {
  const { counts, keys, findings } = overWorkers([
    trace(4, 0.7e9, { work: 0.2e9, exchange: 0.5e9 }),
    trace(1, 1e9, { work: 1e9 }),
    trace(4, 0.9e9, { work: 0.4e9, exchange: 0.5e9 }),
    trace(2, 0.6e9, { work: 0.5e9, exchange: 0.1e9 }),
  ]);
  expect(counts.map(({ workers, traces, lengthNs }) => [workers, traces, lengthNs / 1e9])).toEqual([
    [1, 1, 1],
    [2, 1, expect.closeTo(0.6, 9)],
    [4, 2, expect.closeTo(0.8, 9)],
  ]);
  const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 6));
  expect(keys).toEqual([
    { key: 'work', ns: near([1e9, 0.5e9, 0.3e9]), percent: near([100, 500 / 6, 37.5]), grows: false },
    { key: 'exchange', ns: near([0, 0.1e9, 0.5e9]), percent: near([0, 100 / 6, 62.5]), grows: true },
  ]);
  expect(findings.map(({ sentence }) => sentence).join(' ')).toMatch(/2 workers/);
});

test('of one worker count nothing grows, and nothing is found', () => {
  const { keys, findings } = overWorkers([trace(2, 1e9, { work: 1e9 }), trace(2, 2e9, { work: 2e9 })]);
  expect([keys.map(({ grows }) => grows), findings]).toEqual([[null], []]);
});
