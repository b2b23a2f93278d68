import { shortened, withoutEnd } from '../../base/text.ts';
import { describeExit } from '../workloads/workload.ts';
import type { Graph500Summary } from './graph500-summary.ts';
import type { PrintedSearch } from './searches.ts';

interface Evidence {
  readonly lines: readonly string[];
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
export function refuse({
  lines,
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
  const { nbfs, bfs } = summary;
  const needed = {
    NBFS: nbfs,
    min_time: bfs.time.min,
    max_time: bfs.time.max,
    harmonic_mean_TEPS: bfs.harmonicMeanTeps,
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
