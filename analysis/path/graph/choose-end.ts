import type { Activities, Slice } from '../activities.ts';
import { arrivalsAt, isLater, NO_ROW, rowBefore, runsBefore, waitsBefore } from './segment.ts';

/** Where the way back begins: at a worker, or on a transfer from it that the slice's end cuts. */
interface PathEnd {
  readonly worker: number;
  readonly transfer: number | null;
}

/**
 * The end of the critical path of a slice: the lowest worker that runs and does not wait there; if all wait, of the messages in
 * flight that end those waits the one sent last. Null where no worker runs, or all wait and nothing is on its way.
 */
export function chooseEnd(activities: Activities, { endNs }: Slice): PathEnd | null {
  const { workers, transfers } = activities;
  for (let worker = 0; worker < workers.length; worker += 1) {
    if (runsBefore(activities, worker, endNs) && !waitsBefore(activities, worker, endNs))
      return { worker, transfer: null };
  }
  let chosen = NO_ROW;
  for (let worker = 0; worker < workers.length; worker += 1) {
    if (!runsBefore(activities, worker, endNs)) continue;
    const wait = rowBefore(activities, worker, endNs);
    const { from, to } = arrivalsAt(activities, worker, activities.work.endNs[wait] as number);
    for (let row = from; row < to; row += 1) chosen = laterInFlight(activities, { row, chosen, endNs });
  }
  // A wait that no message ends: whatever is on its way.
  for (let row = 0; chosen === NO_ROW && row < transfers.startNs.length; row += 1) {
    chosen = laterInFlight(activities, { row, chosen, endNs });
  }
  return chosen === NO_ROW ? null : { worker: transfers.from[chosen] as number, transfer: chosen };
}

function laterInFlight(
  { transfers }: Activities,
  { row, chosen, endNs }: { readonly row: number; readonly chosen: number; readonly endNs: number },
): number {
  const inFlight = (transfers.startNs[row] as number) < endNs && endNs <= (transfers.endNs[row] as number);
  return inFlight && (chosen === NO_ROW || isLater(transfers, row, chosen)) ? row : chosen;
}
