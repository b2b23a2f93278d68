import { microseconds, named, renderEvents, type TraceEvent } from './trace-events.ts';

/** A stretch of time of a worker, ns. */
interface LaneEvent {
  readonly worker: number;
  readonly name: string;
  readonly kind: string;
  readonly startNs: number;
  readonly endNs: number;
}

/** A step of a path, oldest first; a transfer goes `to` another worker. */
interface PathEvent extends LaneEvent {
  readonly to: number | null;
}

interface PathTrace {
  readonly workers: readonly string[];
  /** What workers did. */
  readonly events: Iterable<LaneEvent>;
  /** The critical path through it. */
  readonly path: Iterable<PathEvent>;
  /** The trace's time 0, ns. */
  readonly originNs: number;
}

const [WORKERS_PID, PATH_PID] = [1, 2];

/**
 * Workers with a critical path as JSON in the Trace Event Format, for ui.perfetto.dev: a thread per worker, arrows wherever the
 * path goes from one to another, and the path itself as a process of one thread.
 */
export function pathTrace(trace: PathTrace): string {
  return renderEvents(traceEvents(trace));
}

function* traceEvents({ workers, events, path, originNs }: PathTrace): Generator<TraceEvent> {
  const firstTid = PATH_PID + 1;
  const pathTid = firstTid + workers.length;
  yield* named('process', 'workers', WORKERS_PID);
  for (const [worker, name] of workers.entries()) yield* named('thread', name, WORKERS_PID, firstTid + worker);
  yield* named('process', 'critical path', PATH_PID);
  yield* named('thread', 'critical path', PATH_PID, pathTid);
  const at = (ns: number): number => microseconds(ns - originNs);
  const slice = ({ name, kind, startNs, endNs }: LaneEvent, pid: number, tid: number): TraceEvent => ({
    ...{ name, cat: kind, ph: 'X', pid, tid, ts: at(startNs), dur: microseconds(endNs - startNs), args: {} },
  });
  for (const event of events) yield slice(event, WORKERS_PID, firstTid + event.worker);
  let id = 0;
  for (const step of path) {
    const { worker, to, startNs, endNs } = step;
    yield {
      ...slice(step, PATH_PID, pathTid),
      args: { worker: workers[worker], ...(to === null ? {} : { to: workers[to] }) },
    };
    if (to === null) {
      // Of what nothing is recorded a worker has no event yet: arrows need one to begin and end at.
      if (step.kind === 'unknown') yield slice(step, WORKERS_PID, firstTid + worker);
      continue;
    }
    id += 1;
    const arrow = { name: 'critical path', cat: 'path', pid: WORKERS_PID, id, args: {} };
    // An arrow belongs to the event that is open at its time: what ended there is not, so it leaves a nanosecond before.
    yield { ...arrow, ph: 's', tid: firstTid + worker, ts: Math.max(0, at(startNs - 1)) };
    yield { ...arrow, ph: 'f', bp: 'e', tid: firstTid + to, ts: at(endNs) };
  }
}
