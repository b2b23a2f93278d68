import { quantile } from 'simple-statistics';
import { at } from '../../../base/lists.ts';
import { roleOf } from '../../../experiments/mpi-trace/roles.ts';
import { type OnClock, wholeRun } from '../../../experiments/mpi-trace/run-clock.ts';
import { COMPUTE, SHORT_CALLS } from '../../../experiments/mpi-trace/spans.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { Problem } from '../../problems.ts';
import type { ActivityKind, Slice } from '../activities.ts';
import { ActivityBuilder } from '../formats/activity-builder.ts';
import type { Links } from '../link-queues.ts';
import type { Message } from '../match-messages.ts';
import { type Arrival, addBusy, IDLE, type RunGraph, TRANSFER } from '../run-graph.ts';
import { type CallCause, messageCauses } from './causes.ts';
import { type Gatherings, gatherings } from './gatherings.ts';

/** A run whose MPI calls were recorded: from the last rank's leaving MPI_Init to the last one's coming to MPI_Finalize. */
export interface MpiActivities extends RunGraph {
  readonly meetings: Gatherings;
  readonly problems: readonly Problem[];
}

/** Whether a trace is one of MPI calls. */
export function isMpiTrace({ spans: { phase, keys } }: CellTrace): boolean {
  return keys.turn !== undefined && phase.some((name) => name.startsWith('MPI_'));
}

interface Options {
  readonly onClock: OnClock;
  readonly links: Links | null;
}

/** The activities of a run and what ranks waited for. */
export function mpiActivities(trace: CellTrace, options: Options): MpiActivities {
  const graph = new CallGraph(trace, options);
  for (const row of trace.spans.phase.keys()) graph.addSpan(row);
  return graph.finish();
}

/** A call that took no longer than its own handling and copying, at 4 GB/s, waited for nobody. */
const HANDLING_NS = 2000;
const COPIED_BYTES_PER_NS = 4;

interface Span extends Slice {
  readonly row: number;
  readonly rank: number;
  readonly name: string;
  /** For how long its rank had no processor. */
  readonly queuedNs: number;
}

/** Collects what ranks did, span by span. */
class CallGraph {
  readonly #trace: CellTrace;
  readonly #options: Options;
  readonly #builder = new ActivityBuilder();
  readonly #arrivals: Arrival[] = [];
  readonly #workers: Workers;
  readonly #meetings: Gatherings;
  readonly #causes: ReturnType<typeof messageCauses>;
  /** Messages that ended a wait. */
  readonly #taken = new Set<Message>();
  /** When what a rank waited for in a call came, by the call's end. */
  readonly #cameNs = new Map<string, number>();
  /** For how long ranks are without a processor at a time. */
  readonly #pauseNs: number;

  constructor(trace: CellTrace, options: Options) {
    this.#trace = trace;
    this.#options = options;
    this.#workers = workersOf(trace.spans);
    this.#meetings = gatherings(trace.spans, options.onClock);
    this.#causes = messageCauses(trace.messages, options);
    this.#pauseNs = pauseOf(trace.spans);
  }

  addSpan(row: number): void {
    const { worker, phase, startNs, endNs, queuedNs } = this.#trace.spans;
    const { onClock } = this.#options;
    const [rank, name] = [at(worker, row), at(phase, row)];
    const times = { startNs: onClock(rank, at(startNs, row)), endNs: onClock(rank, at(endNs, row)) };
    if (times.endNs <= times.startNs) return;
    const span = { row, rank, name, ...times, queuedNs: at(queuedNs, row) || 0 };
    if (name === COMPUTE || name === SHORT_CALLS) this.#addBusy(span, 'op');
    else this.#addCall(span);
  }

  finish(): MpiActivities {
    const { spans } = this.#trace;
    const { onClock } = this.#options;
    for (const message of this.#causes.messages) if (!this.#taken.has(message)) this.#addMessage(message);
    const slice = wholeRun(spans, onClock);
    for (const [row, rank] of spans.worker.entries()) {
      const [from, to] = [onClock(rank, at(spans.startNs, row)), onClock(rank, at(spans.endNs, row))];
      // What a rank or thread does before it begins to be recorded is unknown.
      this.#builder.addRunning(this.#workers.of(row), { born: Math.min(from, slice.startNs), gone: to, line: 0 });
    }
    const missing = [
      { kind: 'message without its send or receive', count: this.#causes.unmatched, lines: [] },
      { kind: 'collective operation that some ranks did not record', count: this.#meetings.incomplete, lines: [] },
    ];
    const activities = this.#builder.build();
    return {
      ...{ activities, slice, arrivals: this.#arrivals, meetings: this.#meetings },
      problems: [...this.#builder.problems.list(), ...missing.filter(({ count }) => count > 0)],
    };
  }

  #addCall(span: Span): void {
    const { row, rank, name, startNs, endNs, queuedNs } = span;
    const last = this.#meetings.lastFor(row, endNs);
    const cause = last === null ? this.#messageFor(span) : { ...NO_MESSAGE, ...last, peer: last.rank };
    const copiedNs = HANDLING_NS + (cause?.bytes || 0) / COPIED_BYTES_PER_NS;
    // What it waited for was there before the rank had a processor to see it; that it had none earlier in the wait held up nothing.
    const cameNs = Math.max(startNs, cause?.startNs ?? startNs, endNs - Math.min(queuedNs, this.#pauseNs));
    const isItself = cause?.rank === rank && cause.message === null && cameNs === cause.startNs;
    if (cause === null || cause.startNs >= endNs || isItself || endNs - startNs <= copiedNs) {
      this.#addBusy(span, kindAlone(name, endNs - startNs));
      return;
    }
    this.#addBusy({ ...span, queuedNs: endNs - cameNs }, 'wait');
    const { links } = this.#options;
    const isCollective = last !== null;
    const bytes = isCollective ? at(this.#trace.spans.bytesSent, row) || 0 : cause.bytes;
    const onLinkNs = isCollective && links !== null ? links.needNs(bytes) : cause.onLinkNs;
    const key = name + TRANSFER;
    this.#arrivals.push({
      ...{ key, from: cause.peer, to: rank, sinceNs: startNs, startNs: cause.startNs, endNs: cameNs, bytes },
      ...{ onLinkNs: Math.min(onLinkNs || 0, cameNs - cause.startNs), isRelease: cause.isRelease },
      entries: isCollective ? this.#meetings.entriesOf(row) : null,
    });
    this.#addTransfer(span, { ...cause, cameNs, key });
  }

  /** The transfer that ended a wait. */
  #addTransfer(
    { row, rank }: Span,
    { message, cameNs, key, ...cause }: CallCause & { readonly cameNs: number; readonly key: string },
  ): void {
    this.#cameNs.set(`${rank} ${at(this.#trace.spans.endNs, row)}`, cameNs);
    if (message !== null) this.#taken.add(message);
    const to = this.#workers.of(row);
    const own = cause.rank === rank ? to : String(cause.rank);
    const from = message === null ? own : this.#senderOf(message);
    const times = { startNs: cause.startNs, endNs: cameNs };
    this.#builder.addTransfer({ from, to, ...times, name: key, bytes: cause.bytes, line: row + 1 });
  }

  #messageFor({ row, rank, startNs, endNs, queuedNs }: Span): CallCause | null {
    const doneNs = at(this.#trace.spans.endNs, row);
    return this.#causes.of({ rank, startNs, cameNs: Math.max(startNs, endNs - queuedNs), doneNs });
  }

  /** A message that ended no wait: it lay there before it was asked for, or others came later. */
  #addMessage(message: Message): void {
    const { worker, timeNs, bytes } = this.#trace.messages;
    const { onClock } = this.#options;
    const [sender, receiver] = [at(worker, message.send), at(worker, message.receive)];
    const startNs = onClock(sender, at(timeNs, message.send));
    const seenNs = onClock(receiver, at(timeNs, message.receive));
    const cameNs = this.#cameNs.get(`${receiver} ${at(timeNs, message.receive)}`) ?? Number.POSITIVE_INFINITY;
    // It was there before what the call waited for; by the clocks it may have been sent later.
    const endNs = startNs < cameNs ? Math.min(seenNs, cameNs - 1) : seenNs;
    this.#builder.addTransfer({
      ...{ from: this.#senderOf(message), to: String(receiver), startNs, endNs, name: 'message' },
      ...{ bytes: at(bytes, message.send), line: message.receive + 1 },
    });
  }

  #senderOf({ send }: Message): string {
    const { worker, timeNs } = this.#trace.messages;
    return this.#workers.callerAt(at(worker, send), at(timeNs, send));
  }

  #addBusy({ row, name, startNs, endNs, queuedNs }: Span, kind: ActivityKind): void {
    const own = { worker: this.#workers.of(row), name, kind, startNs, endNs, line: row + 1 };
    addBusy(this.#builder, { ...own, idleNs: queuedNs, idleName: name + IDLE });
  }
}

/** What a collective call waits for. */
const NO_MESSAGE = { bytes: Number.NaN, onLinkNs: Number.NaN, message: null, isRelease: false };

/** The lower quartile of the times that calls lacked a processor, ns. */
function pauseOf({ phase, queuedNs }: CellTrace['spans']): number {
  const lacked = [...queuedNs].filter((ns, row) => ns > 0 && phase[row] !== COMPUTE && phase[row] !== SHORT_CALLS);
  return lacked.length === 0 ? 0 : quantile(lacked, 0.25);
}

/** A call that no other rank is known to have ended. */
function kindAlone(name: string, lengthNs: number): ActivityKind {
  const role = roleOf(name);
  if (role === 'files') return 'io';
  if (lengthNs <= HANDLING_NS) return 'op';
  // What only sends waits until the links have taken what was sent before.
  return role === 'none' || role === 'to-root' ? 'buffer' : 'wait-input';
}

/** Who did what: a rank, or another thread of one (`3.1`: thread 1 of rank 3). */
interface Workers {
  of(row: number): string;
  /** Who began a call of a rank at an instant of its own clock. */
  callerAt(rank: number, ns: number): string;
}

function workersOf({ worker, startNs, keys }: CellTrace['spans']): Workers {
  const { thread = new Float64Array(0) } = keys;
  const of = (row: number): string => {
    const own = thread[row] ?? Number.NaN;
    return Number.isNaN(own) ? String(at(worker, row)) : `${at(worker, row)}.${own}`;
  };
  const others = new Map<string, string>();
  for (const [row, own] of thread.entries()) {
    if (!Number.isNaN(own)) others.set(`${at(worker, row)} ${at(startNs, row)}`, of(row));
  }
  return { of, callerAt: (rank, ns) => others.get(`${rank} ${ns}`) ?? String(rank) };
}
