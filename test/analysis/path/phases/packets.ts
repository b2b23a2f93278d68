// Ranks that compute and exchange in rows of a grid, their messages cut into packets that queue for the links of both hosts: events
// in order of time, without any of the rules by which a what-if does the same again.
import { type RankMessages, rankMessages } from '../../../../analysis/path/phases/rank-messages.ts';
import { type RankPhases, rankPhases } from '../../../../analysis/path/phases/rank-phases.ts';
import { type Message, recorded } from './messages.ts';
import { KINDS } from './simulate.ts';

export interface PacketCosts {
  /** ns that a rank computes on a level. */
  readonly compute: (rank: number, level: number) => number;
  /** Of a message between two ranks. */
  readonly bytes: (from: number, to: number, level: number) => number;
  /** Of a link, each way. */
  readonly nsPerByte: number;
}

const [PACKET, HEADERS] = [1448, 66];

interface Run {
  readonly phases: RankPhases;
  readonly messages: RankMessages;
  readonly lengthNs: number;
}

export function simulatePackets(
  { compute, bytes, nsPerByte }: PacketCosts,
  { side, levels }: { readonly side: number; readonly levels: number },
): Run {
  const ranks = side * side;
  const [out, into] = [new Float64Array(ranks), new Float64Array(ranks)];
  const later: { readonly time: number; readonly act: () => void }[] = [];
  const arrived = new Map<string, number>();
  const handed = new Map<string, number>();
  const state = Array.from({ length: ranks }, () => ({ level: 0, since: 0 }));
  const rows: number[][] = [];
  const messages: (Message & { readonly bytes: number })[] = [];
  const name = (from: number, to: number, level: number): string => `${from} ${to} ${level}`;
  const others = (rank: number): readonly number[] =>
    Array.from({ length: side }, (_, step) => rank - (rank % side) + ((rank + step) % side)).slice(1);

  function at(time: number, act: () => void): void {
    later.push({ time, act });
  }
  function send(time: number, from: number, to: number, level: number): void {
    handed.set(name(from, to, level), time);
    for (let left = bytes(from, to, level); left > 0; left -= PACKET) {
      const takes = (Math.min(left, PACKET) + HEADERS) * nsPerByte;
      const leaves = Math.max(out[from] ?? 0, time) + takes;
      out[from] = leaves;
      at(leaves, () => {
        const comes = Math.max(into[to] ?? 0, leaves) + takes;
        into[to] = comes;
        if (left <= PACKET) at(comes, () => arrive(comes, from, to, level));
      });
    }
  }
  function arrive(time: number, from: number, to: number, level: number): void {
    arrived.set(name(from, to, level), time);
    goOn(time, to);
  }
  function goOn(time: number, rank: number): void {
    const { level, since } = state[rank] ?? { level: 0, since: 0 };
    if (time < since || !others(rank).every((from) => arrived.has(name(from, rank, level)))) return;
    for (const from of others(rank)) {
      const seen = Math.max(since, arrived.get(name(from, rank, level)) ?? 0);
      const more = { handed: handed.get(name(from, rank, level)) ?? 0, bytes: bytes(from, rank, level) };
      messages.push({ from, to: rank, seen, waited: seen - since, ...more });
    }
    rows.push([rank, 1, level, since, time]);
    if (level + 1 < levels) begin(time, rank, level + 1);
    else state[rank] = { level: levels, since: Number.POSITIVE_INFINITY };
  }
  function begin(time: number, rank: number, level: number): void {
    const since = time + compute(rank, level);
    rows.push([rank, 0, level, time, since]);
    state[rank] = { level, since };
    at(since, () => {
      for (const to of others(rank)) send(since, rank, to, level);
      goOn(since, rank);
    });
  }

  for (let rank = 0; rank < ranks; rank += 1) begin(0, rank, 0);
  while (later.length > 0) {
    const first = later.reduce((least, one, index) => (one.time < (later[least]?.time ?? 0) ? index : least), 0);
    later.splice(first, 1)[0]?.act();
  }
  const column = (index: number): number[] => rows.map((row) => row[index] ?? Number.NaN);
  const unknown = rows.map(() => Number.NaN);
  const raw = {
    ...{ rank: column(0), search: rows.map(() => 0), kind: column(1), step: column(2) },
    ...{ startNs: column(3), endNs: column(4), asleepNs: unknown, queuedNs: unknown, bytes: unknown },
  };
  const both = messages.flatMap((one) => [one.bytes, one.bytes]);
  return {
    phases: rankPhases(raw, { ranks, kinds: KINDS }),
    messages: rankMessages(recorded(messages, { bytes: both }), { ranks, onClock: (_, ns) => ns }),
    lengthNs: Math.max(...column(4)),
  };
}
