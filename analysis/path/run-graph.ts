// A measured run as an activity graph: what its ranks did, and what is known of the waits in it. Readers of programs that trace
// themselves (phases/) and of recorded MPI calls (mpi/) make it; paths and what-ifs are of it alone.
import { at } from '../../base/lists.ts';
import type { Activities, ActivityKind, Slice } from './activities.ts';
import type { ActivityBuilder } from './formats/activity-builder.ts';
import { pathSteps } from './graph/activity-path.ts';
import { criticalPath } from './graph/critical-path.ts';

/** How the names of the parts of a phase or call end; work outside an exchange has the name of its phase. */
export const TRANSFER = ' transfer';
export const WORK = ' work';
export const IDLE = ' idle';

/** An instant of a rank on the clock of all, ns. */
export interface Entry {
  readonly rank: number;
  readonly startNs: number;
}

/** What a rank waited for since `sinceNs`, from its start to when it came, ns; `from` is the other end. */
export interface Arrival {
  /** The name of the transfer: `MPI_Waitall transfer`. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly sinceNs: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Of the message; of a collective operation what the waiting rank sent. NaN where they are not known. */
  readonly bytes: number;
  /** What links need for it, at their rate, behind what was handed over before it; NaN where its bytes are not known. */
  readonly onLinkNs: number;
  /** When ranks came to the collective operation; the ones before `endNs` are waited for. Null for a message. */
  readonly entries: readonly Entry[] | null;
  /** The rank waited until its own message had been taken. */
  readonly isRelease: boolean;
}

/** What a rank needs of a processor, whatever it waits for: its time on one, ns, of which it has a share below one. */
export interface ProcessorTime {
  readonly needNs: number;
  readonly share: number;
}

/** A part of a run that has a path of its own. Workers are ranks, or threads of one (`3.1`). */
export interface RunGraph {
  readonly activities: Activities;
  readonly slice: Slice;
  /** What ended waits, in no order. */
  readonly arrivals: readonly Arrival[];
  /** By rank; null where it is not known, or the rank has a core. Without it of no rank. */
  readonly processors?: readonly (ProcessorTime | null)[];
}

/** One stretch of a path, on one rank; a transfer is of the rank that waited for it. */
export interface RankStep {
  readonly rank: number;
  readonly startNs: number;
  readonly endNs: number;
  /** `compute`, `fold transfer`, `MPI_Recv idle`; `begin` before the rank's first phase, `gap` between two. */
  readonly key: string;
  /** The other rank that the path comes from; -1 where it stays. */
  readonly from: number;
  readonly arrival: Arrival | null;
}

/** A path, oldest step first. The steps follow each other without a gap. */
export interface RankPath extends Slice {
  /** How often the path goes from one rank to another. */
  readonly hops: number;
  readonly path: readonly RankStep[];
}

/** The path of a part of a run that is told from others by its number: a search by its root. */
export interface SearchPath extends RankPath {
  readonly root: number;
}

/** The critical path of a part of a run. A step without length is left out; the one that it led to says where it came from. */
export function rankPath({ activities, slice, arrivals }: RunGraph): RankPath {
  const arrivalOf = arrivalsByEnd(arrivals);
  const path: RankStep[] = [];
  let [hops, cameFrom] = [0, -1];
  for (const { worker, to, key, startNs, endNs } of pathSteps(activities, criticalPath(activities, slice))) {
    const [sender, rank] = [rankOf(activities, worker), rankOf(activities, to ?? worker)];
    const from = sender === rank ? cameFrom : sender;
    if (sender !== rank) hops += 1;
    cameFrom = startNs < endNs ? -1 : from;
    if (startNs === endNs) continue;
    path.push({ rank, startNs, endNs, key, from, arrival: arrivalOf(rank, endNs, key) });
  }
  return { ...slice, hops, path };
}

interface BusyWork extends Slice {
  readonly worker: string;
  readonly name: string;
  readonly kind: ActivityKind;
  readonly line: number;
  /** For how long it had no processor; when is not known: that part comes last. */
  readonly idleNs: number;
  readonly idleName: string;
}

export function addBusy(builder: ActivityBuilder, { idleNs, idleName, ...work }: BusyWork): void {
  const { startNs, endNs } = work;
  const busyUntilNs = Math.max(startNs, endNs - idleNs);
  if (busyUntilNs > startNs) builder.addWork({ ...work, endNs: busyUntilNs });
  if (endNs > busyUntilNs) builder.addWork({ ...work, name: idleName, startNs: busyUntilNs, kind: 'idle' });
}

/** What came to a rank at an instant under a name; null for nothing. */
export function arrivalsByEnd(arrivals: readonly Arrival[]) {
  const byEnd = new Map<number, Arrival[]>();
  for (const arrival of arrivals) {
    const same = byEnd.get(arrival.endNs);
    if (same === undefined) byEnd.set(arrival.endNs, [arrival]);
    else same.push(arrival);
  }
  return (rank: number, endNs: number, name: string): Arrival | null =>
    byEnd.get(endNs)?.find(({ to, key }) => to === rank && key === name) ?? null;
}

export function rankOf({ workers }: Pick<Activities, 'workers'>, worker: number): number {
  return Number.parseInt(at(workers, worker), 10);
}
