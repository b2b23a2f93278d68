import type { Activities, Slice } from '../activities.ts';

import { lowerBound, WAIT } from './segment.ts';

/** Where property 3.10 does not hold: all running workers wait, and no transfer is on its way. Ascending; none has length 0. */
export function allWaiting(activities: Activities, slice: Slice): Slice[] {
  const { workers, bornNs, goneNs } = activities;
  const lives = workers.map((_, worker) => ({ startNs: bornNs[worker] as number, endNs: goneNs[worker] as number }));
  // Times in which some worker runs; then, worker by worker, those in which it waits or does not run.
  let found = union(lives.map((life) => cut(life, slice)).filter(hasLength));
  for (let worker = 0; worker < workers.length && found.length > 0; worker += 1) {
    found = intersection(found, idleTimes(activities, worker, slice));
  }
  return found.length === 0 ? [] : subtract(found, inFlight(activities, found));
}

/** When a worker waits or does not run, ascending. */
function* idleTimes({ work, bornNs, goneNs }: Activities, worker: number, slice: Slice): Generator<Slice> {
  const [born, gone] = [bornNs[worker] as number, goneNs[worker] as number];
  yield { startNs: Number.NEGATIVE_INFINITY, endNs: born };
  const to = work.first[worker + 1] as number;
  let row = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: slice.startNs });
  for (; row < to && (work.startNs[row] as number) < slice.endNs; row += 1) {
    if (work.kind[row] === WAIT) yield { startNs: work.startNs[row] as number, endNs: work.endNs[row] as number };
  }
  yield { startNs: gone, endNs: Number.POSITIVE_INFINITY };
}

/** Transfers that overlap any of some times. */
function inFlight({ transfers }: Activities, times: readonly Slice[]): Slice[] {
  const ends = Float64Array.from(times, ({ endNs }) => endNs);
  const found: Slice[] = [];
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [startNs, endNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const first = times[lowerBound(ends, { from: 0, to: ends.length, least: startNs })];
    if (first !== undefined && startNs < endNs && first.startNs < endNs) found.push({ startNs, endNs });
  }
  return union(found);
}

function intersection(times: readonly Slice[], others: Iterable<Slice>): Slice[] {
  const found: Slice[] = [];
  let index = 0;
  for (const other of others) {
    while (index < times.length && (times[index] as Slice).endNs <= other.startNs) index += 1;
    for (let next = index; next < times.length && (times[next] as Slice).startNs < other.endNs; next += 1) {
      const common = cut(times[next] as Slice, other);
      if (hasLength(common)) add(found, common);
    }
  }
  return found;
}

/** Times of ascending `taken` away from ascending `times`. */
function subtract(times: readonly Slice[], taken: readonly Slice[]): Slice[] {
  const found: Slice[] = [];
  let index = 0;
  for (const { startNs, endNs } of times) {
    while (index < taken.length && (taken[index] as Slice).endNs <= startNs) index += 1;
    let fromNs = startNs;
    for (let next = index; next < taken.length && (taken[next] as Slice).startNs < endNs; next += 1) {
      const other = taken[next] as Slice;
      if (other.startNs > fromNs) found.push({ startNs: fromNs, endNs: other.startNs });
      fromNs = Math.max(fromNs, other.endNs);
    }
    if (fromNs < endNs) found.push({ startNs: fromNs, endNs });
  }
  return found;
}

function union(times: readonly Slice[]): Slice[] {
  const found: Slice[] = [];
  for (const time of [...times].sort((a, b) => a.startNs - b.startNs)) add(found, time);
  return found;
}

/** Puts a time behind ascending ones; one that touches the last makes it longer. */
function add(found: Slice[], time: Slice): void {
  const before = found.at(-1);
  if (before === undefined || before.endNs < time.startNs) found.push(time);
  else found[found.length - 1] = { startNs: before.startNs, endNs: Math.max(before.endNs, time.endNs) };
}

function cut(time: Slice, by: Slice): Slice {
  return { startNs: Math.max(time.startNs, by.startNs), endNs: Math.min(time.endNs, by.endNs) };
}

function hasLength({ startNs, endNs }: Slice): boolean {
  return startNs < endNs;
}
