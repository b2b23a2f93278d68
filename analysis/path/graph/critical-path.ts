// Algorithm 1 (Sager, ETH 2016, section 3.4) on columns, with the preferences of section 5.3.1.
import { badInput } from '../../../base/errors.ts';
import type { Activities, Slice } from '../activities.ts';
import { type ActivityPath, type BrokenPath, GAP_STEP, PathWriter, TRANSFER_STEP, WORK_STEP } from './activity-path.ts';
import { arrivalsAt, isLater, NO_ROW, rowBefore, runsBefore, WAIT, waitsBefore, withLength } from './segment.ts';

/**
 * A critical path of a slice, found backwards from its end: the worker's own activity where it was not waiting, else the message
 * that ended the wait (sent last, then of the lowest worker). A graph with properties 3.9 to 3.11 has a path of the slice's
 * whole length; where one of them fails the path ends, and `broken` says where. Costs a binary search per hop and a step per
 * edge on the path. Errors: badInput for messages without length that go in a circle on the way.
 *
 * @example
 * const path = criticalPath(activities, { startNs: 0, endNs: 1e9 });
 */
export function criticalPath(activities: Activities, slice: Slice): ActivityPath {
  const writer = new PathWriter();
  const { startNs, endNs } = slice;
  if (endNs <= startNs) return writer.finish({ startNs, endNs, broken: null });
  const from = chooseEnd(activities, slice);
  if (from === null) {
    return writer.finish({ startNs, endNs, broken: { property: '3.10', worker: null, atNs: endNs } });
  }
  if (from.transfer === null) return follow(activities, { slice, writer, worker: from.worker, atNs: endNs });
  const { transfers } = activities;
  const [row, sentNs] = [from.transfer, transfers.startNs[from.transfer] as number];
  const beganNs = Math.max(sentNs, startNs);
  if ((transfers.endNs[row] as number) > endNs) writer.pushCut(row, from.worker, beganNs, endNs);
  else writer.push(TRANSFER_STEP, row, from.worker, beganNs, endNs);
  return follow(activities, { slice, writer, worker: from.worker, atNs: beganNs });
}

/**
 * What went before an instant of a worker, by the same rules, back to what sent the last of so many messages: from the end of a
 * wait, what the wait was for.
 */
export function precededBy(
  activities: Activities,
  {
    worker,
    atNs,
    hops,
    startNs,
  }: { readonly worker: number; readonly atNs: number; readonly hops: number } & Pick<Slice, 'startNs'>,
): ActivityPath {
  const slice = { startNs, endNs: atNs };
  return follow(activities, { slice, writer: new PathWriter(), worker, atNs, hops });
}

/** Where the way back begins: at a worker, or on a transfer from it that the slice's end cuts. */
interface PathEnd {
  readonly worker: number;
  readonly transfer: number | null;
}

/**
 * The end of the critical path of a slice: the lowest worker that runs and does not wait there; if all wait, of the messages in
 * flight that end those waits the one sent last. Null where no worker runs, or all wait and nothing is on its way.
 */
function chooseEnd(activities: Activities, { endNs }: Slice): PathEnd | null {
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

interface Way {
  readonly slice: Slice;
  readonly writer: PathWriter;
  readonly worker: number;
  readonly atNs: number;
  /** After the step that sent the last of so many messages the path ends. */
  readonly hops?: number;
}

/** Goes back from an instant of a worker to the beginning of the slice. */
function follow(activities: Activities, way: Way): ActivityPath {
  const { slice, writer, hops = Number.POSITIVE_INFINITY } = way;
  const { work, transfers, bornNs, goneNs } = activities;
  const { startNs } = slice;
  let { worker, atNs } = way;
  let broken: BrokenPath | null = null;
  let row = rowBefore(activities, worker, atNs);
  let hopsHere = 0;
  while (atNs > startNs) {
    const runs = (bornNs[worker] as number) < atNs && atNs <= (goneNs[worker] as number);
    const inside = runs && row !== NO_ROW && (work.endNs[row] as number) >= atNs;
    const waits = inside && work.kind[row] === WAIT;
    if (runs && !waits) {
      const beganNs = inside ? (work.startNs[row] as number) : gapStart(activities, worker, row);
      writer.push(inside ? WORK_STEP : GAP_STEP, inside ? row : NO_ROW, worker, Math.max(beganNs, startNs), atNs);
      if (writer.hops >= hops) break;
      if (inside) row = withLength(work, row - 1, work.first[worker] as number);
      atNs = beganNs;
      hopsHere = 0;
      continue;
    }
    const arrival = latestArrival(activities, worker, atNs);
    if (arrival === NO_ROW) {
      broken = { property: waits ? '3.11' : '3.9', worker, atNs };
      break;
    }
    if (writer.hops >= hops) break;
    const [source, sentNs] = [transfers.from[arrival] as number, transfers.startNs[arrival] as number];
    writer.push(TRANSFER_STEP, arrival, source, Math.max(sentNs, startNs), atNs);
    hopsHere = sentNs === atNs ? hopsHere + 1 : 0;
    if (hopsHere > activities.workers.length) throw inACircle(activities, worker, atNs);
    worker = source;
    atNs = sentNs;
    row = rowBefore(activities, worker, atNs);
  }
  return writer.finish({ ...slice, broken });
}

/** Where a time of which nothing is stored begins: the end of what comes before, or the worker's birth. */
function gapStart({ work, bornNs }: Activities, worker: number, row: number): number {
  const born = bornNs[worker] as number;
  return row === NO_ROW ? born : Math.max(born, work.endNs[row] as number);
}

/** Of the messages that arrive in an instant the one sent last, then of the lowest worker; `NO_ROW` if none does. */
function latestArrival(activities: Activities, worker: number, atNs: number): number {
  const { transfers } = activities;
  const { from, to } = arrivalsAt(activities, worker, atNs);
  let chosen = NO_ROW;
  for (let row = from; row < to; row += 1) if (chosen === NO_ROW || isLater(transfers, row, chosen)) chosen = row;
  return chosen;
}

function inACircle({ workers }: Activities, worker: number, atNs: number) {
  return badInput(
    `At ${atNs} ns zero-duration messages form a cycle through worker ${workers[worker]}. An activity graph must not have ` +
      'cycles: give the messages their durations.',
  );
}
