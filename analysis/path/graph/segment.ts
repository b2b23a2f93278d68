// Parts of a trace: slices of time, and what of a worker is at an instant.
import { badInput } from '../../../base/errors.ts';
import { lowerBound } from '../../../base/lists.ts';
import { ACTIVITY_KINDS, type Activities, type Slice } from '../activities.ts';

export const WAIT = ACTIVITY_KINDS.indexOf('wait');
export const BUFFER = ACTIVITY_KINDS.indexOf('buffer');
export const UNKNOWN = ACTIVITY_KINDS.indexOf('unknown');
/** Where a row of `work` is asked for: the worker runs, and nothing is stored. */
export const NO_ROW = -1;
/** The `kind` of an edge that is a transfer; else an index of `ACTIVITY_KINDS`. */
export const TRANSFER_EDGE = 255;
/** The worker of a vertex in which the border of a snapshot cuts a transfer. */
export const ON_THE_WIRE = -1;
/** More are no profile that anybody reads. */
const MOST_SLICES = 1_000_000;

/** From the first birth to the last end of a worker. Errors: badInput where no worker runs. */
export function wholeSlice({ bornNs, goneNs }: Activities): Slice {
  let [startNs, endNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const born of bornNs) startNs = Math.min(startNs, born);
  for (const gone of goneNs) endNs = Math.max(endNs, gone);
  if (!(startNs < endNs)) throw badInput('No worker is active here, so there is no critical path.');
  return { startNs, endNs };
}

/** A slice in parts of so many ns, the last one may be shorter. Errors: badInput for more than a million. */
export function slicesOf({ startNs, endNs }: Slice, lengthNs: number): Slice[] {
  const count = Math.ceil((endNs - startNs) / lengthNs);
  if (count > MOST_SLICES) {
    throw badInput(
      `Slices of ${lengthNs} ns divide this trace into ${count} slices: use longer ones, at most ${MOST_SLICES} slices are allowed.`,
    );
  }
  return Array.from({ length: count }, (_, index) => ({
    startNs: startNs + index * lengthNs,
    endNs: Math.min(endNs, startNs + (index + 1) * lengthNs),
  }));
}

/**
 * The last activity of a worker that begins before an instant, as a row of `work`; `NO_ROW` if none does. Activities without
 * length are passed over: they are no edges.
 */
export function rowBefore({ work }: Activities, worker: number, atNs: number): number {
  const from = work.first[worker] as number;
  const row = lowerBound(work.startNs, { from, to: work.first[worker + 1] as number, least: atNs }) - 1;
  return withLength(work, row, from);
}

/** This row, or the nearest one before it that has a length; `NO_ROW` if the worker has none from `from` on. */
export function withLength({ startNs, endNs }: Activities['work'], row: number, from: number): number {
  let found = row;
  while (found >= from && startNs[found] === endNs[found]) found -= 1;
  return found >= from ? found : NO_ROW;
}

/** Whether a worker waits just before an instant: the way into that vertex is a wait. False where it does not run. */
export function waitsBefore(activities: Activities, worker: number, atNs: number): boolean {
  const row = rowBefore(activities, worker, atNs);
  return row !== NO_ROW && activities.work.kind[row] === WAIT && (activities.work.endNs[row] as number) >= atNs;
}

/** Whether a worker runs just before an instant. */
export function runsBefore({ bornNs, goneNs }: Activities, worker: number, atNs: number): boolean {
  return (bornNs[worker] as number) < atNs && atNs <= (goneNs[worker] as number);
}

/** The transfers that arrive at a worker in one instant: rows [from, to). */
export function arrivalsAt(
  { transfers }: Activities,
  worker: number,
  atNs: number,
): { readonly from: number; readonly to: number } {
  const end = transfers.first[worker + 1] as number;
  const from = lowerBound(transfers.endNs, { from: transfers.first[worker] as number, to: end, least: atNs });
  let to = from;
  while (to < end && transfers.endNs[to] === atNs) to += 1;
  return { from, to };
}

/** Whether a transfer goes before another one in the order of preference: sent later, else of a lower worker. */
export function isLater({ startNs, from }: Activities['transfers'], row: number, than: number): boolean {
  const [sent, other] = [startNs[row] as number, startNs[than] as number];
  return sent > other || (sent === other && (from[row] as number) < (from[than] as number));
}
