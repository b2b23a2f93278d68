// Recorded messages by the rank that waited for them: what ended each of its waits, and since when that was on its way.
import { at } from '../../../base/index.ts';
import type { CellTrace } from '../../../experiments/index.ts';
import type { Problem } from '../activities.ts';
import { problem } from './rank-phases.ts';

type Messages = CellTrace['messages'];

/** What ranks waited for, sorted by rank and then by the time at which it was over. Times in ns on one clock. */
export interface RankMessages {
  /** Where those of each rank begin; one entry more than there are ranks. */
  readonly first: Uint32Array;
  /** When the rank saw that the message had arrived, or that the buffer of its own was free. */
  readonly seenNs: Float64Array;
  /** When its sender handed it over, never after it was seen. */
  readonly handedNs: Float64Array;
  /** How long the rank had been waiting when it saw it; NaN where it is not known. */
  readonly waitedNs: Float64Array;
  /** The rank at the other end. */
  readonly peer: Int32Array;
  /** NaN where they are not known. */
  readonly bytes: Float64Array;
  /** 1: the rank's own message, for whose buffer it waited. */
  readonly isOwn: Uint8Array;
  readonly problems: readonly Problem[];
}

/** Places of one wait in the table of messages: what ended it, and where it was handed over. */
interface Wait {
  readonly row: number;
  readonly sent: number;
  readonly isOwn: boolean;
}

/**
 * Joins sends and receives, by id where both have one, else in order per pair of ranks, and keeps those that somebody waited for.
 * A message without its other end, of a rank that the run lacks, or seen before it was handed over (by the clocks) is named by its
 * entry (from 1). `onClock` puts a rank's stamp on the common clock.
 */
export function rankMessages(
  messages: Messages,
  { ranks, onClock }: { readonly ranks: number; readonly onClock: (rank: number, ns: number) => number },
): RankMessages {
  const { worker, peer, timeNs, doneNs, waitedNs, bytes } = messages;
  const { waits, problems } = joined(messages, ranks);
  const seen = ({ row, isOwn }: Wait): number => onClock(at(worker, row), at(isOwn ? doneNs : timeNs, row));
  const times = waits.map(seen);
  const order = Uint32Array.from(waits, (_, index) => index).sort(
    (a, b) => at(worker, at(waits, a).row) - at(worker, at(waits, b).row) || at(times, a) - at(times, b) || a - b,
  );
  const inOrder = Array.from(order, (index) => at(waits, index));
  const seenNs = Float64Array.from(order, (index) => at(times, index));
  const handedNs = Float64Array.from(inOrder, ({ sent }) => onClock(at(worker, sent), at(timeNs, sent)));
  const early = inOrder.flatMap(({ row }, place) => (at(handedNs, place) > at(seenNs, place) ? [row + 1] : []));
  const first = new Uint32Array(ranks + 1);
  for (const { row } of inOrder) first[at(worker, row) + 1] = at(first, at(worker, row) + 1) + 1;
  for (let rank = 1; rank <= ranks; rank += 1) first[rank] = at(first, rank) + at(first, rank - 1);
  return {
    ...{ first, seenNs, handedNs: handedNs.map((time, place) => Math.min(time, at(seenNs, place))) },
    waitedNs: Float64Array.from(inOrder, ({ row }) => at(waitedNs, row)),
    peer: Int32Array.from(inOrder, ({ row }) => at(peer, row)),
    bytes: Float64Array.from(inOrder, ({ row, sent }) => (Number.isNaN(at(bytes, row)) ? at(bytes, sent) : at(bytes, row))),
    isOwn: Uint8Array.from(inOrder, ({ isOwn }) => (isOwn ? 1 : 0)),
    problems: [...problems, problem('message that arrived before it was sent', early)].filter(({ count }) => count > 0),
  };
}

/** What somebody waited for, with both ends. A rank whose waits were not measured is taken to have waited. */
function joined(
  { worker, peer, kind, id, doneNs, waitedNs }: Messages,
  ranks: number,
): { readonly waits: readonly Wait[]; readonly problems: readonly Problem[] } {
  const [strange, alone]: [number[], number[]] = [[], []];
  const lines = new Map<string, { readonly sends: number[]; readonly receives: number[] }>();
  const waits: Wait[] = [];
  for (let row = 0; row < worker.length; row += 1) {
    const [rank, other] = [at(worker, row), at(peer, row)];
    if (rank < 0 || rank >= ranks || other < 0 || other >= ranks) {
      strange.push(row + 1);
      continue;
    }
    const isSend = kind[row] === 'send';
    const [from, to] = isSend ? [rank, other] : [other, rank];
    const name = `${from} ${to} ${Number.isNaN(at(id, row)) ? '' : at(id, row)}`;
    const line = lines.get(name) ?? { sends: [], receives: [] };
    lines.set(name, line);
    (isSend ? line.sends : line.receives).push(row);
    if (isSend && at(waitedNs, row) > 0 && !Number.isNaN(at(doneNs, row))) waits.push({ row, sent: row, isOwn: true });
  }
  for (const { sends, receives } of lines.values()) {
    const both = Math.min(sends.length, receives.length);
    for (const row of [...sends.slice(both), ...receives.slice(both)]) alone.push(row + 1);
    for (const [place, row] of receives.slice(0, both).entries()) {
      if (at(waitedNs, row) !== 0) waits.push({ row, sent: at(sends, place), isOwn: false });
    }
  }
  const problems = [
    problem('message of a rank that the run does not have', strange),
    problem(
      'message without its other end',
      alone.sort((a, b) => a - b),
    ),
  ];
  return { waits, problems };
}
