import { at, groupBy } from '../../base/lists.ts';
import type { CellRecord } from '../records.ts';
import { type NamedCall, parseCall, type RecordedPart } from '../workloads/recorded-calls.ts';
import { printedNs, whatTook } from './printed-part.ts';
import { type CallSpans, type OnClock, type Stretch, wholeRun } from './run-clock.ts';
import { SHORT_CALLS } from './spans.ts';

// What of a recorded run counts: what its user timed.

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
export function timedPart(spans: CallSpans, { onClock, rule, record }: Rules): TimedPart {
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

/** A call of a rank, on the clock of all. */
interface Call extends Stretch {
  readonly rank: number;
  readonly name: string;
  readonly count: number;
}

/** Calls of some names, earliest first. */
function callsOf(
  { worker, phase, startNs, endNs, keys }: CallSpans,
  names: readonly string[],
  onClock: OnClock,
): Call[] {
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
function betweenMarks(spans: CallSpans, onClock: OnClock): Stretch[] {
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

/** Null where no rank made the calls. */
function betweenCalls(
  spans: CallSpans,
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
