import type { PrintedSearch } from './searches.ts';
import type { Graph500Summary } from './summary.ts';

export interface Evidence {
  readonly lines: readonly string[];
  readonly summary: Graph500Summary | null;
  readonly searches: readonly PrintedSearch[];
  /** What shows that the text holds more than one run. */
  readonly conflict: string | null;
  /** undefined: not known (a file); null: killed by a signal. */
  readonly exitCode?: number | null | undefined;
}

/**
 * Why a run does not count, in one sentence, or null. The reference exits 0 after a failed validation, so the text
 * decides first; the exit status and the counts come after.
 */
export function refuse({ lines, summary, searches, conflict, exitCode }: Evidence): string | null {
  const find = (pattern: RegExp): string | undefined => lines.find((line) => pattern.test(line))?.trim();
  const refusedRanks = find(/Number of processes \d+ is not a power of two/);
  if (refusedRanks !== undefined) {
    return `The program refuses ${/\d+/.exec(refusedRanks)?.[0]} ranks: it needs a power of two.`;
  }
  const fatal = find(/AML: Fatal/);
  if (fatal !== undefined) return `The program stopped: ${sentence(fatal)}`;
  const invalid = find(/validation (?:error|failed)/i);
  if (invalid !== undefined) return `A validation failed: ${sentence(invalid)}`;
  const unprinted = find(/No results printed/i);
  if (unprinted !== undefined) return `The program withheld its results: ${sentence(unprinted)}`;
  const timed = searches.filter((search) => search.time !== undefined).length;
  if (exitCode !== undefined && exitCode !== 0) {
    return `The program ended with ${exitCode === null ? 'a signal' : `exit status ${exitCode}`} after ${timed} searches.`;
  }
  if (lines.every((line) => line.trim() === '')) return 'The program printed nothing.';
  if (summary === null) return `The output ends after ${timed} searches without its results block (SCALE: ...).`;
  if (conflict !== null) return `The output holds more than one run: ${conflict} occurs with different values.`;
  return incompleteBlock(summary) ?? wrongCount({ summary, searches, timed });
}

function incompleteBlock(summary: Graph500Summary): string | null {
  const needed: readonly (readonly [string, number | null])[] = [
    ['NBFS', summary.nbfs],
    ['min_time', summary.bfs.time.min],
    ['max_time', summary.bfs.time.max],
    ['harmonic_mean_TEPS', summary.bfs.harmonicMeanTeps],
  ];
  const missing = needed.find(([, value]) => value === null)?.[0];
  return missing === undefined ? null : `The results block is cut short: it has no ${missing}.`;
}

function wrongCount({
  summary,
  searches,
  timed,
}: {
  summary: Graph500Summary;
  searches: readonly PrintedSearch[];
  timed: number;
}): string | null {
  if (timed !== summary.nbfs) return `The output has the times of ${timed} searches; its NBFS says ${summary.nbfs}.`;
  const rated = searches.filter((search) => search.teps !== undefined).length;
  return rated === 0 || rated === timed ? null : `The output is cut short: ${rated} of ${timed} searches have a TEPS.`;
}

function sentence(line: string): string {
  return `${line.replace(/[.\s]+$/, '')}.`;
}
