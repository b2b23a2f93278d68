// What ended a wait for messages: late sender, late receiver, or the transfer between two that were both there (the patterns of
// Wolf et al., "Automatic analysis of inefficiency patterns in parallel applications", 2003).
import { at } from '../../../base/index.ts';
import type { CellTrace } from '../../../experiments/index.ts';
import type { Message, MessageEnds } from './message-ends.ts';

/** Where the transfer that ended a wait began. */
export interface CallCause {
  readonly rank: number;
  readonly startNs: number;
  readonly bytes: number;
  /** The message that is this transfer from its sending on; null where it began later, or goes the other way. */
  readonly message: Message | null;
}

/** Messages up to this length are sent before the receiver asks, by the usual settings of MPI over TCP. */
const EAGER_BYTES = 65536;

/** Of all messages that were complete with a call of a rank, the one whose transfer began last; null where none was. */
export function messageCause(
  messages: CellTrace['messages'],
  ends: MessageEnds,
  {
    rank,
    endNs,
    onClock,
  }: { readonly rank: number; readonly endNs: number; readonly onClock: (rank: number, ns: number) => number },
): CallCause | null {
  let last: CallCause | null = null;
  const take = (cause: CallCause): void => {
    if (last === null || cause.startNs > last.startNs) last = cause;
  };
  const { timeNs, postedNs, doneNs, bytes, worker } = messages;
  for (const message of ends.arrived(rank, endNs)) {
    const sender = at(worker, message.send);
    const sentNs = onClock(sender, at(timeNs, message.send));
    const postedAt = onClock(rank, at(postedNs, message.receive));
    const length = at(bytes, message.send);
    const done = at(doneNs, message.send);
    // A sender that was done before the receiver asked had not waited for it.
    const isEager = length <= EAGER_BYTES || (done > 0 && onClock(sender, done) <= postedAt);
    if (isEager || !(postedAt > sentNs)) take({ rank: sender, startNs: sentNs, bytes: length, message });
    else take({ rank, startNs: postedAt, bytes: length, message: null });
  }
  for (const message of ends.released(rank, endNs)) {
    const receiver = at(worker, message.receive);
    const sentNs = onClock(rank, at(timeNs, message.send));
    const postedAt = onClock(receiver, at(postedNs, message.receive));
    const length = at(bytes, message.send);
    if (length <= EAGER_BYTES) continue;
    if (postedAt > sentNs) take({ rank: receiver, startNs: postedAt, bytes: length, message: null });
    else take({ rank, startNs: sentNs, bytes: length, message: null });
  }
  return last;
}
