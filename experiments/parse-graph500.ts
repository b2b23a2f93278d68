import { shortened, withoutEnd } from '../base/text.ts';
import {
  type Graph500Summary,
  type Kernel,
  type PrintedSearch,
  readSearches,
  readSummary,
  timeSearches,
} from './graph500-searches.ts';
import type { TimedRun } from './records.ts';
import { describeExit } from './workloads/workload.ts';

// Format: https://graph500.org/?page_id=12 and the reference codes 1.2, 2.1, 2.x sequential and 3.0.

interface Graph500Read {
  /** Null when there is no results block. */
  readonly summary: Graph500Summary | null;
  /** The same block flat, by the specification's names. */
  readonly fields: Record<string, number>;
  /** Whose searches these are: shortest paths where a run did nothing else. */
  readonly kernel: Kernel;
  /** Times in seconds, more exact than printed where TEPS allow it. */
  readonly searches: TimedRun[];
  /** True when every search was validated by the program. */
  readonly validated: boolean;
}

/** `valid` false: the run does not count, and `reason` says why in one sentence; what could be read is still there. */
export type Graph500Result = Graph500Read &
  ({ readonly valid: true; readonly reason: null } | { readonly valid: false; readonly reason: string });

/**
 * Reads what one Graph500 run printed: stdout and stderr apart or merged, in any order, with or without mpirun's tags.
 * Never throws. Give `exitCode` where it is known (null: killed by a signal), and what the program `said` of its failure.
 */
export function parseGraph500(
  texts: readonly string[],
  { exitCode, said }: { readonly exitCode?: number | null; readonly said?: string } = {},
): Graph500Result {
  const lines = texts.flatMap(untag);
  const { values, conflict, impossible } = readFields(lines);
  const { kernel, searches, repeated } = readSearches(lines);
  const summary = readSummary(values);
  const { nedge } = summary ?? {};
  // A graph with one large component gives every root the same number of edges; else a root's own is unknown.
  const edges = nedge && nedge.min !== null && nedge.min === nedge.max ? nedge.min : null;
  const { timed, damaged } = timeSearches(searches, edges);
  const validated = summary?.[kernel]?.validate != null || isEachValidated(timed);
  const read = { kernel, summary, fields: { ...values }, searches: timed, validated: summary !== null && validated };
  const twice = conflict ?? (repeated ? 'a search' : null);
  const reason = refuse({ lines, kernel, summary, searches, conflict: twice, impossible, exitCode, said }) ?? damaged;
  return reason === null ? { ...read, valid: true, reason } : { ...read, valid: false, reason };
}

function isEachValidated(timed: readonly TimedRun[]): boolean {
  return timed.length > 0 && timed.every(({ validateS }) => validateS !== null);
}

// Result block of https://graph500.org/?page_id=12 (section "Output format") and of the reference codes 1.2 to 3.0.

const NUMBER = String.raw`([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)`;
const LINE = new RegExp(String.raw`^\s*(?:(bfs|sssp)[ _]+)?([A-Za-z]\w*):\s*(?:!\s*)?${NUMBER}(?:\s*(?:s|TEPS))?\s*$`);
const SINGLE = new Set(
  'SCALE edgefactor NBFS nvtx terasize A B C D num_mpi_processes reference_time mean_supersteps delta'.split(' '),
);
/** Whole numbers. */
const COUNTED = new Set('SCALE NBFS num_mpi_processes'.split(' '));
const DURATION = new Set(['graph_generation', 'construction_time']);
const STATISTIC =
  /^(?:(?:min|firstquartile|median|thirdquartile|max|mean|stddev)_(?:time|nedge|TEPS|validate)|harmonic_(?:mean|stddev)_TEPS)$/;

/** Names used by some dialect for a field that the 3.0 reference calls otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nbfs', 'NBFS'],
  ['generation_time', 'graph_generation'],
]);

interface Fields {
  /** By the specification's names: SCALE, bfs_median_time, min_nedge, sssp_harmonic_mean_TEPS, ... */
  readonly values: Readonly<Record<string, number>>;
  /** A field that occurs with two different values: the text holds more than one run. */
  readonly conflict: string | null;
  /** A field with a number that no run has, as words. */
  readonly impossible: string | null;
}

/** Every `name: value` line of a result block, in any dialect, under one name each. */
function readFields(lines: readonly string[]): Fields {
  const texts = new Map<string, string>();
  let conflict: string | null = null;
  let impossible: string | null = null;
  for (const line of lines) {
    const match = LINE.exec(line);
    const [, kernel, printed = '', value = ''] = match ?? [];
    const name = match ? fieldName(kernel, printed) : null;
    if (name === null) continue;
    if (!isPossible(name, Number(value))) impossible ??= `${name} is ${shortened(value)}`;
    const known = texts.get(name);
    if (known === undefined) texts.set(name, value);
    // stderr repeats the two durations of the block with fewer digits.
    else if (DURATION.has(name)) texts.set(name, known.length >= value.length ? known : value);
    else if (Number(known) !== Number(value)) conflict ??= name;
  }
  return { values: Object.fromEntries([...texts].map(([name, text]) => [name, Number(text)])), conflict, impossible };
}

/** Skipped validations are printed as -1; everything else is a count, a time, a rate or a probability. */
function isPossible(name: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (COUNTED.has(name)) return Number.isSafeInteger(value) && value >= 0;
  return value >= 0 || (name.endsWith('_validate') && value === -1);
}

function fieldName(kernel: string | undefined, printed: string): string | null {
  const name = (ALIASES.get(printed) ?? printed).replace(/_validation_time$/, '_validate');
  if (SINGLE.has(name) || DURATION.has(name)) return name;
  if (!STATISTIC.test(name)) return null;
  // The number of edges belongs to the search keys: the reference prints it once, for both kernels.
  if (name.endsWith('_nedge') && kernel !== 'sssp') return name;
  return `${kernel ?? 'bfs'}_${name}`;
}

interface Evidence {
  readonly lines: readonly string[];
  readonly kernel: Kernel;
  readonly summary: Graph500Summary | null;
  readonly searches: readonly PrintedSearch[];
  /** What shows that the text holds more than one run. */
  readonly conflict: string | null;
  /** A number that no run has. */
  readonly impossible: string | null;
  /** undefined: not known (a file); null: killed by a signal. */
  readonly exitCode?: number | null | undefined;
  /** What the program said of its failure. */
  readonly said?: string | undefined;
}

/** Lines that say so, the clearest first, and what they mean. */
const SIGNS: readonly (readonly [pattern: RegExp, meaning: (line: string) => string])[] = [
  [
    /Number of processes \d+ is not a power of two/,
    (line) => `The program rejects ${shortened(/\d+/.exec(line)?.[0] ?? '')} ranks: it needs a power of two.`,
  ],
  [/AML: Fatal/, (line) => `The program stopped: ${sentence(line)}`],
  [/validation (?:error|failed)/i, (line) => `A validation failed: ${sentence(line)}`],
  [/No results printed/i, (line) => `The program did not print its results: ${sentence(line)}`],
];

/**
 * Why a run does not count, in one sentence, or null. The reference exits 0 after a failed validation, so the text
 * decides first; the exit status and the counts come after.
 */
function refuse({
  lines,
  kernel,
  summary,
  searches,
  conflict,
  impossible,
  exitCode,
  said = '',
}: Evidence): string | null {
  for (const [pattern, meaning] of SIGNS) {
    const line = lines.find((one) => pattern.test(one));
    if (line !== undefined) return meaning(line.trim());
  }
  const timed = searches.filter((search) => search.time !== undefined).length;
  if (exitCode !== undefined && exitCode !== 0) {
    const why = said === '' ? '' : `: ${sentence(said).slice(0, -1)}`;
    return `The program ended with ${describeExit(exitCode)} after ${timed} searches${why}.`;
  }
  if (lines.every((line) => line.trim() === '')) return 'The program printed nothing.';
  if (summary === null) return `The output ends after ${timed} searches and has no results block (SCALE: ...).`;
  if (conflict !== null) return `The output holds more than one run: ${conflict} occurs with different values.`;
  if (impossible !== null) return `The output is damaged: ${impossible}.`;
  const { nbfs } = summary;
  const figures = summary[kernel];
  const needed = {
    NBFS: nbfs,
    min_time: figures?.time.min ?? null,
    max_time: figures?.time.max ?? null,
    harmonic_mean_TEPS: figures?.harmonicMeanTeps ?? null,
  };
  const missing = Object.entries(needed).find(([, value]) => value === null)?.[0];
  if (missing !== undefined) return `The results block is truncated: it has no ${missing}.`;
  if (timed !== nbfs) return `The output has the times of ${timed} searches; its NBFS says ${nbfs}.`;
  const rated = searches.filter((search) => search.teps !== undefined).length;
  return rated === 0 || rated === timed
    ? null
    : `The output is truncated: ${rated} of ${timed} searches have a TEPS value.`;
}

function sentence(line: string): string {
  return `${withoutEnd(shortened(line, 300), '. \t\r\n')}.`;
}

// mpirun --tag-output: every write carries `[job,rank]<stream>:` (5.x: `[name@job,rank]`), and writes of several streams may cut each other's lines.
const TAG = /\[((?:[\w.-]+@)?\d+,\d+)\]<(stdout|stderr|stddiag)>:/g;

// `[3] ` of mpiexec -prepend-rank and `3: ` of srun --label.
const RANK_PREFIX = /^(?:\[\d+\]|\d+:) +/;

/** Output as the program wrote it, in lines: tags removed and each stream's fragments joined; CRLF becomes LF. */
function untag(text: string): string[] {
  const streams = new Map<string, string>();
  const append = (stream: string, piece: string): void => {
    streams.set(stream, (streams.get(stream) ?? '') + piece);
  };
  let stream = '';
  let from = 0;
  const clean = text.replace(/\r+\n?/g, '\n');
  for (const match of clean.matchAll(TAG)) {
    append(stream, clean.slice(from, match.index));
    stream = `${match[2]} ${match[1]}`;
    from = match.index + match[0].length;
  }
  append(stream, clean.slice(from));
  return [...streams.values()].flatMap((whole) => whole.split('\n')).map((line) => line.replace(RANK_PREFIX, ''));
}
