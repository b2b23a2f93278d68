import { at } from '../../base/lists.ts';
import type { CellTrace } from '../store/read-traces.ts';

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

/** What of a trace tells where its calls are. */
export type Spans = Pick<CellTrace['spans'], 'worker' | 'phase' | 'startNs' | 'endNs' | 'keys'>;
/** A rank's time stamp on the clock of all ranks, ns. */
export type OnClock = (rank: number, ns: number) => number;

export const INIT = /^MPI_Init(_thread)?$/;

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
