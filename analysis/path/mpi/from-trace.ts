import { at } from '../../../base/index.ts';
import { type CellTrace, COMPUTE, SHORT_CALLS } from '../../../experiments/index.ts';
import type { Problem } from '../../problems.ts';
import type { Activities, ActivityKind } from '../activities.ts';
import { ActivityBuilder } from '../formats/index.ts';
import type { Slice } from '../graph/index.ts';
import { roleOf } from './calls.ts';
import { type CallCause, messageCause } from './causes.ts';
import { gatherings } from './gatherings.ts';
import { type Message, messageEnds } from './message-ends.ts';
import { programWindow, type Workers, workersOf } from './workers.ts';

/** A run whose MPI calls were recorded, as an activity graph. */
export interface MpiActivities {
  readonly activities: Activities;
  /** From the last rank's leaving MPI_Init to the last one's coming to MPI_Finalize: what the program did. */
  readonly window: Slice;
  readonly problems: readonly Problem[];
}

/** Whether a trace is one of MPI calls. */
export function isMpiTrace({ spans: { phase, keys } }: CellTrace): boolean {
  return keys.turn !== undefined && phase.some((name) => name.startsWith('MPI_'));
}

/** A call that took no longer than its own handling and copying, at 4 GB/s, waited for nobody. */
const HANDLING_NS = 2000;
const COPIED_BYTES_PER_NS = 4;

/** What a rank had no processor for is counted under. */
export const QUEUED = 'queued';

type OnClock = (rank: number, ns: number) => number;

/** `onClock`: a rank's time stamp on the clock of all ranks, ns. */
export function mpiActivities(trace: CellTrace, onClock: OnClock): MpiActivities {
  const { spans } = trace;
  const [workers, ends] = [workersOf(spans), messageEnds(trace.messages)];
  const meetings = gatherings(spans, onClock);
  const builder = new ActivityBuilder();
  const taken = new Set<Message>();
  for (const [row, name] of spans.phase.entries()) {
    const rank = at(spans.worker, row);
    const [startNs, endNs] = [onClock(rank, at(spans.startNs, row)), onClock(rank, at(spans.endNs, row))];
    if (endNs <= startNs) continue;
    const own = { worker: workers.of(row), name, line: row + 1 };
    if (name === COMPUTE || name === SHORT_CALLS) {
      addComputing(builder, { ...own, startNs, endNs, queuedNs: at(spans.queuedNs, row) || 0 });
      continue;
    }
    const last = meetings.lastFor(row, endNs);
    const cause: CallCause | null =
      last === null
        ? messageCause(trace.messages, ends, { rank, endNs: at(spans.endNs, row), onClock })
        : { ...last, bytes: Number.NaN, message: null };
    const copiedNs = HANDLING_NS + (cause?.bytes || 0) / COPIED_BYTES_PER_NS;
    if (cause === null || cause.startNs >= endNs || endNs - startNs <= copiedNs) {
      builder.addWork({ ...own, startNs, endNs, kind: kindAlone(name, endNs - startNs) });
      continue;
    }
    builder.addWork({ ...own, startNs, endNs, kind: 'wait' });
    const { message } = cause;
    if (message !== null) taken.add(message);
    const sender = message === null ? String(cause.rank) : senderOf(trace.messages, workers, message);
    const from = cause.rank === rank && message === null ? own.worker : sender;
    const transfer = { from, to: own.worker, startNs: cause.startNs, endNs, bytes: cause.bytes };
    builder.addTransfer({ ...transfer, name: `${name} transfer`, line: row + 1 });
  }
  addMessages(builder, { trace, messages: ends.all.filter((message) => !taken.has(message)), workers, onClock });
  const window = programWindow(spans, onClock);
  for (const [name, { startNs, endNs }] of workers.lives(onClock)) {
    // What a rank or thread does before it begins to be recorded is unknown.
    builder.addRunning(name, { born: Math.min(startNs, window.startNs), gone: endNs, line: 0 });
  }
  const missing = [
    { kind: 'message without its send or receive', count: ends.unmatched, lines: [] },
    { kind: 'collective operation that some ranks did not record', count: meetings.incomplete, lines: [] },
  ];
  const activities = builder.build();
  return { activities, window, problems: [...builder.problems.list(), ...missing.filter(({ count }) => count > 0)] };
}

interface Computing {
  readonly worker: string;
  readonly name: string;
  readonly line: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly queuedNs: number;
}

/** When it had no processor is not known, only how long: that part comes last. */
function addComputing(builder: ActivityBuilder, { queuedNs, startNs, endNs, ...own }: Computing): void {
  const busyUntilNs = Math.max(startNs, endNs - queuedNs);
  if (busyUntilNs > startNs) builder.addWork({ ...own, startNs, endNs: busyUntilNs, kind: 'op' });
  if (endNs > busyUntilNs) {
    builder.addWork({ ...own, name: QUEUED, startNs: busyUntilNs, endNs, kind: 'idle' });
  }
}

/** A call that no other rank is known to have ended. */
function kindAlone(name: string, lengthNs: number): ActivityKind {
  const role = roleOf(name);
  if (role === 'files') return 'io';
  return role !== 'none' && role !== 'to-root' && lengthNs > HANDLING_NS ? 'wait-input' : 'op';
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
  }: {
    readonly trace: CellTrace;
    readonly messages: readonly Message[];
    readonly workers: Workers;
    readonly onClock: OnClock;
  },
): void {
  const { worker, timeNs, bytes } = messages;
  for (const message of rows) {
    const [sender, receiver] = [at(worker, message.send), at(worker, message.receive)];
    builder.addTransfer({
      from: senderOf(messages, workers, message),
      to: String(receiver),
      startNs: onClock(sender, at(timeNs, message.send)),
      endNs: onClock(receiver, at(timeNs, message.receive)),
      name: 'message',
      bytes: at(bytes, message.send),
      line: message.receive + 1,
    });
  }
}
