// Format: https://graph500.org/?page_id=12 and the reference codes 1.2, 2.1, 2.x sequential and 3.0.

import { type Graph500Summary, summaryOf } from './graph500-output/graph500-summary.ts';
import { readFields } from './graph500-output/read-fields.ts';
import { refuse } from './graph500-output/refuse.ts';
import { readSearches, timeSearches } from './graph500-output/searches.ts';
import { untag } from './graph500-output/untag.ts';
import type { TimedRun } from './records.ts';

interface Graph500Read {
  /** Null when there is no results block. */
  readonly summary: Graph500Summary | null;
  /** The same block flat, by the specification's names. */
  readonly fields: Record<string, number>;
  /** The breadth-first searches: times in seconds, more exact than printed where TEPS allow it. */
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
  const { searches, repeated } = readSearches(lines);
  const summary = summaryOf(values);
  const { nedge } = summary ?? {};
  // A graph with one large component gives every root the same number of edges; else a root's own is unknown.
  const edges = nedge && nedge.min !== null && nedge.min === nedge.max ? nedge.min : null;
  const { timed, damaged } = timeSearches(searches, edges);
  const read = { summary, fields: { ...values }, searches: timed, validated: isValidated(summary, timed) };
  const twice = conflict ?? (repeated ? 'a search' : null);
  const reason = refuse({ lines, summary, searches, conflict: twice, impossible, exitCode, said }) ?? damaged;
  return reason === null ? { ...read, valid: true, reason } : { ...read, valid: false, reason };
}

function isValidated(summary: Graph500Summary | null, timed: readonly TimedRun[]): boolean {
  if (summary?.bfs.validate) return true;
  return summary !== null && timed.length > 0 && timed.every(({ validateS }) => validateS !== null);
}
