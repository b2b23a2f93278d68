import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linkQueues } from '../../../analysis/path/link-queues.ts';
import { mpiActivities } from '../../../analysis/path/mpi/from-trace.ts';
import type { RunGraph } from '../../../analysis/path/run-graph.ts';
import { whatIf } from '../../../analysis/path/what-if.ts';
import { madeTrace } from './mpi/made-trace.ts';

/** A link of 1 byte per 8 ns, 1 Gbit/s; a frame of 1448 bytes of a message takes 66 more on it. */
const NS_PER_BYTE = 8;
const needUs = (bytes: number): number => ((66 + 40 + bytes * (1 + 66 / 1448)) * NS_PER_BYTE) / 1000;
const [LARGE, SMALL] = [50_000, 8];

// Rank 0 computes 1000 µs and sends; rank 1 has the message after 600 µs, computes 1000 µs and answers within 100 µs.
const trace = madeTrace(
  [
    [0, 'compute', 0, 1000],
    [0, 'MPI_Isend', 1000, 1001],
    [0, 'compute', 1001, 2000],
    [0, 'MPI_Recv', 2000, 2700],
    [1, 'compute', 0, 500],
    [1, 'MPI_Recv', 500, 1600],
    [1, 'compute', 1600, 2600],
    [1, 'MPI_Isend', 2600, 2601],
  ],
  [
    { from: 0, to: 1, bytes: LARGE, sent: 1000, done: 1001, posted: 500, arrived: 1600 },
    { from: 1, to: 0, bytes: SMALL, sent: 2600, done: 2601, posted: 2000, arrived: 2700 },
  ],
);
const found = mpiActivities(trace, {
  onClock: (_, ns) => ns,
  links: {
    hostOf: (rank) => rank,
    queues: () => linkQueues(2, { nsPerByte: NS_PER_BYTE, burstNs: 0 }),
    needNs: (bytes) => bytes * NS_PER_BYTE,
    apartNs: () => 0,
  },
});

/** In µs. */
function lengthIf(...changes: readonly (readonly [key: string, factor: number])[]): number {
  return lengthOf(found, changes);
}

function lengthOf(run: RunGraph, changes: readonly (readonly [key: string, factor: number])[]): number {
  const hostOf = (rank: number): string => `node0${rank + 1}`;
  const linkOf = (slower: number) => ({ nsPerByte: NS_PER_BYTE * slower, burstNs: 0 });
  const asked = changes.map(([key, factor]) => ({ key, factor }));
  return (whatIf([run], { changes: asked, hostOf, linkOf })[0] ?? 0) / 1000;
}

describe('what a recorded run would take', () => {
  test('without a change is what it took', () => {
    expect(lengthIf()).toBe(2700);
    for (const key of ['link', 'latency', 'transfer', 'idle', 'compute', 'node01', 'rank 1'])
      expect(lengthIf([key, 1])).toBeCloseTo(2700, 6);
  });

  test('with another link: what the short message takes beyond it is latency, and of the long one too', () => {
    const latency = 100 - needUs(SMALL);
    for (const factor of [0.1, 0.5, 2]) {
      const [long, short] = [(600 - latency) * factor + latency, needUs(SMALL) * factor + latency];
      expect(lengthIf(['link', factor])).toBeCloseTo(1000 + long + 1000 + short, 3);
    }
    expect(lengthIf(['latency', 0.5])).toBeCloseTo(2700 - latency, 3);
  });

  test('with a call, a part, a host or a rank that lasts longer', () => {
    expect(lengthIf(['compute', 0.5])).toBeCloseTo(500 + 600 + 500 + 100, 3);
    expect(lengthIf(['MPI_Recv transfer', 2])).toBeCloseTo(1000 + 1200 + 1000 + 200, 3);
    // Rank 1 hands its answer over in 1 µs.
    expect(lengthIf(['transfer', 0])).toBeCloseTo(2001, 3);
    // Both ends handle messages: what these take beyond links goes with either host.
    const beyond = 600 - needUs(LARGE) + 100 - needUs(SMALL);
    expect(lengthIf(['node01', 1.5])).toBeCloseTo(1500 + 600 + 1000 + 100 + beyond / 2, 2);
    expect(lengthIf(['rank 1', 0.5])).toBeCloseTo(1000 + 600 + 500 + 100 - beyond / 2, 2);
    // Rank 0 comes to its second wait after both have answered.
    expect(lengthIf(['rank 1', 0], ['transfer', 0])).toBeCloseTo(2000, 3);
  });

  test('is never less than ranks need of their share of a core', () => {
    const run: RunGraph = { ...found, processors: [{ needNs: 1.2e6, share: 0.5 }, null] };
    expect(lengthOf(run, [])).toBe(2700);
    expect(lengthOf(run, [['transfer', 0]])).toBe(2400);
    expect(
      lengthOf(run, [
        ['transfer', 0],
        ['idle', 0],
      ]),
    ).toBeCloseTo(2001, 3);
    // Rank 0 computes 2000 of the 2001 µs.
    expect(
      lengthOf(run, [
        ['transfer', 0],
        ['compute', 0.9],
      ]),
    ).toBeCloseTo(2 * (1200 - 0.1 * 1999), 3);
    expect(
      lengthOf(run, [
        ['transfer', 0],
        ['node01', 0.9],
      ]),
    ).toBeCloseTo(2160, 3);
  });

  test('is never more for less', () => {
    const key = fc.constantFrom('link', 'latency', 'transfer', 'compute', 'MPI_Isend', 'node01', 'rank 1');
    const factor = fc.double({ min: 0, max: 4, noNaN: true });
    fc.assert(
      fc.property(key, factor, factor, (changed, a, b) => {
        expect(lengthIf([changed, Math.min(a, b)])).toBeLessThanOrEqual(lengthIf([changed, Math.max(a, b)]) + 1e-6);
      }),
    );
  });

  test('is refused for what the run has not, with what it has', () => {
    expect(() => lengthIf(['node07', 2])).toThrow(/the run has no 'node07': name one of .*link, latency, .*node01/);
  });
});
