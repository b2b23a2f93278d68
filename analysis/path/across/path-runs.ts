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

/** From which node count on one key is the largest part of the path instead of another, at a scale and bandwidth. */
export interface KeyTakeover {
  readonly scale: number;
  readonly bw: number;
  readonly nodes: number;
  readonly key: string;
  readonly over: string;
  /** False: by the fits alone. */
  readonly measured: boolean;
}

/** Every change of the largest key over measured node counts, and over those that are forecast. */
export function keyTakeovers(runs: readonly Run[], forecasts: readonly PathForecast[]): readonly KeyTakeover[] {
  const found: KeyTakeover[] = [];
  for (const scale of ascending(runs.map((run) => run.scale))) {
    for (const bw of ascending(runs.map((run) => run.bw))) {
      const measured = meansOver(runs.filter((run) => run.scale === scale && run.bw === bw)).map(
        ({ nodes, components }) => {
          const [largest] = Object.entries(components).sort((a, b) => b[1] - a[1]);
          return { nodes, key: largest?.[0], measured: true };
        },
      );
      const beyond = forecasts
        .filter((one) => one.scale === scale && one.bw === bw && measured.every(({ nodes }) => nodes < one.nodes))
        .map(({ nodes, components }) => ({ nodes, key: components[0]?.key, measured: false }));
      [...measured, ...beyond].reduce((before, one) => {
        if (one.key !== undefined && before.key !== undefined && one.key !== before.key) {
          found.push({ scale, bw, nodes: one.nodes, key: one.key, over: before.key, measured: one.measured });
        }
        return one;
      }, measured[0] ?? { nodes: 0, key: undefined, measured: true });
    }
  }
  return found;
}
