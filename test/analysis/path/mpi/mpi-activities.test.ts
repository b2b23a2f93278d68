import { describe, expect, test } from 'vitest';
import { criticalPath } from '../../../../analysis/path/graph/critical-path.ts';
import { profilePath } from '../../../../analysis/path/graph/profile-path.ts';
import { linkQueues } from '../../../../analysis/path/link-queues.ts';
import { mpiActivities } from '../../../../analysis/path/mpi/from-trace.ts';
import { type Message, madeTrace, type Span } from './made-trace.ts';

/** The path of a trace in µs, and what it says. */
function pathOf(spans: readonly Span[], messages: readonly Message[] = [], clock = (_: number, ns: number) => ns) {
  const { activities, slice, problems } = mpiActivities(madeTrace(spans, messages), { onClock: clock, links: null });
  const path = criticalPath(activities, slice);
  const { byName, byWorker } = profilePath(activities, path);
  const inMicros = (of: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(of).flatMap(([key, ns]) => (ns > 0 ? [[key, ns / 1000]] : [])));
  expect([path.broken, path.lengthNs]).toEqual([null, slice.endNs - slice.startNs]);
  return { byName: inMicros(byName), byWorker: inMicros(byWorker), hops: path.hops, problems };
}

describe('the path through recorded calls of MPI', () => {
  test('goes over to a late sender', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 100],
      [0, 'MPI_Send', 100, 101],
      [0, 'compute', 101, 130],
      [1, 'compute', 0, 20],
      [1, 'MPI_Recv', 20, 110],
      [1, 'compute', 110, 150],
    ];
    const message = { from: 0, to: 1, bytes: 8, sent: 100, done: 101, posted: 20, arrived: 110 };
    expect(pathOf(spans, [message])).toEqual({
      byName: { compute: 140, 'MPI_Recv transfer': 10 },
      byWorker: { '0': 100, '1': 40, wire: 10 },
      ...{ hops: 1, problems: [] },
    });
  });

  test('goes over to a late receiver, whom the sender of a long message waits for', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 30],
      [0, 'MPI_Send', 30, 120],
      [0, 'compute', 120, 200],
      [1, 'compute', 0, 90],
      [1, 'MPI_Recv', 90, 121],
    ];
    const message = { from: 0, to: 1, bytes: 1e5, sent: 30, done: 120, posted: 90, arrived: 121 };
    expect(pathOf(spans, [message])).toMatchObject({
      byName: { compute: 170, 'MPI_Send transfer': 30 },
      byWorker: { '0': 80, '1': 90, wire: 30 },
    });
  });

  test('stays with a receiver that let a long message wait, and passes over what had arrived', () => {
    const long: Span[] = [
      [0, 'compute', 0, 10],
      [0, 'MPI_Isend', 10, 11],
      [0, 'MPI_Wait', 11, 100],
      [1, 'compute', 0, 60],
      [1, 'MPI_Recv', 60, 101],
    ];
    const message = { from: 0, to: 1, bytes: 1e5, sent: 10, done: 100, posted: 60, arrived: 101 };
    expect(pathOf(long, [message])).toMatchObject({ byName: { compute: 60, 'MPI_Recv transfer': 41 } });
    const short: Span[] = [
      [0, 'compute', 0, 10],
      [0, 'MPI_Send', 10, 11],
      [1, 'compute', 0, 60],
      [1, 'MPI_Recv', 60, 61],
    ];
    const early = { from: 0, to: 1, bytes: 8, sent: 10, done: 11, posted: 60, arrived: 61 };
    expect(pathOf(short, [early])).toMatchObject({ byName: { compute: 60, MPI_Recv: 1 }, hops: 0 });
  });

  test('stays with a rank that reads what had long been there, however long reading takes', () => {
    // Rank 0 computes three times as long as its neighbour, whose message came 200 µs before it asked.
    const spans: Span[] = [
      [0, 'compute', 0, 300],
      [0, 'MPI_Waitall', 300, 330],
      [1, 'compute', 0, 100],
      [1, 'MPI_Isend', 100, 101],
    ];
    const message = { from: 1, to: 0, bytes: 20_000, sent: 100, done: 101, posted: 0, arrived: 330 };
    expect(pathOf(spans, [message])).toMatchObject({ byName: { compute: 300, MPI_Waitall: 30 }, hops: 0 });
    // On a link that needs 250 µs for it, it came after the rank had asked.
    const slow = { hostOf: (rank: number) => rank, queues: () => linkQueues(2, { nsPerByte: 12, burstNs: 0 }) };
    const links = { ...slow, needNs: (bytes: number) => bytes * 12, apartNs: () => 0 };
    const { activities, slice } = mpiActivities(madeTrace(spans, [message]), { onClock: (_, ns) => ns, links });
    expect(profilePath(activities, criticalPath(activities, slice)).byName).toEqual({
      'MPI_Waitall transfer': 230_000,
      compute: 100_000,
    });
  });

  test('takes of several messages the one sent last', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 40],
      [0, 'MPI_Send', 40, 41],
      [1, 'compute', 0, 70],
      [1, 'MPI_Send', 70, 71],
      [2, 'compute', 0, 10],
      [2, 'MPI_Waitall', 10, 80],
    ];
    const common = { to: 2, bytes: 8, posted: 5, arrived: 80 };
    const messages = [
      { ...common, from: 0, sent: 40, done: 41 },
      { ...common, from: 1, sent: 70, done: 71 },
    ];
    expect(pathOf(spans, messages).byWorker).toEqual({ '1': 70, wire: 10 });
  });

  test.each([
    // Rank 1 comes last: all ranks wait for it, in a Bcast only those whose root it is, in a Reduce only the root.
    ['MPI_Barrier', undefined, { compute: 90, 'MPI_Barrier transfer': 10 }],
    ['MPI_Allreduce', undefined, { compute: 90, 'MPI_Allreduce transfer': 10 }],
    ['MPI_Bcast', 1, { compute: 90, 'MPI_Bcast transfer': 10 }],
    ['MPI_Reduce', 0, { compute: 90, 'MPI_Reduce transfer': 10 }],
  ])('goes over to whom a collective call waited for: %s', (name, root, byName) => {
    const keys = { turn: 1, ...(root === undefined ? {} : { peer: root }) };
    const spans = [50, 90, 20].flatMap((enters, rank): Span[] => [
      [rank, 'compute', 0, enters],
      [rank, name, enters, name === 'MPI_Reduce' && rank !== root ? enters + 1 : 100, keys],
    ]);
    expect(pathOf(spans).byName).toEqual(byName);
  });

  test('of a collective call that goes on beside computing, begins where the last rank began it', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 10],
      [0, 'MPI_Iallreduce', 10, 11, { turn: 1 }],
      [0, 'compute', 11, 30],
      [0, 'MPI_Wait', 30, 95, { turn: 1 }],
      [1, 'compute', 0, 80],
      [1, 'MPI_Iallreduce', 80, 81, { turn: 1 }],
      [1, 'MPI_Wait', 81, 94, { turn: 1 }],
    ];
    expect(pathOf(spans)).toMatchObject({ byName: { compute: 80, 'MPI_Wait transfer': 15 } });
  });

  test('counts what a rank lacked a processor for apart, and files and locks by themselves', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 50, { queued: 20 }],
      [0, 'MPI_File_write', 50, 80],
      [0, 'MPI_Win_lock', 80, 100, { peer: 1 }],
    ];
    expect(pathOf(spans).byName).toEqual({ compute: 30, 'compute idle': 20, MPI_File_write: 30, MPI_Win_lock: 20 });
  });

  test('is of the program alone: from MPI_Init to MPI_Finalize', () => {
    const spans = [30, 70].flatMap((ends, rank): Span[] => [
      [rank, 'compute', 0, 5],
      [rank, 'MPI_Init', 5, 20],
      [rank, 'compute', 20, ends],
      [rank, 'MPI_Finalize', ends, 90],
    ]);
    expect(pathOf(spans)).toMatchObject({ byName: { compute: 50 }, byWorker: { '1': 50 } });
  });

  test('names messages that arrive before they were sent, and ends without another', () => {
    const spans: Span[] = [
      [0, 'compute', 0, 100],
      [0, 'MPI_Send', 100, 101],
      [1, 'compute', 0, 90],
      [1, 'MPI_Recv', 90, 110],
    ];
    const message = { from: 0, to: 1, bytes: 8, sent: 100, done: 101, posted: 90, arrived: 110 };
    const late = (rank: number, ns: number): number => (rank === 0 ? ns + 50_000 : ns);
    expect(pathOf(spans, [message], late).problems).toEqual([{ kind: 'negative transfer', count: 1, lines: [2] }]);
  });
});
