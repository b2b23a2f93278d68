import { at } from '../../../base/lists.ts';
import type { TimelyTrace, TracedWorker } from './timely-trace.ts';
import { ENDED_BY } from './wait-analysis.ts';

/** Why a worker that spun went on, times on the trace's one clock, ns. */
export interface TimelyWait {
  readonly worker: number;
  readonly startNs: number;
  readonly endNs: number;
  /** The message that ended the wait; null where the worker waited for input. */
  readonly cause: {
    readonly kind: 'data' | 'progress';
    readonly worker: number;
    readonly sentNs: number;
    readonly readNs: number;
    /** It came over the network; else it arrived as it was sent. */
    readonly isNetwork: boolean;
  } | null;
  /** What the worker did without a message to explain it; null where there was one. */
  readonly reason: string | null;
}

/** The waits of all workers, by worker and time. */
export function waitsOf(trace: TimelyTrace): TimelyWait[] {
  return trace.traced().flatMap((worker) => waitsOfWorker(trace, worker));
}

function waitsOfWorker({ joins }: TimelyTrace, { number, log }: TracedWorker): TimelyWait[] {
  const { length, of } = log.waits.ended;
  const skewNs = joins.skewOf(number);
  return Array.from({ length }, (_, row) => {
    const [endedBy, source] = [at(of.endedBy, row), at(of.source, row)];
    const [startNs, endNs] = [at(of.start, row) - skewNs, at(of.end, row) - skewNs];
    const wait = { worker: number, startNs, endNs };
    const reason = reasonOf(endedBy, log.operators.names[source] ?? '');
    if (reason !== null) return { ...wait, cause: null, reason };
    const kind = endedBy === ENDED_BY.data ? 'data' : 'progress';
    const times = { sentNs: at(of.sent, row) - joins.skewOf(source), readNs: at(of.read, row) - skewNs };
    return { ...wait, cause: { kind, worker: source, ...times, isNetwork: joins.isNetwork(source, number) }, reason };
  });
}

/** What a worker did that no message explains; those of executions are in the words of their operator. */
const REASONS = new Map<number, string>([
  [ENDED_BY.readWhileItArrived, 'message read by the execution during which it arrived'],
  [ENDED_BY.sendOutside, 'send outside operators'],
  [ENDED_BY.progressSentWithoutCause, 'progress sent without cause'],
  [ENDED_BY.pushWithoutCause, 'progress pushed without cause'],
  [ENDED_BY.readWithoutSend, 'progress read that nobody is known to have sent'],
]);

function reasonOf(endedBy: number, operator: string): string | null {
  if (endedBy === ENDED_BY.activeWithoutCause) return `${operator.replace(/#\d+$/, '')} active without cause`;
  return REASONS.get(endedBy) ?? null;
}
