import { ascending } from '../../../base/lists.ts';
import type { Run } from '../../across/run-of-cell.ts';
import type { PathForecast } from './path-runs.ts';
import { meansOver } from './path-runs.ts';

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
