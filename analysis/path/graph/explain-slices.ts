import { at, last } from '../../../base/lists.ts';
import type { Activities, PathStep, Slice } from '../activities.ts';
import { type BrokenPath, pathSteps } from './activity-path.ts';
import { checkProperties } from './check-properties.ts';
import { criticalPath, precededBy } from './critical-path.ts';
import { imbalanceByName, profilePath } from './profile-path.ts';
import { arrivalsAt, WAIT } from './segment.ts';

type Sums = Readonly<Record<string, number>>;

/** A step with its workers' names. */
type NamedStep = Omit<PathStep, 'worker' | 'to'> & { readonly worker: string; readonly to: string | null };

/** The critical path of a slice, for people and programs; times in ns. */
export interface SliceResult extends Slice {
  readonly lengthNs: number;
  readonly hops: number;
  /** By kind; transfers are `transfer`. */
  readonly profileNs: Sums;
  /** By the names of activities and transfers. */
  readonly byOperator: Sums;
  /** Work by worker, transfers as `wire`. */
  readonly byWorker: Sums;
  /** Transfers by sender and receiver. */
  readonly byPair: Sums;
  /** Time on the path minus mean time per worker, by name. */
  readonly imbalanceNs: Sums;
  /** Where and why the path ends before the slice does. */
  readonly broken: BrokenPath | null;
  readonly path: readonly NamedStep[];
}

export function explainSlice(activities: Activities, slice: Slice): SliceResult {
  return explainTogether(activities, [slice]);
}

/** The same of slices one after the other, without what lies between them. */
export function explainTogether(activities: Activities, slices: readonly Slice[]): SliceResult {
  const paths = slices.map((slice) => criticalPath(activities, slice));
  const { byKind, byName, byWorker, byPair } = profilePath(activities, ...paths);
  return {
    startNs: at(slices, 0).startNs,
    endNs: last(slices).endNs,
    lengthNs: paths.reduce((sum, { lengthNs }) => sum + lengthNs, 0),
    hops: paths.reduce((sum, { hops }) => sum + hops, 0),
    profileNs: byKind,
    byOperator: byName,
    byWorker,
    byPair,
    imbalanceNs: imbalanceByName(activities, slices, byName),
    broken: paths.find(({ broken }) => broken !== null)?.broken ?? null,
    path: paths.flatMap((path) => [...pathSteps(activities, path)]).map((step) => named(activities, step)),
  };
}

/** A property's violations, each with its worker and instant, or its time, ns. */
interface Violated<Where> {
  readonly violations: number;
  readonly at: readonly Where[];
}

/** Violations of the three properties by their numbers in the thesis. */
interface PropertyResult {
  readonly '3.9': Violated<readonly [worker: string, atNs: number]>;
  readonly '3.10': Violated<readonly [startNs: number, endNs: number]>;
  readonly '3.11': Violated<readonly [worker: string, atNs: number]>;
}

export function explainProperties(activities: Activities, slices: readonly Slice[]): PropertyResult {
  const each = slices.map((slice) => checkProperties(activities, slice));
  const [minimumInDegree, communicationExistence, waitStateTermination] = [
    each.flatMap((found) => found.minimumInDegree),
    each.flatMap((found) => found.communicationExistence),
    each.flatMap((found) => found.waitStateTermination),
  ];
  const instants = (found: typeof minimumInDegree) => ({
    violations: found.length,
    at: found.map(({ worker, atNs }) => [at(activities.workers, worker), atNs] as const),
  });
  const times = communicationExistence.map(({ startNs, endNs }) => [startNs, endNs] as const);
  return {
    '3.9': instants(minimumInDegree),
    '3.10': { violations: times.length, at: times },
    '3.11': instants(waitStateTermination),
  };
}

/** A time in which a worker waits, ns, and the steps before its end, oldest first: the last is the message that ended it. */
interface WaitResult extends Slice {
  readonly worker: string;
  readonly before: readonly NamedStep[];
}

/** Waits within some slices, those that lasted longest first, the first `most` of them, each with what preceded its end over so many messages. */
export function explainWaits(
  activities: Activities,
  {
    slices,
    hops,
    most = Number.POSITIVE_INFINITY,
  }: { readonly slices: readonly Slice[]; readonly hops: number; readonly most?: number },
): WaitResult[] {
  const { workers, work, bornNs } = activities;
  const { startNs, endNs, first } = work;
  const bornFirstNs = bornNs.reduce((least, born) => Math.min(least, born), Number.POSITIVE_INFINITY);
  return longestWaits(work, { slices, most }).map((row) => {
    const worker = first.findLastIndex((from) => from <= row);
    const atNs = at(endNs, row);
    const { from, to } = arrivalsAt(activities, worker, atNs);
    const before = from === to ? null : precededBy(activities, { worker, atNs, hops, startNs: bornFirstNs });
    return {
      worker: at(workers, worker),
      startNs: at(startNs, row),
      endNs: atNs,
      before: before === null ? [] : [...pathSteps(activities, before)].map((step) => named(activities, step)),
    };
  });
}

/** Rows of the waits that lasted longest. */
function longestWaits(
  { startNs, endNs, kind }: Activities['work'],
  { slices, most }: { readonly slices: readonly Slice[]; readonly most: number },
): number[] {
  const isWithin = (row: number): boolean =>
    slices.some((slice) => at(startNs, row) < slice.endNs && at(endNs, row) > slice.startNs);
  const lasted = (row: number): number => at(endNs, row) - at(startNs, row);
  const waits: number[] = [];
  for (let row = 0; row < kind.length; row += 1) if (kind[row] === WAIT && isWithin(row)) waits.push(row);
  const ascending = Float64Array.from(waits, lasted).sort();
  const leastNs = ascending[ascending.length - most] ?? 0;
  const long = waits.filter((row) => lasted(row) >= leastNs);
  return long.sort((a, b) => lasted(b) - lasted(a) || at(startNs, a) - at(startNs, b) || a - b).slice(0, most);
}

function named({ workers }: Activities, { worker, to, ...step }: PathStep): NamedStep {
  return { worker: at(workers, worker), to: to === null ? null : at(workers, to), ...step };
}
