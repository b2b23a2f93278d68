// What ended a wait for messages: late sender, late receiver, or the transfer between two that were both there (the patterns of
// Wolf et al., "Automatic analysis of inefficiency patterns in parallel applications", 2003).

import { at, groupBy } from '../../../base/lists.ts';
import type { OnClock } from '../../../experiments/mpi-trace/run-clock.ts';
import { endsOfWaits } from '../lateness.ts';
import type { Links } from '../link-queues.ts';
import { type Message, type MessageColumns, matchMessages } from '../match-messages.ts';

/** Where the transfer that ended a wait began. */
export interface CallCause {
  readonly rank: number;
  /** The other end of the message. */
  readonly peer: number;
  readonly startNs: number;
  readonly bytes: number;
  /** What links need for it from its start on, behind what was handed over before; ns. */
  readonly onLinkNs: number;
  /** The message that is this transfer from its sending on; null where it began later, or goes the other way. */
  readonly message: Message | null;
  /** The rank waited until its own message had been taken. */
  readonly isRelease: boolean;
}

/** A call that may have waited, and when it had ended with a processor, on the clock of all ranks; `doneNs` is its end on the rank's own clock. */
interface Call {
  readonly rank: number;
  readonly startNs: number;
  readonly cameNs: number;
  readonly doneNs: number;
}

/** Whom calls waited for. */
interface Causes {
  /** Of all messages that were complete with a call, the one that links passed last; null where all of them had been there before. */
  of(call: Call): CallCause | null;
  readonly messages: readonly Message[];
  /** Ends of messages without another one. */
  readonly unmatched: number;
}

interface Options {
  readonly onClock: OnClock;
  /** Null where their rate is unknown; then a message needs no time on them. */
  readonly links: Links | null;
}

/** Messages up to this length are sent before the receiver asks, by the usual settings of MPI over TCP. */
const EAGER_BYTES = 65536;

/** A message on its way. */
interface Course extends CallCause {
  readonly sent: Message;
  readonly sender: number;
  readonly receiver: number;
  /** Its buffer was free before its receiver asked for it. */
  readonly isBuffered: boolean;
}

export function messageCauses(columns: MessageColumns, options: Options): Causes {
  const { worker, timeNs, doneNs, peer } = columns;
  const ranks = 1 + Math.max(highest(worker), highest(peer));
  const { messages, alone, strange } = matchMessages(columns, ranks);
  const inOrder = [...messages].sort((a, b) => Math.max(a.send, a.receive) - Math.max(b.send, b.receive));
  const courses = passLinks(
    inOrder.map((sent) => courseOf(sent, columns, options.onClock)),
    options.links,
  );
  const apartOf = apartBounds(courses, columns, options);
  const arrived = indexBy(courses, ({ receiver, sent }) => keyOf(receiver, at(timeNs, sent.receive)));
  const released = indexBy(courses, ({ sender, sent }) => keyOf(sender, at(doneNs, sent.send)));
  return {
    messages: inOrder,
    unmatched: alone.length + strange.length,
    of: ({ rank, startNs: begunNs, cameNs, doneNs: stamp }) => {
      const found = [
        ...(arrived.get(keyOf(rank, stamp)) ?? []),
        // Of a message that moved at once, or whose receiver had not asked for it yet, the sender waits for nothing.
        ...(released.get(keyOf(rank, stamp)) ?? [])
          .filter(({ isBuffered }) => !isBuffered)
          .map((course) => ({ ...course, peer: course.receiver, message: null, isRelease: true })),
      ];
      const looks = found.map((course) => ({
        ...{ begunNs, cameNs, passedNs: course.startNs + course.onLinkNs },
        apartNs: apartOf(rank, course),
      }));
      return found[endsOfWaits([looks])[0] ?? -1] ?? null;
    },
  };
}

/** Where a transfer begins: where it is sent, or where its receiver asks for it, whom a long one waits for. */
function courseOf(
  sent: Message,
  { timeNs, postedNs, doneNs, bytes, worker }: MessageColumns,
  onClock: OnClock,
): Omit<Course, 'onLinkNs'> {
  const [sender, receiver] = [at(worker, sent.send), at(worker, sent.receive)];
  const sentNs = onClock(sender, at(timeNs, sent.send));
  const postedAt = onClock(receiver, at(postedNs, sent.receive));
  const [length, done] = [at(bytes, sent.send), at(doneNs, sent.send)];
  // A sender that was done before the receiver asked had not waited for it.
  const isBuffered = length <= EAGER_BYTES || (done > 0 && onClock(sender, done) <= postedAt);
  const common = { sent, sender, receiver, peer: sender, bytes: length, isBuffered, isRelease: false };
  return isBuffered || !(postedAt > sentNs)
    ? { ...common, rank: sender, startNs: sentNs, message: sent }
    : { ...common, rank: receiver, startNs: postedAt, message: null };
}

/** Links pass transfers in the order in which they begin. */
function passLinks(begun: readonly Omit<Course, 'onLinkNs'>[], links: Links | null): Course[] {
  if (links === null) return begun.map((course) => ({ ...course, onLinkNs: 0 }));
  const queues = links.queues();
  const onLinkNs = new Map(
    [...begun]
      .sort((a, b) => a.startNs - b.startNs)
      .map((course) => {
        const [from, to] = [links.hostOf(course.sender), links.hostOf(course.receiver)];
        return [course, queues.hand({ from, to, bytes: course.bytes, ns: course.startNs }) - course.startNs];
      }),
  );
  return begun.map((course) => ({ ...course, onLinkNs: onLinkNs.get(course) ?? 0 }));
}

/** By how much clocks may be apart: no more than what the fastest message between two hosts took beyond links. */
function apartBounds(courses: readonly Course[], { timeNs }: MessageColumns, { onClock, links }: Options) {
  const hostsOf = ({ sender, receiver }: Course): string => `${links?.hostOf(sender)} ${links?.hostOf(receiver)}`;
  const fastestNs = new Map<string, number>();
  for (const course of courses) {
    const beyondNs = onClock(course.receiver, at(timeNs, course.sent.receive)) - course.startNs - course.onLinkNs;
    const known = fastestNs.get(hostsOf(course)) ?? beyondNs;
    fastestNs.set(hostsOf(course), Math.max(0, Math.min(beyondNs, known)));
  }
  return (rank: number, course: Course): number =>
    Math.min(links?.apartNs(rank, course.peer) ?? 0, fastestNs.get(hostsOf(course)) ?? 0);
}

function keyOf(rank: number, ns: number): string {
  return `${rank} ${ns}`;
}

function indexBy(courses: readonly Course[], key: (course: Course) => string): ReadonlyMap<string, readonly Course[]> {
  return new Map(groupBy(courses, key).map((same) => [key(at(same, 0)), same]));
}

function highest(column: Int32Array): number {
  return column.reduce((most, one) => Math.max(most, one), 0);
}
