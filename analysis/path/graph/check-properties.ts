// Properties 3.9 to 3.11 of an activity graph (Sager, ETH 2016, section 3.3) on columns.
import { at, lowerBound } from '../../../base/lists.ts';
import type { Activities, Slice } from '../activities.ts';
import { arrivalsAt, NO_ROW, rowBefore, WAIT } from './segment.ts';

/** An instant of a worker, ns. */
interface WorkerInstant {
  readonly worker: number;
  readonly atNs: number;
}

/** Where each property does not hold. Empty lists: every slice has a critical path of its whole length. */
interface Violations {
  /** Vertices, but those at the beginning, in which no edge ends. */
  readonly minimumInDegree: readonly WorkerInstant[];
  /** Times in which all running workers wait and nothing is on its way. */
  readonly communicationExistence: readonly Slice[];
  /** Vertices in which a wait ends and nothing else does. */
  readonly waitStateTermination: readonly WorkerInstant[];
}

/**
 * The violations of the three properties in a slice, each by worker and time. One pass over waits and transfers, with a binary
 * search for each transfer's sender.
 */
export function checkProperties(activities: Activities, slice: Slice): Violations {
  return {
    minimumInDegree: withoutIncoming(activities, slice),
    communicationExistence: allWaiting(activities, slice),
    waitStateTermination: unexplainedEnds(activities, slice),
  };
}

/** Property 3.9. A worker's own activities follow each other, so only births and senders that do not run can lack an edge. */
function withoutIncoming(activities: Activities, { startNs, endNs }: Slice): WorkerInstant[] {
  const { workers, transfers, bornNs, goneNs } = activities;
  const beginningNs = firstVertexNs(activities, { startNs, endNs });
  const found = new InstantSet(activities);
  for (let worker = 0; worker < workers.length; worker += 1) {
    const born = bornNs[worker] as number;
    if (born > beginningNs && born < endNs) found.addWithoutArrival(worker, born);
  }
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [worker, sentNs] = [transfers.from[row] as number, transfers.startNs[row] as number];
    const isInside = sentNs < endNs || (sentNs === endNs && transfers.endNs[row] === endNs);
    if (sentNs <= beginningNs || !isInside) continue;
    if (sentNs <= (bornNs[worker] as number) || sentNs > (goneNs[worker] as number))
      found.addWithoutArrival(worker, sentNs);
  }
  return found.inOrder();
}

/** The time of V_s (definition 3.6): the smallest of all vertices of the slice; infinite without any. */
function firstVertexNs({ workers, transfers, bornNs, goneNs }: Activities, { startNs, endNs }: Slice): number {
  let first = Number.POSITIVE_INFINITY;
  for (let worker = 0; worker < workers.length; worker += 1) {
    const [from, to] = [Math.max(bornNs[worker] as number, startNs), Math.min(goneNs[worker] as number, endNs)];
    if (from < to) first = Math.min(first, from);
  }
  if (first === startNs) return first;
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [sentNs, arrivedNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const [from, to] = [Math.max(sentNs, startNs), Math.min(arrivedNs, endNs)];
    if (from < to || (sentNs === arrivedNs && from === to)) first = Math.min(first, from);
  }
  return first;
}

/**
 * Property 3.11, but for waits that the end of the slice cuts, or that end there; at the end of the whole trace nothing is cut. A wait is
 * cut in two where its worker sends.
 */
function unexplainedEnds(activities: Activities, { startNs, endNs }: Slice): WorkerInstant[] {
  const { workers, work, transfers, goneNs } = activities;
  const judgedNs = goneNs.every((gone) => gone <= endNs) ? Number.POSITIVE_INFINITY : endNs;
  const found = new InstantSet(activities);
  for (let worker = 0; worker < workers.length; worker += 1) {
    const to = work.first[worker + 1] as number;
    const from = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: startNs });
    let arrival = transfers.first[worker] as number;
    const lastArrival = transfers.first[worker + 1] as number;
    for (let row = from; row < to && (work.endNs[row] as number) < judgedNs; row += 1) {
      const endedNs = work.endNs[row] as number;
      if (work.kind[row] !== WAIT || endedNs <= startNs || work.startNs[row] === endedNs) continue;
      while (arrival < lastArrival && (transfers.endNs[arrival] as number) < endedNs) arrival += 1;
      if (arrival === lastArrival || transfers.endNs[arrival] !== endedNs) found.add(worker, endedNs);
    }
  }
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [worker, sentNs] = [transfers.from[row] as number, transfers.startNs[row] as number];
    if (sentNs <= startNs || sentNs >= endNs) continue;
    const wait = rowBefore(activities, worker, sentNs);
    if (wait === NO_ROW || work.kind[wait] !== WAIT || (work.endNs[wait] as number) <= sentNs) continue;
    found.addWithoutArrival(worker, sentNs);
  }
  return found.inOrder();
}

/** Instants of workers, each once. */
class InstantSet {
  readonly #activities: Activities;
  readonly #found = new Map<string, WorkerInstant>();

  constructor(activities: Activities) {
    this.#activities = activities;
  }

  add(worker: number, atNs: number): void {
    this.#found.set(`${worker} ${atNs}`, { worker, atNs });
  }

  addWithoutArrival(worker: number, atNs: number): void {
    const { from, to } = arrivalsAt(this.#activities, worker, atNs);
    if (from === to) this.add(worker, atNs);
  }

  inOrder(): WorkerInstant[] {
    return [...this.#found.values()].sort((a, b) => a.worker - b.worker || a.atNs - b.atNs);
  }
}

/** Where property 3.10 does not hold: all running workers wait, and no transfer is on its way. Ascending; none has length 0. */
export function allWaiting(activities: Activities, slice: Slice): Slice[] {
  const { workers, bornNs, goneNs } = activities;
  const lives = workers.map((_, worker) => ({
    startNs: Math.max(at(bornNs, worker), slice.startNs),
    endNs: Math.min(at(goneNs, worker), slice.endNs),
  }));
  let found = union(lives);
  for (let worker = 0; worker < workers.length && found.length > 0; worker += 1) {
    found = subtract(found, busyTimes(activities, worker, slice));
  }
  return found.length === 0 ? [] : subtract(found, inFlight(activities, found));
}

/** When a worker runs and does not wait, ascending. */
function* busyTimes({ work, bornNs, goneNs }: Activities, worker: number, slice: Slice): Generator<Slice> {
  let doneNs = bornNs[worker] as number;
  const to = work.first[worker + 1] as number;
  let row = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: slice.startNs });
  for (; row < to && (work.startNs[row] as number) < slice.endNs; row += 1) {
    if (work.kind[row] !== WAIT) continue;
    yield { startNs: doneNs, endNs: work.startNs[row] as number };
    doneNs = work.endNs[row] as number;
  }
  yield { startNs: doneNs, endNs: goneNs[worker] as number };
}

/** Transfers that overlap any of some times. */
function inFlight({ transfers }: Activities, times: readonly Slice[]): Slice[] {
  const ends = Float64Array.from(times, ({ endNs }) => endNs);
  const found: Slice[] = [];
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const [startNs, endNs] = [transfers.startNs[row] as number, transfers.endNs[row] as number];
    const first = times[lowerBound(ends, { from: 0, to: ends.length, least: startNs })];
    if (first !== undefined && first.startNs < endNs) found.push({ startNs, endNs });
  }
  return union(found);
}

/** Times of ascending `taken` away from ascending `times`. */
function subtract(times: readonly Slice[], taken: Iterable<Slice>): Slice[] {
  const found: Slice[] = [];
  let index = 0;
  let left = times[0];
  for (const { startNs, endNs } of taken) {
    if (endNs <= startNs) continue;
    for (; left !== undefined && left.startNs < endNs; left = times[++index]) {
      if (left.startNs < startNs) found.push({ startNs: left.startNs, endNs: Math.min(left.endNs, startNs) });
      if (left.endNs > endNs) {
        left = { startNs: Math.max(left.startNs, endNs), endNs: left.endNs };
        break;
      }
    }
  }
  return left === undefined ? found : [...found, left, ...times.slice(index + 1)];
}

/** Ascending, those that touch each other as one; without what has no length. */
function union(times: readonly Slice[]): Slice[] {
  const found: Slice[] = [];
  for (const time of times.filter(({ startNs, endNs }) => startNs < endNs).sort((a, b) => a.startNs - b.startNs)) {
    const before = found.at(-1);
    if (before === undefined || before.endNs < time.startNs) found.push(time);
    else found[found.length - 1] = { startNs: before.startNs, endNs: Math.max(before.endNs, time.endNs) };
  }
  return found;
}
