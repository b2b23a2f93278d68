import type { Activities, PathStep } from '../activities.ts';
import { type ActivityPath, receiver, stepKey, stepLabel } from './activity-path.ts';

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

/** What the time of a path went into. */
export function profilePath(activities: Activities, path: ActivityPath): PathProfile {
  const sums = new ProfileSums(activities.workers);
  for (let step = 0; step < path.steps.count; step += 1) {
    const what = {
      kind: stepLabel(activities, path, step).kind,
      key: stepKey(activities, path, step),
      worker: path.steps.worker[step] as number,
      to: receiver(activities, path, step),
    };
    sums.add(what, (path.steps.endNs[step] as number) - (path.steps.startNs[step] as number));
  }
  return sums.profile();
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
