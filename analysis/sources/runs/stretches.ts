// Stretches of time of a run, one after the other, as if nothing lay between them.
import { at } from '../../../base/lists.ts';

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
