// Recorded messages by the rank that waited for them: what ended each of its waits, and since when that was on its way.
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
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
  /** When its sender handed it over; the last instant before it was seen where clocks say later. */
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

/** Places of waits in the table of messages, an entry each: what ended it, and where that was handed over. */
interface Waits {
  readonly row: Int32Array;
  readonly sent: Int32Array;
  readonly isOwn: Uint8Array;
}

/**
 * Joins sends and receives, by id where both have one, else in order per pair of ranks; sends are kept where
 * the rank waited for their buffer. A message without its send or receive, of a rank that the run lacks, or seen before it was handed over (by the clocks) is named by its
 * entry (from 1). `onClock` puts a rank's stamp on the common clock.
 */
export function rankMessages(
  messages: Messages,
  { ranks, onClock }: { readonly ranks: number; readonly onClock: (rank: number, ns: number) => number },
): RankMessages {
  const { worker, peer, timeNs, doneNs, waitedNs, queuedNs, bytes } = messages;
  const { waits, problems } = joined(messages, ranks);
  const count = waits.row.length;
  const [seenAt, owner] = [new Float64Array(count), new Int32Array(count)];
  for (let wait = 0; wait < count; wait += 1) {
    const row = waits.row[wait] as number;
    const rank = worker[row] as number;
    owner[wait] = rank;
    seenAt[wait] = onClock(rank, (waits.isOwn[wait] === 1 ? doneNs[row] : timeNs[row]) as number);
  }
  const { order, first } = byFirst(groupByKey(owner, ranks), seenAt);
  const found = {
    ...{ first, rank: new Int32Array(count), peer: new Int32Array(count), received: new Int32Array(count).fill(-1) },
    ...{ seenNs: new Float64Array(count), handedNs: new Float64Array(count), waitedNs: new Float64Array(count) },
    ...{ senderIdleNs: new Float64Array(count), idleNs: new Float64Array(count), bytes: new Float64Array(count) },
    isOwn: new Uint8Array(count),
  };
  const early: number[] = [];
  /** By the row of a send (from 0), the place at which its receiver saw it (from 1). */
  const receipts = new Int32Array(worker.length);
  for (let place = 0; place < count; place += 1) {
    const wait = order[place] as number;
    const row = waits.row[wait] as number;
    const sent = waits.sent[wait] as number;
    const isOwn = waits.isOwn[wait] as number;
    const seen = seenAt[wait] as number;
    const handed = onClock(worker[sent] as number, timeNs[sent] as number);
    if (handed > seen) early.push(row + 1);
    if (isOwn === 0) receipts[sent] = place + 1;
    const known = bytes[row] as number;
    found.rank[place] = owner[wait] as number;
    found.peer[place] = peer[row] as number;
    found.seenNs[place] = seen;
    // On clocks that are apart no message may lead back to its own beginning.
    found.handedNs[place] = handed > seen ? seen - 1 : handed;
    found.waitedNs[place] = waitedNs[row] as number;
    found.senderIdleNs[place] = queuedNs[sent] || 0;
    found.idleNs[place] = isOwn === 1 ? 0 : queuedNs[row] || 0;
    found.bytes[place] = Number.isNaN(known) ? (bytes[sent] as number) : known;
    found.isOwn[place] = isOwn;
  }
  for (let place = 0; place < count; place += 1) {
    const wait = order[place] as number;
    if (waits.isOwn[wait] === 1) found.received[place] = (receipts[waits.sent[wait] as number] as number) - 1;
  }
  return {
    ...found,
    problems: [...problems, problem('message that arrived before it was sent', early)].filter(
      ({ count: some }) => some > 0,
    ),
  };
}

/** Receives with their sends, and sends that were waited for. */
function joined(
  { worker, peer, kind, id, doneNs, waitedNs }: Messages,
  ranks: number,
): { readonly waits: Waits; readonly problems: readonly Problem[] } {
  const { length } = worker;
  const [strange, alone]: [number[], number[]] = [[], []];
  const waits = { row: new Int32Array(length), sent: new Int32Array(length), isOwn: new Uint8Array(length) };
  let count = 0;
  const add = (row: number, sent: number, isOwn: number): void => {
    waits.row[count] = row;
    waits.sent[count] = sent;
    waits.isOwn[count] = isOwn;
    count += 1;
  };
  // Per pair of ranks, entry from * ranks + to; what is of no pair comes last.
  const nobody = ranks * ranks;
  const [sendKeys, receiveKeys] = [new Int32Array(length).fill(nobody), new Int32Array(length).fill(nobody)];
  for (let row = 0; row < length; row += 1) {
    const rank = worker[row] as number;
    const other = peer[row] as number;
    if (rank < 0 || rank >= ranks || other < 0 || other >= ranks) strange.push(row + 1);
    else if (kind[row] === 'send') {
      sendKeys[row] = rank * ranks + other;
      if ((waitedNs[row] as number) > 0 && !Number.isNaN(doneNs[row] as number)) add(row, row, 1);
    } else receiveKeys[row] = other * ranks + rank;
  }
  const [sends, receives] = [groupByKey(sendKeys, nobody + 1), groupByKey(receiveKeys, nobody + 1)];
  for (let pair = 0; pair < nobody; pair += 1) {
    const [ours, theirs] = [sends, receives].map(({ order, first }) =>
      order.subarray(first[pair] as number, first[pair + 1] as number),
    ) as [Int32Array, Int32Array];
    if (ours.length === 0 && theirs.length === 0) continue;
    pairUp(ours, theirs, { id, add, missing: (row) => void alone.push(row + 1) });
  }
  const problems = [
    problem('message of a rank that the run does not have', strange),
    problem(
      'message without its send or receive',
      alone.sort((a, b) => a - b),
    ),
  ];
  const cut = <T extends Int32Array | Uint8Array>(column: T): T => column.subarray(0, count) as T;
  return { waits: { row: cut(waits.row), sent: cut(waits.sent), isOwn: cut(waits.isOwn) }, problems };
}

interface Pairing {
  readonly id: Float64Array;
  readonly add: (row: number, sent: number, isOwn: number) => void;
  /** A row without its other end. */
  readonly missing: (row: number) => void;
}

/** Receives with their sends, both of one pair of ranks in order. */
function pairUp(sends: Int32Array, receives: Int32Array, { id, add, missing }: Pairing): void {
  const hasId = (row: number): boolean => !Number.isNaN(id[row] as number);
  if (!(sends.every(hasId) && receives.every(hasId))) {
    const both = Math.min(sends.length, receives.length);
    for (let place = 0; place < both; place += 1) add(receives[place] as number, sends[place] as number, 0);
    for (const row of sends.subarray(both)) missing(row);
    for (const row of receives.subarray(both)) missing(row);
    return;
  }
  const sent = new Map(Array.from(sends, (row) => [id[row] as number, row]));
  for (const row of receives) {
    const own = id[row] as number;
    const send = sent.get(own);
    if (send === undefined) missing(row);
    else add(row, send, 0);
    sent.delete(own);
  }
  for (const row of sent.values()) missing(row);
}
