import { describe, expect, test } from 'vitest';
import { linkQueues } from '../../../../analysis/path/link-queues.ts';
import { findCauses } from '../../../../analysis/path/mpi/find-causes.ts';
import { mpiActivities } from '../../../../analysis/path/mpi/from-trace.ts';
import { rankPath } from '../../../../analysis/path/run-graph.ts';
import { searchSummary } from '../../../../analysis/path/run-paths.ts';
import { mulberry32 } from '../../../../base/lists.ts';
import { type Message, madeTrace, type Span } from './made-trace.ts';

const [RANKS, STEPS] = [9, 20];
/** A link of 1 byte per 8 ns, 1 Gbit/s. */
const NS_PER_BYTE = 8;

interface Program {
  /** µs of computing, and of that without a processor. */
  readonly computes?: (rank: number, step: number) => readonly [wall: number, idle: number];
  /** µs that rank 0 computes alone before a Bcast. */
  readonly alone?: number;
  /** Bytes to the next rank, and µs of the message on its way. */
  readonly halo?: (from: number, to: number) => readonly [bytes: number, us: number];
  /** Messages one after another. */
  readonly rounds?: number;
}

/** Ranks on a host each compute, send to the next one, and add up; ends are computed as MPI would let them end. */
function run({ computes = () => [1000, 0], alone = 0, halo = () => [8, 20], rounds = 1 }: Program) {
  const random = mulberry32(7);
  const [spans, messages]: [Span[], Message[]] = [[], []];
  const clock = new Float64Array(RANKS);
  let turn = 0;
  const meet = (name: string, ready: (rank: number) => number): void => {
    turn += 1;
    const all = Math.max(...Array.from(clock, (_, rank) => ready(rank))) + 10;
    for (let rank = 0; rank < RANKS; rank += 1) {
      const keys = { turn, ...(name === 'MPI_Bcast' ? { peer: 0 } : {}) };
      spans.push([rank, name, clock[rank] ?? 0, all, keys]);
      clock[rank] = all;
    }
  };
  for (let step = 0; step < STEPS; step += 1) {
    for (let rank = 0; rank < RANKS; rank += 1) {
      const [wall, idle] = computes(rank, step);
      const scatter = 1 + 0.05 * random();
      const from = clock[rank] ?? 0;
      spans.push([rank, 'compute', from, from + wall * scatter, { queued: idle * scatter }]);
      clock[rank] = from + wall * scatter;
    }
    for (let round = 0; round < rounds; round += 1) {
      const sent = Float64Array.from(clock);
      for (let rank = 0; rank < RANKS; rank += 1) {
        const from = (rank + RANKS - 1) % RANKS;
        const [bytes, us] = halo(from, rank);
        const posted = sent[rank] ?? 0;
        const arrived = Math.max(posted + 1, (sent[from] ?? 0) + us * (1 + 0.05 * random()));
        spans.push([rank, 'MPI_Sendrecv', posted, arrived]);
        messages.push({ from, to: rank, bytes, sent: sent[from] ?? 0, done: (sent[from] ?? 0) + 1, posted, arrived });
        clock[rank] = arrived;
      }
    }
    meet('MPI_Allreduce', (rank) => clock[rank] ?? 0);
    if (alone === 0) continue;
    const from = clock[0] ?? 0;
    spans.push([0, 'compute', from, from + alone]);
    clock[0] = from + alone;
    meet('MPI_Bcast', (rank) => (rank === 0 ? (clock[0] ?? 0) : 0));
  }
  const trace = madeTrace(spans, messages);
  const hostOf = (rank: number): string => `node0${rank + 1}`;
  const onClock = (_: number, ns: number): number => ns;
  const links = {
    hostOf: (rank: number) => rank,
    queues: () => linkQueues(RANKS, { nsPerByte: NS_PER_BYTE, burstNs: 0 }),
    needNs: (bytes: number) => bytes * NS_PER_BYTE,
    apartNs: () => 0,
  };
  const found = mpiActivities(trace, { onClock, links });
  const whole = rankPath(found);
  const path = { ...whole, ...searchSummary(whole) };
  return {
    causes: findCauses({ ...found, path, stretches: [found.slice], trace, onClock, hostOf }),
    lengthNs: path.lengthNs,
  };
}

describe('the cause of a recorded run', () => {
  test('is nothing where all ranks, hosts and links are alike', () => {
    expect(run({}).causes).toEqual([]);
  });

  test('is the rank that computes three times as long, by what it has beyond the others', () => {
    const { causes, lengthNs } = run({ computes: (rank) => [rank === 4 ? 3000 : 1000, 0] });
    expect(causes).toMatchObject([{ kind: 'load-imbalance', rank: 4, host: 'node05' }]);
    expect(causes[0]?.ratio).toBeCloseTo(3, 0);
    // 2 ms of each step of some 3.
    expect((causes[0]?.ns ?? 0) / 1e6).toBeCloseTo(STEPS * 2, -1);
    expect(causes[0]?.percent).toBeCloseTo((100 * (causes[0]?.ns ?? 0)) / lengthNs, 6);
  });

  test('is nobody where another rank is slow in each step', () => {
    const { causes } = run({ computes: (rank, step) => [(step * 5) % RANKS === rank ? 3000 : 1000, 0] });
    expect(causes.filter(({ host }) => host !== null)).toEqual([]);
  });

  test('is what one rank computes while the others wait', () => {
    expect(run({ alone: 3000 }).causes).toMatchObject([{ kind: 'serial-section', rank: 0, host: 'node01' }]);
  });

  test('is the host on which the same work waits longer for a processor', () => {
    const { causes } = run({ computes: (rank) => (rank === 4 ? [2000, 1600] : [1000, 600]) });
    expect(causes[0]).toMatchObject({ kind: 'slow-host', rank: null, host: 'node05' });
    // 1.6 ms of each step's 2, and some 0.03 of messages.
    expect(causes.at(-1)?.kind).toBe('cpu-quota');
    expect(causes.at(-1)?.percent).toBeGreaterThan(76);
    expect(causes.at(-1)?.percent).toBeLessThan(80);
  });

  test('is the host whose messages take longer than others of their size', () => {
    const { causes } = run({
      computes: () => [300, 0],
      halo: (from, to) => [20_000, from === 4 || to === 4 ? 900 : 180],
    });
    expect(causes[0]).toMatchObject({ kind: 'slow-link', host: 'node05' });
    expect(causes[0]?.ratio).toBeCloseTo(5, 0);
  });

  test('is messages: their number, or their bytes', () => {
    const many = run({ computes: () => [100, 0], rounds: 40 }).causes;
    expect(many).toMatchObject([{ kind: 'latency-bound', call: 'MPI_Sendrecv', messages: { bytes: 8 } }]);
    const large = run({ computes: () => [100, 0], halo: () => [600_000, 5200] }).causes;
    expect(large).toMatchObject([{ kind: 'bandwidth-bound', call: 'MPI_Sendrecv', messages: { bytes: 600_000 } }]);
  });
});
