import { quantile } from 'simple-statistics';
import { at } from '../../../base/lists.ts';
import { COMPUTE, SHORT_CALLS } from '../../../experiments/mpi-trace/spans.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { Problem } from '../../problems.ts';
import { wholeRun } from '../../sources/runs/timed-part.ts';
import type { ActivityKind, Slice } from '../activities.ts';
import { ActivityBuilder } from '../formats/activity-builder.ts';
import type { Links } from '../link-queues.ts';
import { type Arrival, IDLE, type RunGraph, TRANSFER } from '../run-graph.ts';
import { type CallCause, type Message, messageCauses, messageEnds, type OnClock } from './causes.ts';
import { type Gatherings, gatherings, roleOf } from './gatherings.ts';

/** A run whose MPI calls were recorded: from the last rank's leaving MPI_Init to the last one's coming to MPI_Finalize. */
export interface MpiActivities extends RunGraph {
  readonly meetings: Gatherings;
  readonly problems: readonly Problem[];
}

/** Whether a trace is one of MPI calls. */
export function isMpiTrace({ spans: { phase, keys } }: CellTrace): boolean {
  return keys.turn !== undefined && phase.some((name) => name.startsWith('MPI_'));
}

/** A call that took no longer than its own handling and copying, at 4 GB/s, waited for nobody. */
const HANDLING_NS = 2000;
const COPIED_BYTES_PER_NS = 4;

/** The activities of a run and what ranks waited for. */
export function mpiActivities(
  trace: CellTrace,
  { onClock, links }: { readonly onClock: OnClock; readonly links: Links | null },
): MpiActivities {
  const { spans } = trace;
  const [workers, ends] = [workersOf(spans), messageEnds(trace.messages)];
  const meetings = gatherings(spans, onClock);
  const causes = messageCauses(trace.messages, ends, { onClock, links });
  const builder = new ActivityBuilder();
  const taken = new Set<Message>();
  /** When what a rank waited for in a call came, by the call's end. */
  const came = new Map<string, number>();
  const arrivals: Arrival[] = [];
  const pauseNs = pauseOf(spans);
  for (const [row, name] of spans.phase.entries()) {
    const rank = at(spans.worker, row);
    const [startNs, endNs] = [onClock(rank, at(spans.startNs, row)), onClock(rank, at(spans.endNs, row))];
    if (endNs <= startNs) continue;
    const own = { worker: workers.of(row), name, line: row + 1 };
    const queuedNs = at(spans.queuedNs, row) || 0;
    if (name === COMPUTE || name === SHORT_CALLS) {
      addOwn(builder, { ...own, startNs, endNs, queuedNs, kind: 'op' });
      continue;
    }
    const last = meetings.lastFor(row, endNs);
    const cause: CallCause | null =
      last === null
        ? causes.of({ rank, startNs, cameNs: Math.max(startNs, endNs - queuedNs), doneNs: at(spans.endNs, row) })
        : { ...last, peer: last.rank, bytes: Number.NaN, onLinkNs: Number.NaN, message: null, isRelease: false };
    const copiedNs = HANDLING_NS + (cause?.bytes || 0) / COPIED_BYTES_PER_NS;
    // What it waited for was there before the rank had a processor to see it; that it had none earlier in the wait held up nothing.
    const cameNs = Math.max(startNs, cause?.startNs ?? startNs, endNs - Math.min(queuedNs, pauseNs));
    const isItself = cause?.rank === rank && cause.message === null && cameNs === cause.startNs;
    if (cause === null || cause.startNs >= endNs || isItself || endNs - startNs <= copiedNs) {
      addOwn(builder, { ...own, startNs, endNs, queuedNs, kind: kindAlone(name, endNs - startNs) });
      continue;
    }
    addOwn(builder, { ...own, startNs, endNs, queuedNs: endNs - cameNs, kind: 'wait' });
    const { message } = cause;
    const isCollective = last !== null;
    const bytes = isCollective ? at(spans.bytesSent, row) || 0 : cause.bytes;
    const onLinkNs = isCollective && links !== null ? links.needNs(bytes) : cause.onLinkNs;
    arrivals.push({
      ...{ key: name + TRANSFER, from: cause.peer, to: rank, sinceNs: startNs, startNs: cause.startNs, endNs: cameNs },
      ...{ bytes, onLinkNs: Math.min(onLinkNs || 0, cameNs - cause.startNs), isRelease: cause.isRelease },
      entries: isCollective ? meetings.entriesOf(row) : null,
    });
    came.set(`${rank} ${at(spans.endNs, row)}`, cameNs);
    if (message !== null) taken.add(message);
    const sender = message === null ? String(cause.rank) : senderOf(trace.messages, workers, message);
    const from = cause.rank === rank && message === null ? own.worker : sender;
    const transfer = { from, to: own.worker, startNs: cause.startNs, endNs: cameNs, bytes: cause.bytes };
    builder.addTransfer({ ...transfer, name: name + TRANSFER, line: row + 1 });
  }
  addMessages(builder, { trace, messages: ends.all.filter((message) => !taken.has(message)), workers, onClock, came });
  const slice = wholeRun(spans, onClock);
  for (const [name, { startNs, endNs }] of workers.lives(onClock)) {
    // What a rank or thread does before it begins to be recorded is unknown.
    builder.addRunning(name, { born: Math.min(startNs, slice.startNs), gone: endNs, line: 0 });
  }
  const missing = [
    { kind: 'message without its send or receive', count: ends.unmatched, lines: [] },
    { kind: 'collective operation that some ranks did not record', count: meetings.incomplete, lines: [] },
  ];
  const activities = builder.build();
  return {
    ...{ activities, slice, arrivals, meetings },
    problems: [...builder.problems.list(), ...missing.filter(({ count }) => count > 0)],
  };
}

/** For how long ranks are without a processor at a time: the lower quartile of calls that lacked one, ns. */
function pauseOf({ phase, queuedNs }: CellTrace['spans']): number {
  const lacked = [...queuedNs].filter((ns, row) => ns > 0 && phase[row] !== COMPUTE && phase[row] !== SHORT_CALLS);
  return lacked.length === 0 ? 0 : quantile(lacked, 0.25);
}

interface Own {
  readonly worker: string;
  readonly name: string;
  readonly line: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly queuedNs: number;
  readonly kind: ActivityKind;
}

/** When it had no processor is not known, only how long: that part comes last. */
function addOwn(builder: ActivityBuilder, { queuedNs, startNs, endNs, ...own }: Own): void {
  const busyUntilNs = Math.max(startNs, endNs - queuedNs);
  if (busyUntilNs > startNs) builder.addWork({ ...own, startNs, endNs: busyUntilNs });
  if (endNs > busyUntilNs) {
    builder.addWork({ ...own, name: own.name + IDLE, startNs: busyUntilNs, endNs, kind: 'idle' });
  }
}

/** A call that no other rank is known to have ended. */
function kindAlone(name: string, lengthNs: number): ActivityKind {
  const role = roleOf(name);
  if (role === 'files') return 'io';
  if (lengthNs <= HANDLING_NS) return 'op';
  // What only sends waits until the links have taken what was sent before.
  return role === 'none' || role === 'to-root' ? 'buffer' : 'wait-input';
}

function senderOf({ worker, timeNs }: CellTrace['messages'], workers: Workers, { send }: Message): string {
  return workers.callerAt(at(worker, send), at(timeNs, send));
}

/** Messages that ended no wait: they lay there before they were asked for, or others came later. */
function addMessages(
  builder: ActivityBuilder,
  {
    trace: { messages },
    messages: rows,
    workers,
    onClock,
    came,
  }: {
    readonly trace: CellTrace;
    readonly messages: readonly Message[];
    readonly workers: Workers;
    readonly onClock: OnClock;
    readonly came: ReadonlyMap<string, number>;
  },
): void {
  const { worker, timeNs, bytes } = messages;
  for (const message of rows) {
    const [sender, receiver] = [at(worker, message.send), at(worker, message.receive)];
    const startNs = onClock(sender, at(timeNs, message.send));
    const seenNs = onClock(receiver, at(timeNs, message.receive));
    const cameNs = came.get(`${receiver} ${at(timeNs, message.receive)}`) ?? Number.POSITIVE_INFINITY;
    // It was there before what the call waited for; by the clocks it may have been sent later.
    const endNs = startNs < cameNs ? Math.min(seenNs, cameNs - 1) : seenNs;
    builder.addTransfer({
      ...{ from: senderOf(messages, workers, message), to: String(receiver), startNs, endNs },
      name: 'message',
      bytes: at(bytes, message.send),
      line: message.receive + 1,
    });
  }
}

type Spans = CellTrace['spans'];

/** Who did what: a rank, or another thread of one (`3.1`: thread 1 of rank 3). */
export interface Workers {
  of(row: number): string;
  /** Who began a call of a rank at an instant of its own clock. */
  callerAt(rank: number, ns: number): string;
  /** From the first to the last span of each, on the clock of all. */
  lives(onClock: OnClock): ReadonlyMap<string, Slice>;
}

export function workersOf({ worker, startNs, endNs, keys }: Spans): Workers {
  const { thread = new Float64Array(0) } = keys;
  const of = (row: number): string => {
    const own = thread[row] ?? Number.NaN;
    return Number.isNaN(own) ? String(at(worker, row)) : `${at(worker, row)}.${own}`;
  };
  const others = new Map<string, string>();
  for (const [row, own] of thread.entries()) {
    if (!Number.isNaN(own)) others.set(`${at(worker, row)} ${at(startNs, row)}`, of(row));
  }
  return {
    of,
    callerAt: (rank, ns) => others.get(`${rank} ${ns}`) ?? String(rank),
    lives: (onClock) => {
      const lives = new Map<string, Slice>();
      for (const [row, rank] of worker.entries()) {
        const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
        const known = lives.get(of(row)) ?? { startNs: from, endNs: to };
        lives.set(of(row), { startNs: Math.min(known.startNs, from), endNs: Math.max(known.endNs, to) });
      }
      return lives;
    },
  };
}
