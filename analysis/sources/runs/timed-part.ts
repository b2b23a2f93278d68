import { at, groupBy } from '../../../base/lists.ts';
import { SHORT_CALLS } from '../../../experiments/mpi-trace/spans.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import { type NamedCall, parseCall, type RecordedPart } from '../../../experiments/workloads/recorded-calls.ts';

import { lowerBound } from '../../path/graph/segment.ts';
import { roleOf } from '../../path/mpi/gatherings.ts';

// What of a recorded run is explained: what its user timed.

/** What a campaign says of the part of its recorded runs that is explained. */
export interface PartRule {
  /** Of the workload; null where it names none. */
  readonly part: RecordedPart | null;
  /** All from MPI_Init to MPI_Finalize, whatever was timed. */
  readonly whole: boolean;
}

/** The part of one run. Plain data. */
export interface TimedPart {
  /** By the calls that the workload names, by the program's own marks (MPI_Pcontrol), by the time that it printed, or the whole run. */
  readonly by: 'calls' | 'marks' | 'time' | 'run';
  /** On the clock of all ranks, one after the other. */
  readonly stretches: readonly Stretch[];
  /** `between its marks (MPI_Pcontrol)`. */
  readonly words: string;
  /** Why it is not what was asked for, sentences. */
  readonly warnings: readonly string[];
}

type Spans = CellTrace['spans'];
/** A rank's time stamp on the clock of all ranks, ns. */
type OnClock = (rank: number, ns: number) => number;

const INIT = /^MPI_Init(_thread)?$/;
const WHOLE = 'from MPI_Init to MPI_Finalize';
const TIMED = 'in the part that it timed';
const [ON, OFF] = ['MPI_Pcontrol_on', 'MPI_Pcontrol_off'];

interface Rules {
  readonly onClock: OnClock;
  readonly rule: PartRule;
  /** What the program said of its run. */
  readonly record: Pick<CellRecord, 'runs' | 'summary'>;
}

/**
 * The calls that the workload names, else the marks of the program, else what lasted as long as the time that it printed, else the whole
 * run. Between calls or marks a stretch begins when the last rank is in it and ends when the last one leaves it; a printed time is rank 0's.
 */
export function timedPart(spans: Spans, { onClock, rule, record }: Rules): TimedPart {
  const run = { by: 'run', stretches: [wholeRun(spans, onClock)], words: WHOLE, warnings: [] } as const;
  if (rule.whole) return run;
  if (rule.part !== null) return betweenCalls(spans, { onClock, part: rule.part }) ?? notThere(run, rule.part);
  const stretches = betweenMarks(spans, onClock);
  if (stretches.length === 0) {
    const timed = whatTook(printedNs(record), { spans, onClock });
    return timed === null ? run : { by: 'time', stretches: [timed], words: TIMED, warnings: [] };
  }
  const words = stretches.length === 1 ? 'between its marks' : `in its ${stretches.length} parts between marks`;
  return { by: 'marks', stretches, words: `${words} (MPI_Pcontrol)`, warnings: [] };
}

/** From the last rank's leaving MPI_Init to the last one's coming to MPI_Finalize; where a rank has neither, to its ends. */
export function wholeRun({ worker, phase, startNs, endNs }: Spans, onClock: OnClock): Stretch {
  let [begin, end, last, first] = [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (const [row, name] of phase.entries()) {
    const rank = at(worker, row);
    const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
    [first, last] = [Math.min(first, from), Math.max(last, to)];
    if (INIT.test(name)) begin = Math.max(begin, to);
    if (name === 'MPI_Finalize') end = Math.max(end, from);
  }
  const from = Number.isFinite(begin) ? begin : first;
  return { startNs: from, endNs: end > from ? end : last };
}

/** A call of a rank, on the clock of all. */
interface Call extends Stretch {
  readonly rank: number;
  readonly name: string;
  readonly count: number;
}

/** Calls of some names, earliest first. */
function callsOf({ worker, phase, startNs, endNs, keys }: Spans, names: readonly string[], onClock: OnClock): Call[] {
  const calls: Call[] = [];
  for (const [row, name] of phase.entries()) {
    if (!names.includes(name)) continue;
    const rank = at(worker, row);
    const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
    calls.push({ rank, name, count: keys.calls?.[row] || 1, startNs: from, endNs: to });
  }
  return calls.sort((a, b) => a.startNs - b.startNs);
}

/** From every mark above level 0 to the next one that is not; without any, up to the first of those. */
function betweenMarks(spans: Spans, onClock: OnClock): Stretch[] {
  const marks = groupBy(callsOf(spans, [ON, OFF], onClock), ({ rank }) => String(rank));
  if (marks.length === 0) return [];
  const run = wholeRun(spans, onClock);
  const byRank = marks.map((own) => {
    const firstOff = at(own, 0);
    if (!own.some(({ name }) => name === ON)) return [{ startNs: run.startNs, endNs: firstOff.startNs }];
    const parts: { startNs: number; endNs: number }[] = [];
    let since: number | null = null;
    for (const { name, startNs, endNs } of own) {
      if (name === ON) since ??= endNs;
      else if (since !== null) {
        parts.push({ startNs: since, endNs: startNs });
        since = null;
      }
    }
    return since === null ? parts : [...parts, { startNs: since, endNs: run.endNs }];
  });
  const most = Math.max(...byRank.map((parts) => parts.length));
  return Array.from({ length: most }, (_, place) => together(byRank.flatMap((parts) => parts[place] ?? []))).filter(
    isLong,
  );
}

/** The same part of every rank that has it. */
function together(parts: readonly Stretch[]): Stretch {
  return {
    startNs: Math.max(...parts.map(({ startNs }) => startNs)),
    endNs: Math.max(...parts.map(({ endNs }) => endNs)),
  };
}

function isLong({ startNs, endNs }: Stretch): boolean {
  return endNs > startNs;
}

/** The one time that a program printed, of all its iterations, and by how much its rounding and its timer's calls move it; ns. */
function printedNs({ runs, summary }: Rules['record']): { readonly ns: number; readonly offNs: number } | null {
  const [run, ...others] = runs;
  if (run === undefined || others.length > 0) return null;
  const iterations = Number(summary.timed_iterations ?? 1);
  const digits = /\.(\d+)$/.exec(String(run.ct))?.[1]?.length ?? 0;
  return { ns: run.ct * iterations * 1e9, offNs: 2e5 + 0.5e9 * iterations * 10 ** -digits };
}

/** Programs print what they set out to measure: not less than this share of the run. */
const LEAST_SHARE = 0.1;
/** Parts that have this share of each other in common are the same but for a call. */
const SAME = 0.8;

/**
 * What lasted as long as rank 0 printed, from the end of a collective operation of all ranks (a barrier, if it can be) or of MPI_Init to a
 * call's beginning or end; null where nothing did, or several parts of the run.
 */
function whatTook(
  printed: { readonly ns: number; readonly offNs: number } | null,
  { spans, onClock }: { readonly spans: Spans; readonly onClock: OnClock },
): Stretch | null {
  const run = wholeRun(spans, onClock);
  if (printed === null || printed.ns < LEAST_SHARE * totalNs([run]) || printed.ns > totalNs([run])) return null;
  const { worker, phase, startNs, endNs, keys } = spans;
  const isOnFirst = (row: number): boolean => worker[row] === 0 && Number.isNaN(keys.thread?.[row] ?? Number.NaN);
  const calls = [...phase.entries()].flatMap(([row, name]) =>
    name.startsWith('MPI_') && name !== SHORT_CALLS && isOnFirst(row) ? [row] : [],
  );
  const ends = calls
    .flatMap((row) => [startNs, endNs].map((times) => ({ row, times, ns: onClock(0, at(times, row)) })))
    .sort((a, b) => a.ns - b.ns);
  const endsNs = Float64Array.from(ends, ({ ns }) => ns);
  const found = calls.flatMap((row) => {
    const name = at(phase, row);
    if (roleOf(name) !== 'all' && !INIT.test(name)) return [];
    const from = onClock(0, at(endNs, row));
    const [first, last] = [-printed.offNs, printed.offNs].map((off) =>
      lowerBound(endsNs, { from: 0, to: ends.length, least: from + printed.ns + off }),
    );
    return ends.slice(first, last).map((to) => {
      return { row, name, to, startNs: from, endNs: to.ns, offNs: Math.abs(to.ns - from - printed.ns) };
    });
  });
  const barriers = found.filter(({ name }) => name === 'MPI_Barrier');
  const [best, ...others] = (barriers.length > 0 ? barriers : found).sort((a, b) => a.offNs - b.offNs);
  if (best === undefined) return null;
  const isSame = (one: Stretch): boolean =>
    Math.min(one.endNs, best.endNs) - Math.max(one.startNs, best.startNs) >= SAME * printed.ns;
  if (!others.every(isSame)) return null;
  /** The latest rank in the same call. */
  const lastOf = (of: number, times: Float64Array): number => {
    const turnOf = (row: number): string => `${keys.comm?.[row]} ${keys.turn?.[row]}`;
    const isCollective = !Number.isNaN(keys.turn?.[of] ?? Number.NaN);
    const same = isCollective ? [...phase.keys()].filter((row) => turnOf(row) === turnOf(of)) : [of];
    return same.reduce((latest, row) => Math.max(latest, onClock(at(worker, row), at(times, row))), 0);
  };
  return {
    startNs: INIT.test(best.name) ? run.startNs : lastOf(best.row, endNs),
    endNs: lastOf(best.to.row, best.to.times),
  };
}

/** Null where no rank made the calls. */
function betweenCalls(
  spans: Spans,
  { onClock, part }: { readonly onClock: OnClock; readonly part: RecordedPart },
): TimedPart | null {
  const [from, to] = endsOf(part);
  const calls = callsOf(spans, [from?.name ?? '', to?.name ?? ''], onClock);
  const run = wholeRun(spans, onClock);
  const parts = groupBy(calls, ({ rank }) => String(rank)).flatMap((own) => {
    const [first, last] = [from && chosen(own, from), to && chosen(own, to)];
    if (first === null || last === null) return [];
    return [{ startNs: first?.endNs ?? run.startNs, endNs: last?.startNs ?? run.endNs }];
  });
  const stretch = parts.length === 0 ? null : together(parts);
  if (stretch === null || !isLong(stretch)) return null;
  const isCounted = [from, to].some((call) => call !== undefined && call.which !== 1);
  const merged = new Set(spans.worker.filter((_, row) => spans.phase[row] === SHORT_CALLS)).size;
  const warnings =
    isCounted && merged > 0
      ? [
          `Short calls share records on ${merged} ranks, so a call that is counted may be another one: in the workload's part name collective operations.`,
        ]
      : [];
  return { by: 'calls', stretches: [stretch], words: wordsOf(part), warnings };
}

function endsOf({ from, to }: RecordedPart): readonly [from: NamedCall | undefined, to: NamedCall | undefined] {
  return [from === undefined ? undefined : parseCall(from, 1), to === undefined ? undefined : parseCall(to, 'last')];
}

/** The n-th call of a name, or the last one; null where there are fewer. A record of several tests counts as all of them. */
function chosen(calls: readonly Call[], { name, which }: NamedCall): Call | null {
  const own = calls.filter((call) => call.name === name);
  if (which === 'last') return own.at(-1) ?? null;
  let counted = 0;
  return (
    own.find(({ count }) => {
      counted += count;
      return counted >= which;
    }) ?? null
  );
}

function wordsOf(part: RecordedPart): string {
  const [from, to] = endsOf(part).map((call) =>
    call === undefined ? undefined : call.which === 'last' ? `the last ${call.name}` : `${call.name} ${call.which}`,
  );
  return `from ${from ?? 'MPI_Init'} to ${to ?? 'MPI_Finalize'}`;
}

function notThere(run: TimedPart, part: RecordedPart): TimedPart {
  const warning = `No rank has the part ${wordsOf(part)}, so the whole run is explained: correct the workload's part.`;
  return { ...run, warnings: [warning] };
}

/** What people call that part of a run, by the parts of several runs: `run between its marks`. */
export function partNoun(noun: string, parts: readonly Pick<TimedPart, 'by' | 'words'>[]): string {
  const [one, ...others] = [...new Set(parts.map(({ by, words }) => (by === 'marks' ? 'between its marks' : words)))];
  if (one === undefined || one === WHOLE) return others.length === 0 ? noun : `${noun}'s part`;
  if (one === TIMED && others.length === 0) return `timed ${noun}`;
  return others.length === 0 ? `${noun} ${one}` : `${noun}'s part`;
}

// Stretches of time of a run, one after the other, as if nothing lay between them.

/** A stretch of time, ns. */
export interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
}

/** How long they are together, ns. */
export function totalNs(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
}

/** An instant where the stretches follow each other at once; what is outside of them is at their nearest end. */
export function withoutGaps(ns: number, stretches: readonly Stretch[]): number {
  let passedNs = at(stretches, 0).startNs;
  for (const { startNs, endNs } of stretches) passedNs += Math.min(Math.max(ns - startNs, 0), endNs - startNs);
  return passedNs;
}

/** Whether something is in one of them. */
export function isWithin({ startNs, endNs }: Stretch, stretches: readonly Stretch[]): boolean {
  return stretches.some((one) => startNs < one.endNs && endNs > one.startNs);
}
