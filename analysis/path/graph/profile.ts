import type { Activities } from '../activities.ts';
import { type ActivityPath, receiver, stepKey, stepLabel, TRANSFER_STEP } from './path.ts';

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
  const [byKind, byName, byWorker, byPair] = [sums(), sums(), sums(), sums()];
  const { workers } = activities;
  for (let step = 0; step < path.steps.count; step += 1) {
    const ns = (path.steps.endNs[step] as number) - (path.steps.startNs[step] as number);
    const worker = workers[path.steps.worker[step] as number] ?? '';
    add(byKind, stepLabel(activities, path, step).kind, ns);
    add(byName, stepKey(activities, path, step), ns);
    if (path.steps.sort[step] !== TRANSFER_STEP) add(byWorker, worker, ns);
    else {
      add(byWorker, 'wire', ns);
      add(byPair, `${worker} -> ${workers[receiver(activities, path, step) ?? -1] ?? ''}`, ns);
    }
  }
  return { byKind: record(byKind), byName: record(byName), byWorker: record(byWorker), byPair: record(byPair) };
}

const sums = (): Map<string, number> => new Map();

function add(into: Map<string, number>, key: string, ns: number): void {
  into.set(key, (into.get(key) ?? 0) + ns);
}

/** Largest first. */
function record(of: Map<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...of].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
