// Recorded messages by the rank that waited for them: what ended each of its waits, and since when that was on its way.
import { at } from '../../../base/index.ts';
import type { CellTrace } from '../../../experiments/index.ts';
import type { Problem } from '../../problems.ts';
import { byFirst, groupByKey } from '../arrange.ts';
import { problem } from './rank-phases.ts';

type Messages = CellTrace['messages'];

/** What ranks received, and what else they waited for, sorted by rank and then by the time at which it was over. Times in ns on one clock. */
export interface RankMessages {
  /** Where those of each rank begin; one entry more than there are ranks. */
  readonly first: Uint32Array;
  readonly rank: Int32Array;
  /** When the rank saw that the message had arrived, or that the buffer of its own was free. */
  readonly seenNs: Float64Array;
  /** When its sender handed it over, never after it was seen. */
  readonly handedNs: Float64Array;
  /** How long the rank had been waiting when it saw it; 0: it was there already; NaN where it is not known. */
  readonly waitedNs: Float64Array;
  /** What its sender lacked a processor as it handed it over, and the rank before it saw it. */
  readonly senderIdleNs: Float64Array;
  readonly idleNs: Float64Array;
  /** The rank at the other end. */
  readonly peer: Int32Array;
  /** NaN where they are not known. */
  readonly bytes: Float64Array;
  /** 1: the rank's own message, for whose buffer it waited. */
  readonly isOwn: Uint8Array;
  /** The place of that message where its receiver saw it; -1 for messages of others, and where no receiver did. */
  readonly received: Int32Array;
  readonly problems: readonly Problem[];
}

/** Places of one wait in the table of messages: what ended it, and where it was handed over. */
interface Wait {
  readonly row: number;
  readonly sent: number;
  readonly isOwn: boolean;
}

/**
 * Joins sends and receives, by id where both have one, else in order per pair of ranks; sends are kept where
 * the rank waited for their buffer. A message without its other end, of a rank that the run lacks, or seen before it was handed over (by the clocks) is named by its
 * entry (from 1). `onClock` puts a rank's stamp on the common clock.
 */
export function rankMessages(
  messages: Messages,
  { ranks, onClock }: { readonly ranks: number; readonly onClock: (rank: number, ns: number) => number },
): RankMessages {
  const { worker, peer, timeNs, doneNs, waitedNs, queuedNs, bytes } = messages;
  const { waits, problems } = joined(messages, ranks);
  const seen = ({ row, isOwn }: Wait): number => onClock(at(worker, row), at(isOwn ? doneNs : timeNs, row));
  const times = waits.map(seen);
  const owner = Int32Array.from(waits, ({ row }) => at(worker, row));
  const { order, first } = byFirst(groupByKey(owner, ranks), times);
  const inOrder = Array.from(order, (index) => at(waits, index));
  const seenNs = Float64Array.from(order, (index) => at(times, index));
  const handedNs = Float64Array.from(inOrder, ({ sent }) => onClock(at(worker, sent), at(timeNs, sent)));
  const early = inOrder.flatMap(({ row }, place) => (at(handedNs, place) > at(seenNs, place) ? [row + 1] : []));
  const receipts = new Map(inOrder.flatMap(({ sent, isOwn }, place) => (isOwn ? [] : [[sent, place] as const])));
  return {
    ...{ first, seenNs, handedNs: handedNs.map((time, place) => Math.min(time, at(seenNs, place))) },
    rank: Int32Array.from(order, (index) => at(owner, index)),
    waitedNs: Float64Array.from(inOrder, ({ row }) => at(waitedNs, row)),
    senderIdleNs: Float64Array.from(inOrder, ({ sent }) => at(queuedNs, sent) || 0),
    idleNs: Float64Array.from(inOrder, ({ row, isOwn }) => (isOwn ? 0 : at(queuedNs, row) || 0)),
    peer: Int32Array.from(inOrder, ({ row }) => at(peer, row)),
    bytes: Float64Array.from(inOrder, ({ row, sent }) =>
      Number.isNaN(at(bytes, row)) ? at(bytes, sent) : at(bytes, row),
    ),
    isOwn: Uint8Array.from(inOrder, ({ isOwn }) => (isOwn ? 1 : 0)),
    received: Int32Array.from(inOrder, ({ sent, isOwn }) => (isOwn ? (receipts.get(sent) ?? -1) : -1)),
    problems: [...problems, problem('message that arrived before it was sent', early)].filter(({ count }) => count > 0),
  };
}

/** Receives with their sends, and sends that were waited for. */
function joined(
  { worker, peer, kind, id, doneNs, waitedNs }: Messages,
  ranks: number,
): { readonly waits: readonly Wait[]; readonly problems: readonly Problem[] } {
  const [strange, alone]: [number[], number[]] = [[], []];
  // Per pair of ranks, entry from * ranks + to.
  const lines = Array.from({ length: ranks * ranks }, () => ({ sends: [] as number[], receives: [] as number[] }));
  const waits: Wait[] = [];
  for (let row = 0; row < worker.length; row += 1) {
    const [rank, other, waited] = [at(worker, row), at(peer, row), at(waitedNs, row)];
    if (rank < 0 || rank >= ranks || other < 0 || other >= ranks) strange.push(row + 1);
    else if (kind[row] === 'send') {
      lines[rank * ranks + other]?.sends.push(row);
      if (waited > 0 && !Number.isNaN(at(doneNs, row))) waits.push({ row, sent: row, isOwn: true });
    } else lines[other * ranks + rank]?.receives.push(row);
  }
  for (const { sends, receives } of lines) {
    for (const [row, sent] of pairs(sends, receives, id)) {
      if (row === null || sent === null) alone.push((row ?? sent ?? 0) + 1);
      else waits.push({ row, sent, isOwn: false });
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

/** Receives with their sends, both of one pair of ranks in order; null where an end is missing. */
function pairs(
  sends: readonly number[],
  receives: readonly number[],
  id: Float64Array,
): readonly (readonly [receive: number | null, send: number | null])[] {
  const hasIds = [...sends, ...receives].every((row) => !Number.isNaN(at(id, row)));
  if (!hasIds) {
    const most = Math.max(sends.length, receives.length);
    return Array.from({ length: most }, (_, place) => [receives[place] ?? null, sends[place] ?? null] as const);
  }
  const sent = new Map(sends.map((row) => [at(id, row), row]));
  const found = receives.map((row) => {
    const send = sent.get(at(id, row)) ?? null;
    sent.delete(at(id, row));
    return [row, send] as const;
  });
  return [...found, ...Array.from(sent.values(), (row) => [null, row] as const)];
}
