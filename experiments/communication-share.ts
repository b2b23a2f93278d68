import { at, own } from '../base/lists.ts';
import { type CallSpans, clocksOf, placesOf, totalNs, withoutGaps } from './mpi-trace/run-clock.ts';
import { COMPUTE } from './mpi-trace/spans.ts';
import { timedPart } from './mpi-trace/timed-part.ts';
import type { CellRecord } from './records.ts';
import { headerOf, keysOf, SPAN_COLUMNS } from './trace.ts';
import type { Workload } from './workloads/workload.ts';

/** In the summary of a record: the share of its timed runs in which ranks communicated or waited for it, mean over the ranks. */
const COMMUNICATION_SHARE = 'communication_share';

/** What a record's summary says of it; null where its trace did not tell. */
export function communicationShareOf({ [COMMUNICATION_SHARE]: share }: CellRecord['summary']): number | null {
  return share === undefined ? null : Number(share);
}

/** Where it is not seen what of a run was timed, the whole run tells only if so much of it was. */
const MOSTLY = 2 / 3;

type Traced = Pick<Workload, 'timed' | 'part'>;
type Recorded = Pick<CellRecord, 'cell' | 'hosts' | 'clocks' | 'runs' | 'summary'>;

/**
 * For the summary of a record, what phases.csv says of its run: of the phase that is one timed run, what is not `compute`; of recorded MPI calls, those in the part that
 * the user timed (mpi-trace/timed-part.ts), else those of the whole run where most of it was timed. Nothing where the trace does not tell.
 */
export function communicationSummary(phases: string, record: Recorded, { timed, part }: Traced): CellRecord['summary'] {
  const spans = readSpans(phases);
  if (spans === null) return {};
  const { computeNs, wholeNs } = timed === null ? withinPart(spans, record, part) : withinPhase(spans, timed);
  const share = Math.min(1, Math.max(0, 1 - computeNs / wholeNs));
  return wholeNs > 0 ? { [COMMUNICATION_SHARE]: share } : {};
}

/** Of all ranks together. */
interface Spent {
  readonly computeNs: number;
  readonly wholeNs: number;
}

function withinPhase(spans: CallSpans, { phases, key }: NonNullable<Workload['timed']>): Spent {
  const keyed = own(spans.keys, key);
  const sumOf = (names: readonly string[]): number =>
    spans.phase.reduce((sum, phase, row) => {
      const counts = names.includes(phase) && keyed !== undefined && !Number.isNaN(at(keyed, row));
      return counts ? sum + at(spans.endNs, row) - at(spans.startNs, row) : sum;
    }, 0);
  return { computeNs: sumOf([COMPUTE]), wholeNs: sumOf(phases) };
}

function withinPart(spans: CallSpans, record: Recorded, part: Traced['part'] = undefined): Spent {
  const { correct } = clocksOf(record);
  const hostOf = placesOf(record, { counters: [] });
  const onClock = (rank: number, ns: number): number => correct(hostOf(rank), ns);
  const { by, stretches } = timedPart(spans, { onClock, rule: { part: part ?? null, whole: false }, record });
  const lengthNs = totalNs(stretches);
  const { runs, summary } = record;
  const sumS = runs.reduce((sum, { ct }) => sum + ct, 0);
  const iterations = summary.timed_iterations === undefined ? null : Number(summary.timed_iterations);
  const timedS = iterations === null ? sumS : (sumS / runs.length) * iterations;
  if (by === 'run' && !(timedS * 1e9 >= MOSTLY * lengthNs)) return { computeNs: 0, wholeNs: 0 };
  const computeNs = spans.phase.reduce((sum, phase, row) => {
    if (phase !== COMPUTE) return sum;
    const [from = 0, to = 0] = [spans.startNs, spans.endNs].map((times) =>
      withoutGaps(onClock(at(spans.worker, row), at(times, row)), stretches),
    );
    return sum + to - from;
  }, 0);
  return { computeNs, wholeNs: new Set(spans.worker).size * lengthNs };
}

/** Those of ranks' main threads, times since the first row's start; null where there are none. */
function readSpans(phases: string): CallSpans | null {
  const names = headerOf(phases);
  const [worker = -1, phase = -1, start = -1, end = -1, thread = -1] = [
    ...['worker', 'phase', 'start_ns', 'end_ns', 'thread'].map((name) => names.indexOf(name)),
  ];
  const most = phases.split('\n').length;
  const [startNs, endNs] = [new Float64Array(most), new Float64Array(most)];
  const keys = keysOf(names, SPAN_COLUMNS).map((name) => ({
    ...{ name, place: names.indexOf(name), values: new Float64Array(most) },
  }));
  const spans = { worker: new Int32Array(most), phase: [] as string[] };
  let [firstNs, rows] = [0n, 0];
  // A million rows as lists of texts would be gigabytes.
  for (let from = phases.indexOf('\n') + 1; from > 0 && from < phases.length; ) {
    const next = phases.indexOf('\n', from);
    const fields = phases
      .slice(from, next < 0 ? undefined : next)
      .trimEnd()
      .split(',');
    from = next < 0 ? phases.length : next + 1;
    const field = (place: number): string => fields[place] ?? '';
    if (fields.length < names.length || field(thread) !== '') continue;
    if (rows === 0) firstNs = BigInt(field(start));
    spans.worker[rows] = Number(field(worker));
    spans.phase.push(field(phase));
    startNs[rows] = Number(BigInt(field(start)) - firstNs);
    endNs[rows] = Number(BigInt(field(end)) - firstNs);
    for (const { place, values } of keys) values[rows] = field(place) === '' ? Number.NaN : Number(field(place));
    rows += 1;
  }
  if (rows === 0) return null;
  return {
    ...{ worker: spans.worker.subarray(0, rows), phase: spans.phase },
    ...{ startNs: startNs.subarray(0, rows), endNs: endNs.subarray(0, rows) },
    keys: Object.fromEntries(keys.map(({ name, values }) => [name, values.subarray(0, rows)])),
  };
}
