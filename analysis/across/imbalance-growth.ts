import { nodesText, sizeText } from '../../base/units.ts';
import type { Finding } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import type { Run } from './run-of-cell.ts';

/** What would be saved at most, of one phase in focus, if the most uneven type of phases took as long everywhere. */
interface Imbalance {
  readonly nodes: number;
  readonly seconds: number;
  readonly percent: number;
}

/** How much of the time imbalance takes on the smallest and on the largest measured cluster. */
export interface ImbalanceGrowth {
  readonly scale: number;
  readonly bw: number;
  readonly smallest: Imbalance;
  readonly largest: Imbalance;
}

/** One per scale and bandwidth that was measured on several clusters. */
export function growthOf(runs: readonly Run[]): readonly ImbalanceGrowth[] {
  const groups = new Map<string, Run[]>();
  // A run shorter than a slice has no time to be uneven in.
  for (const run of runs.filter(({ seconds }) => seconds > 0).sort((a, b) => a.scale - b.scale || b.bw - a.bw)) {
    const key = `${run.scale} ${run.bw}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].flatMap((group) => {
    const sorted = group.sort((a, b) => a.nodes - b.nodes);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (!first || !last || first.nodes === last.nodes) return [];
    const on = ({ nodes }: Run): Imbalance => {
      const own = sorted.filter((run) => run.nodes === nodes);
      const sum = (of: (run: Run) => number): number => own.reduce((total, run) => total + of(run), 0);
      const seconds = sum((run) => run.imbalance) / own.length;
      return { nodes, seconds, percent: (sum((run) => run.imbalance) / sum((run) => run.seconds)) * 100 };
    };
    return [{ scale: first.scale, bw: first.bw, smallest: on(first), largest: on(last) }];
  });
}

/** Whether imbalance grows with the cluster, at the highest bandwidth. */
export function imbalanceFindings(
  growth: readonly ImbalanceGrowth[],
  { noun }: Pick<Platform, 'noun'>,
): readonly Finding[] {
  const full = growth.filter(({ bw }) => bw === Math.max(...growth.map((one) => one.bw)));
  return full.map(({ scale, bw, smallest, largest }) => {
    const change = Math.round(largest.percent) - Math.round(smallest.percent);
    const verb = change > 0 ? 'grows' : change < 0 ? 'falls' : 'stays the same';
    return {
      kind: 'across/imbalance',
      where: `${nodesText(largest.nodes)}${sizeText(scale)}, ${bw} % bandwidth`,
      seconds: largest.seconds,
      percent: largest.percent,
      interval: null,
      sentence: `At ${bw} % bandwidth${sizeText(scale, ' and ')} load imbalance costs ${smallest.percent.toFixed(0)} % of a ${noun} on ${nodesText(smallest.nodes)} and ${largest.percent.toFixed(0)} % on ${largest.nodes}: it ${verb}${change === 0 ? '' : ' with the cluster'}.`,
    };
  });
}
