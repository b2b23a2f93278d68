// What ended a wait for messages: late sender, late receiver, or the transfer between two that were both there (the patterns of
// Wolf et al., "Automatic analysis of inefficiency patterns in parallel applications", 2003).
import { at } from '../../../base/lists.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import { endsOfWaits, type Look } from '../lateness.ts';
import type { Links } from '../link-queues.ts';

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

/** A rank's time stamp on the clock of all ranks, ns. */
export type OnClock = (rank: number, ns: number) => number;

/** A call that may have waited, and when it had ended with a processor, on the clock of all ranks; `doneNs` is its end on the rank's own clock. */
interface Call {
  readonly rank: number;
  readonly startNs: number;
  readonly cameNs: number;
  readonly doneNs: number;
}

/** Whom calls waited for. */
export interface Causes {
  /** Of all messages that were complete with a call, the one that links passed last; null where all of them had been there before. */
  of(call: Call): CallCause | null;
}

/** Messages up to this length are sent before the receiver asks, by the usual settings of MPI over TCP. */
const EAGER_BYTES = 65536;

/** A message on its way. */
interface Course extends CallCause {
  /** Its buffer was free before its receiver asked for it. */
  readonly isBuffered: boolean;
}

/** `links`: null where their rate is unknown; then a message needs no time on them. */
export function messageCauses(
  messages: CellTrace['messages'],
  ends: MessageEnds,
  { onClock, links }: { readonly onClock: OnClock; readonly links: Links | null },
): Causes {
  const { timeNs, postedNs, doneNs, bytes, worker } = messages;
  const courseOf = (message: Message): Omit<Course, 'onLinkNs'> => {
    const [sender, receiver] = [at(worker, message.send), at(worker, message.receive)];
    const sentNs = onClock(sender, at(timeNs, message.send));
    const postedAt = onClock(receiver, at(postedNs, message.receive));
    const length = at(bytes, message.send);
    const done = at(doneNs, message.send);
    // A sender that was done before the receiver asked had not waited for it.
    const isBuffered = length <= EAGER_BYTES || (done > 0 && onClock(sender, done) <= postedAt);
    return isBuffered || !(postedAt > sentNs)
      ? { rank: sender, peer: sender, startNs: sentNs, bytes: length, message, isBuffered, isRelease: false }
      : { rank: receiver, peer: sender, startNs: postedAt, bytes: length, message: null, isBuffered, isRelease: false };
  };
  const queues = links?.queues();
  const courses = new Map<Message, Course>();
  const inOrder = ends.all.map((message) => [message, courseOf(message)] as const);
  /** By hosts, what the fastest message between them took beyond links: latency, and at most that much clocks are apart. */
  const fastestNs = new Map<string, number>();
  for (const [message, course] of inOrder.sort(([, a], [, b]) => a.startNs - b.startNs)) {
    const passedNs = passed(message, course);
    courses.set(message, { ...course, onLinkNs: passedNs - course.startNs });
    const receiver = at(worker, message.receive);
    const beyondNs = onClock(receiver, at(timeNs, message.receive)) - passedNs;
    const key = hostsOf(message);
    fastestNs.set(key, Math.max(0, Math.min(beyondNs, fastestNs.get(key) ?? beyondNs)));
  }
  function hostsOf({ send, receive }: Message): string {
    return `${links?.hostOf(at(worker, send))} ${links?.hostOf(at(worker, receive))}`;
  }
  function passed({ send, receive }: Message, { startNs, bytes: length }: Omit<Course, 'onLinkNs'>): number {
    if (links === null || queues === undefined) return startNs;
    const [from, to] = [links.hostOf(at(worker, send)), links.hostOf(at(worker, receive))];
    return queues.hand({ from, to, bytes: length, ns: startNs });
  }
  return {
    of: ({ rank, startNs, cameNs, doneNs: stamp }) => {
      const found: CallCause[] = [];
      const looks: Look[] = [];
      const take = (message: Message, cause: CallCause): void => {
        found.push(cause);
        const apartNs = Math.min(links?.apartNs(rank, cause.peer) ?? 0, fastestNs.get(hostsOf(message)) ?? 0);
        looks.push({ begunNs: startNs, cameNs, passedNs: cause.startNs + cause.onLinkNs, apartNs });
      };
      for (const message of ends.arrived(rank, stamp)) {
        const course = courses.get(message);
        if (course !== undefined) take(message, course);
      }
      for (const message of ends.released(rank, stamp)) {
        const course = courses.get(message);
        // Of a message that moved at once, or whose receiver had not asked for it yet.
        if (course !== undefined && !course.isBuffered)
          take(message, { ...course, peer: at(worker, message.receive), message: null, isRelease: true });
      }
      return found[endsOfWaits([looks])[0] ?? -1] ?? null;
    },
  };
}

/** Both ends of a message: rows of the trace's messages. */
export interface Message {
  readonly send: number;
  readonly receive: number;
}

/** The messages of a run by what ended where. */
export interface MessageEnds {
  readonly all: readonly Message[];
  /** Messages that a rank saw complete at an instant of its own clock. */
  arrived(rank: number, ns: number): readonly Message[];
  /** Messages whose buffer a rank saw free at an instant of its own clock. */
  released(rank: number, ns: number): readonly Message[];
  /** Ends without another one. */
  readonly unmatched: number;
}

export function messageEnds({ worker, kind, timeNs, id, doneNs }: CellTrace['messages']): MessageEnds {
  const open = new Map<number, number>();
  const all: Message[] = [];
  for (const [row, name] of kind.entries()) {
    const other = open.get(at(id, row));
    if (other === undefined) {
      open.set(at(id, row), row);
      continue;
    }
    open.delete(at(id, row));
    all.push(name === 'send' ? { send: row, receive: other } : { send: other, receive: row });
  }
  const [arrivals, releases] = [new Map<string, Message[]>(), new Map<string, Message[]>()];
  for (const message of all) {
    put(arrivals, `${worker[message.receive]} ${timeNs[message.receive]}`, message);
    put(releases, `${worker[message.send]} ${doneNs[message.send]}`, message);
  }
  return {
    all,
    arrived: (rank, ns) => arrivals.get(`${rank} ${ns}`) ?? [],
    released: (rank, ns) => releases.get(`${rank} ${ns}`) ?? [],
    unmatched: open.size,
  };
}

function put(into: Map<string, Message[]>, key: string, message: Message): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [message]);
  else known.push(message);
}
