import { lowerBound } from '../../../base/lists.ts';
import type { Activities, PathStep, Slice } from '../activities.ts';
import { type ActivityPath, partOf, pathSteps } from './activity-path.ts';
import { NO_ROW, WAIT } from './segment.ts';

/** Time on a path by several keys, ns; each sums up to the path's length. Keys of steps without length are there with 0. */
export interface PathProfile {
  /** `op`, `unknown`, `transfer`, ... */
  readonly byKind: Readonly<Record<string, number>>;
  /** By the name of the activity or transfer; by the kind where it has none. */
  readonly byName: Readonly<Record<string, number>>;
  /** Work by worker, what is on its way under `wire`. */
  readonly byWorker: Readonly<Record<string, number>>;
  /** What is on its way, by sender and receiver: `0 -> 1`. */
  readonly byPair: Readonly<Record<string, number>>;
}

/** What the time of paths went into. */
export function profilePath(activities: Activities, ...paths: readonly ActivityPath[]): PathProfile {
  const sums = new ProfileSums(activities.workers);
  for (const path of paths) {
    for (const step of pathSteps(activities, path)) sums.add(step, step.endNs - step.startNs);
  }
  return sums.profile();
}

/**
 * Imbalance indicator (Böhme et al., "Identifying the root causes of wait states", 2012) by key of the profile, ns: time on the path
 * minus mean time per worker, which is what a perfectly balanced run would take off the path at most; negative where the path
 * avoids it.
 */
export function imbalanceByName(
  activities: Activities,
  slices: readonly Slice[],
  onPath: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const { workers, work, bornNs, goneNs } = activities;
  const total = new Map<string, number>();
  for (const [worker, { startNs, endNs }] of slices.flatMap((slice) =>
    workers.map((_, own) => [own, slice] as const),
  )) {
    const runsNs = Math.min(endNs, goneNs[worker] as number) - Math.max(startNs, bornNs[worker] as number);
    let unknownNs = Math.max(0, runsNs);
    const to = work.first[worker + 1] as number;
    let row = lowerBound(work.endNs, { from: work.first[worker] as number, to, least: startNs });
    for (; row < to && (work.startNs[row] as number) < endNs; row += 1) {
      const ns = Math.min(endNs, work.endNs[row] as number) - Math.max(startNs, work.startNs[row] as number);
      unknownNs -= ns;
      if (work.kind[row] !== WAIT) add(total, partOf(activities, row, false).key, ns);
    }
    if (unknownNs > 0) add(total, partOf(activities, NO_ROW, false).key, unknownNs);
  }
  return record(new Map([...total].map(([key, ns]) => [key, (onPath[key] ?? 0) - ns / workers.length])));
}

/** Adds up parts by all keys of a profile, in any unit. */
export class ProfileSums {
  readonly #workers: readonly string[];
  readonly #byKind = new Map<string, number>();
  readonly #byName = new Map<string, number>();
  readonly #byWorker = new Map<string, number>();
  readonly #byPair = new Map<string, number>();

  constructor(workers: readonly string[]) {
    this.#workers = workers;
  }

  add({ kind, key, worker, to }: Pick<PathStep, 'kind' | 'key' | 'worker' | 'to'>, part: number): void {
    const name = this.#workers[worker] ?? '';
    add(this.#byKind, kind, part);
    add(this.#byName, key, part);
    add(this.#byWorker, to === null ? name : 'wire', part);
    if (to !== null) add(this.#byPair, `${name} -> ${this.#workers[to] ?? ''}`, part);
  }

  profile(): PathProfile {
    return {
      byKind: record(this.#byKind),
      byName: record(this.#byName),
      byWorker: record(this.#byWorker),
      byPair: record(this.#byPair),
    };
  }
}

function add(into: Map<string, number>, key: string, part: number): void {
  into.set(key, (into.get(key) ?? 0) + part);
}

/** Largest first. */
function record(of: Map<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...of].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
