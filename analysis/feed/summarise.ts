import type { Analysis } from '../grade10/index.ts';

/** One thing that costs a run time, in the words of its type paths. */
export interface Cost {
  readonly kind: 'imbalance' | 'bottleneck' | 'critical-path';
  /** Type of the phases at fault; null where the whole path is. */
  readonly phases: string | null;
  /** Type of the resource; null for imbalance. */
  readonly resource: string | null;
  /** Seconds that the searches could save at most. */
  readonly seconds: number;
  /** Of the time of all searches. */
  readonly percent: number;
}

export interface Summary {
  /** Seconds of all searches, and of them by phase type: mean over ranks. */
  readonly searchSeconds: number;
  readonly phaseSeconds: readonly { readonly phases: string; readonly seconds: number }[];
  readonly costs: readonly Cost[];
}

const BFS = '/Search/Bfs';

/** What the searches spent their time on and could save, the most first; issues of each search are added up. */
export function summarise({ model, issues }: Analysis): Summary {
  const { phases, phaseTypes, resourceTypes, timesliceNs } = model;
  const seconds = (slices: number): number => (slices * timesliceNs) / 1e9;
  const bfs = phaseTypes.indexOf.get(BFS) ?? -1;
  let slices = 0;
  const perType = new Map<string, { sum: number; ranks: Set<number> }>();
  for (let row = 0; row < phases.count; row += 1) {
    const type = phases.type[row] ?? 0;
    const length = phases.length[row] ?? 0;
    if (type === bfs) slices += length;
    const path = phaseTypes.paths[type] ?? '';
    if (!path.startsWith(`${BFS}/`) || phases.childStart[row] !== phases.childStart[row + 1]) continue;
    const own = perType.get(path) ?? { sum: 0, ranks: new Set<number>() };
    own.sum += length;
    own.ranks.add(Number(phases.id[phases.parent[row] ?? 0] ?? 0));
    perType.set(path, own);
  }
  const total = new Map<string, Cost>();
  for (const issue of issues) {
    if (issue.pass === 'custom' || phases.type[issue.phase] !== bfs) continue;
    const target = 'target' in issue ? (phaseTypes.paths[issue.target] ?? '') : null;
    const resource = 'source' in issue ? (resourceTypes.metricTypes.paths[issue.source] ?? '') : null;
    const key = `${issue.pass} ${target} ${resource}`;
    const before = total.get(key)?.seconds ?? 0;
    const now = before + seconds(issue.impact);
    total.set(key, {
      kind: issue.pass,
      phases: target,
      resource,
      seconds: now,
      percent: slices > 0 ? (now / seconds(slices)) * 100 : 0,
    });
  }
  return {
    searchSeconds: seconds(slices),
    phaseSeconds: [...perType]
      .map(([path, { sum, ranks }]) => ({ phases: path, seconds: seconds(sum) / Math.max(1, ranks.size) }))
      .sort((a, b) => b.seconds - a.seconds),
    costs: [...total.values()].sort((a, b) => b.seconds - a.seconds),
  };
}
