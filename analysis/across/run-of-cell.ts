import { own } from '../../base/lists.ts';
import type { Summary } from '../sources/runs/summarise.ts';

/** One measured run, per phase in focus (a search): seconds in all and by component. */
export interface Run {
  readonly nodes: number;
  readonly scale: number;
  readonly bw: number;
  readonly rep: number;
  readonly seconds: number;
  readonly components: Readonly<Record<string, number>>;
  /** What would be saved at most if the most uneven type of phases took as long everywhere. */
  readonly imbalance: number;
}

/** What was set for a run. */
export type RunSetting = Pick<Run, 'nodes' | 'scale' | 'bw'>;

export function runOf(
  { nodes, scale, bw, rep }: RunSetting & { readonly rep: number },
  { count, seconds, components, costs }: Summary,
): Run {
  const each = (all: number): number => all / Math.max(1, count);
  return {
    ...{ nodes, scale, bw, rep, seconds: each(seconds) },
    components: Object.fromEntries(components.map((part) => [part.name, each(part.seconds)])),
    imbalance: each(costs.find(({ kind }) => kind === 'imbalance')?.seconds ?? 0),
  };
}

/** Names of all components, the largest in sum first. */
export function componentNames(runs: readonly Pick<Run, 'components'>[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { components } of runs) {
    for (const [name, seconds] of Object.entries(components)) sums.set(name, (sums.get(name) ?? 0) + seconds);
  }
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** Seconds of a component; 0 where the run had none of it. */
export function secondsOf({ components }: Run, name: string): number {
  return own(components, name) ?? 0;
}
