import { expect, test } from 'vitest';
import { processorTimes } from '../../../../analysis/path/mpi/processor-time.ts';
import type { Counter } from '../../../../experiments/store/read-traces.ts';
import { madeTrace } from './made-trace.ts';

// Rank 0 computes for half of 400 µs and looks whether something came for 1 % of 800 µs; rank 1 has a whole core.
const trace = madeTrace([
  [0, 'compute', 0, 200],
  [0, 'MPI_Wait', 200, 1000],
  [0, 'compute', 1000, 1200],
  [1, 'compute', 0, 1200],
]);
const timesNs = Float64Array.from({ length: 13 }, (_, sample) => sample * 1e5);
const usedUs = (us: number): number =>
  Math.min(us, 200) / 2 + (Math.min(Math.max(us - 200, 0), 800) * 1) / 100 + Math.max(us - 1000, 0) / 2;
const counters: readonly Counter[] = [
  {
    ...{ host: 'a', metric: 'rank.cpu_ns', worker: 0, timesNs },
    values: timesNs.map((ns) => 7e6 + 1000 * usedUs(ns / 1000)),
  },
  { host: 'a', metric: 'cpu.share_mcores', worker: null, timesNs: timesNs.subarray(0, 1), values: Float64Array.of(60) },
  { host: 'b', metric: 'rank.cpu_ns', worker: 1, timesNs, values: timesNs.slice() },
  {
    host: 'b',
    metric: 'cpu.capacity_mcores',
    worker: null,
    timesNs: timesNs.subarray(0, 1),
    values: Float64Array.of(1000),
  },
];

test('a rank needs its processor time without what looking for messages took, of its share of a core', () => {
  const hosts = ['a', 'b', 'c'];
  const times = processorTimes(
    { ...trace, counters },
    { slice: { startNs: 0, endNs: 12e5 }, hosts, onClock: (_, ns) => ns },
  );
  expect(times[0]?.needNs).toBeCloseTo(200e3, 3);
  expect(times).toMatchObject([{ share: 0.06 }, null, null]);
  const part = processorTimes(
    { ...trace, counters },
    { slice: { startNs: 1e5, endNs: 11e5 }, hosts, onClock: (_, ns) => ns },
  );
  expect(part[0]?.needNs).toBeCloseTo(100e3, 3);
});
