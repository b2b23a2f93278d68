import { nodesText, sizeText } from '../../base/units.ts';
import { type Finding, rankFindings } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import { type ComponentFits, fitComponents } from './fit-components.ts';
import { describeForecast, type Forecast, type ForecastNodes, forecast, forecastFindings } from './forecast.ts';
import type { Run } from './run-of-cell.ts';
import { NETWORK, PROCESSORS, type Takeover, takeoverFindings, takeovers } from './takeover.ts';

/** What runs of one sweep say together, which no single run can. */
export interface Across {
  readonly fits: ComponentFits;
  readonly takeovers: readonly Takeover[];
  readonly imbalance: readonly ImbalanceGrowth[];
  readonly forecasts: readonly Forecast[];
  /** What will hold up the cluster that sentences are about, at the highest bandwidth; null without a forecast. */
  readonly answer: string | null;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/**
 * Compares the runs of a sweep over nodes, scale and bandwidth, fits the time that each component explains and forecasts it for
 * other node counts at full and at the lowest bandwidth. The groups of the model are named `network` and `cpu`.
 */
export function acrossRuns(
  runs: readonly Run[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
  { ranksPerNode, nodes, named }: ForecastNodes & { readonly ranksPerNode: number },
): Across {
  const fits = fitComponents(runs, { ranksPerNode });
  const components = fits.kind === 'fitted' ? fits.components : [];
  const found = takeovers(runs, { over: NETWORK, under: PROCESSORS, fits: components, nodes });
  const scale = Math.max(...runs.map((run) => run.scale));
  const levels = runs.map(({ bw }) => bw);
  const bandwidths = components.length === 0 ? [] : [...new Set([Math.max(...levels), Math.min(...levels)])];
  const forecasts = bandwidths.flatMap((bw) =>
    nodes.map((count) => forecast(components, { nodes: count, scale, bw }, count === named)),
  );
  const imbalance = growthOf(runs);
  return {
    fits,
    takeovers: found,
    imbalance,
    forecasts,
    answer: describeForecast(forecasts, platform),
    findings: rankFindings([
      ...takeoverFindings(found, runs, platform),
      ...imbalanceFindings(imbalance, platform),
      ...forecastFindings(forecasts, platform),
    ]),
  };
}

/** What would be saved at most, of one phase in focus, if the most uneven type of phases took as long everywhere. */
interface Imbalance {
  readonly nodes: number;
  readonly seconds: number;
  readonly percent: number;
}

/** How much of the time imbalance takes on the smallest and on the largest measured cluster. */
interface ImbalanceGrowth {
  readonly scale: number;
  readonly bw: number;
  readonly smallest: Imbalance;
  readonly largest: Imbalance;
}

/** One per scale and bandwidth that was measured on several clusters. */
function growthOf(runs: readonly Run[]): readonly ImbalanceGrowth[] {
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
function imbalanceFindings(growth: readonly ImbalanceGrowth[], { noun }: Pick<Platform, 'noun'>): readonly Finding[] {
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
