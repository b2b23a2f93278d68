import { ascending, own } from '../../../base/lists.ts';
import type { Estimate } from '../../../modeling/model-records.ts';
import { componentNames, type Run } from '../../across/run-of-cell.ts';
import type { RunPaths } from '../run-paths.ts';

/** A run of the fits: the mean path of a cell, and the seconds of its keys. */
export function pathRun({ cell: { nodes, scale, bw, rep }, meanNs }: Pick<RunPaths, 'cell' | 'meanNs'>): Run {
  const { length = 0, ...keys } = meanNs;
  const components = Object.fromEntries(Object.entries(keys).map(([key, ns]) => [key, ns / 1e9]));
  return { nodes, scale, bw, rep, seconds: length / 1e9, components, imbalance: 0 };
}

/** A path on so many nodes, or workers of a trace: its seconds, and those of its keys. */
export type PathTimes = Pick<Run, 'nodes' | 'seconds' | 'components'>;

/** Means of the runs of each node count, ascending. */
export function meansOver(runs: readonly PathTimes[]): readonly PathTimes[] {
  return ascending(runs.map(({ nodes }) => nodes)).map((nodes) => {
    const same = runs.filter((run) => run.nodes === nodes);
    const mean = (of: (run: PathTimes) => number): number => same.reduce((sum, run) => sum + of(run), 0) / same.length;
    const components = Object.fromEntries(
      componentNames(same).map((name) => [name, mean((run) => own(run.components, name) ?? 0)]),
    );
    return { nodes, seconds: mean(({ seconds }) => seconds), components };
  });
}

/** The path at a setting by the fits of its keys, the largest first. */
export interface PathForecast {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly lengthSeconds: number;
  /** Of its length, seconds. */
  readonly interval: Pick<Estimate, 'low' | 'high'>;
  /** Whether sentences are about it. */
  readonly isNamed: boolean;
  readonly components: readonly { readonly key: string; readonly seconds: Estimate; readonly percent: Estimate }[];
}
