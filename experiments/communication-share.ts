import { COMPUTE } from './mpi-trace/spans.ts';
import type { CellRecord } from './records.ts';
import type { Workload } from './workloads/workload.ts';

/** In the summary of a record: the share of its timed runs in which ranks communicated or waited for it, mean over the ranks. */
const COMMUNICATION_SHARE = 'communication_share';

/** What a record's summary says of it; null where its trace did not tell. */
export function communicationShareOf({ [COMMUNICATION_SHARE]: share }: CellRecord['summary']): number | null {
  return share === undefined ? null : Number(share);
}

/** Where a program does not mark what it timed, its whole run tells only if so much of it was timed. */
const MOSTLY = 2 / 3;
const INIT = /^MPI_Init(_thread)?$/;
const [ON, OFF, END] = ['MPI_Pcontrol_on', 'MPI_Pcontrol_off', 'MPI_Finalize'];

interface Traced {
  /** Of the workload. */
  readonly timed: Workload['timed'];
  readonly runs: readonly Pick<CellRecord['runs'][number], 'ct'>[];
  /** How many iterations the runs are means of, all together; null where each is a time of its own. */
  readonly iterations: number | null;
}

/**
 * For the summary of a record, what phases.csv says of its run: of the phase that is one timed run, what is not `compute`; of recorded MPI calls, those between the
 * program's marks (MPI_Pcontrol), else those of the whole run where most of it was timed. Nothing where the trace does not tell.
 */
export function communicationSummary(phases: string, traced: Traced): CellRecord['summary'] {
  const share = shareIn(phases, traced);
  return share === null ? {} : { [COMMUNICATION_SHARE]: share };
}

function shareIn(phases: string, { timed, runs, iterations }: Traced): number | null {
  const spent = timed === null ? betweenCalls(phases) : withinPhase(phases, timed);
  const own = spent.marked ?? spent.whole;
  if (!(own.wholeNs > 0)) return null;
  if (timed === null && spent.marked === null) {
    const sumS = runs.reduce((sum, { ct }) => sum + ct, 0);
    const timedS = iterations === null ? sumS : (sumS / runs.length) * iterations;
    if (!(timedS * 1e9 * spent.ranks >= MOSTLY * own.wholeNs)) return null;
  }
  return Math.min(1, Math.max(0, 1 - own.computeNs / own.wholeNs));
}

/** Of all ranks together. */
interface Sum {
  computeNs: number;
  wholeNs: number;
}

interface Spent {
  readonly ranks: number;
  readonly whole: Sum;
  /** Between marks; null where there are none. */
  readonly marked: Sum | null;
}

function withinPhase(phases: string, { phase: timed, key }: NonNullable<Workload['timed']>): Spent {
  const whole = { computeNs: 0, wholeNs: 0 };
  const ranks = new Set<string>();
  for (const { worker, phase, ns, keyed } of spansOf(phases, key)) {
    if (!keyed) continue;
    ranks.add(worker);
    if (phase === timed) whole.wholeNs += ns;
    if (phase === COMPUTE) whole.computeNs += ns;
  }
  return { ranks: ranks.size, whole, marked: null };
}

/** Spans of a rank follow each other without a gap. */
function betweenCalls(phases: string): Spent {
  const [whole, marked] = [newSum(), newSum()];
  const running = new Map<string, boolean>();
  const timing = new Set<string>();
  let isMarked = false;
  for (const { worker, phase, ns } of spansOf(phases, null)) {
    if (!running.has(worker)) running.set(worker, true);
    if (INIT.test(phase)) running.set(worker, true);
    else if (phase === END) running.set(worker, false);
    else if (phase === ON) timing.add(worker);
    else if (phase === OFF) timing.delete(worker);
    else {
      if (running.get(worker)) add(whole, phase, ns);
      if (timing.has(worker)) add(marked, phase, ns);
    }
    isMarked ||= phase === ON;
  }
  return { ranks: running.size, whole, marked: isMarked ? marked : null };
}

function newSum(): Sum {
  return { computeNs: 0, wholeNs: 0 };
}

function add(sum: Sum, phase: string, ns: number): void {
  sum.wholeNs += ns;
  if (phase === COMPUTE) sum.computeNs += ns;
}

/** Those of ranks' main threads. `keyed`: whether a key stands beside it. */
function* spansOf(phases: string, key: string | null) {
  const end = phases.indexOf('\n');
  const names = phases.slice(0, end).trim().split(',');
  const [worker, phase, start, stop] = ['worker', 'phase', 'start_ns', 'end_ns'].map((name) => names.indexOf(name));
  const [thread, keyed] = [names.indexOf('thread'), key === null ? -1 : names.indexOf(key)];
  for (let from = end + 1; from > 0 && from < phases.length; ) {
    const next = phases.indexOf('\n', from);
    const to = next < 0 ? phases.length : next;
    const fields = phases.slice(from, to).trim().split(',');
    from = to + 1;
    const field = (place: number | undefined): string => fields[place ?? -1] ?? '';
    if (fields.length < names.length || field(thread) !== '') continue;
    const ns = Number(BigInt(field(stop)) - BigInt(field(start)));
    yield { worker: field(worker), phase: field(phase), ns, keyed: field(keyed) !== '' };
  }
}
