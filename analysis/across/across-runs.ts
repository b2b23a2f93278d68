import { nodesText, sizeText } from '../../base/units.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import { type Finding, rankFindings } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import { componentLabel, UNEXPLAINED } from '../sources/runs/summarise.ts';
import { type ComponentFit, type ComponentFits, componentAt, fitComponents } from './fit-components.ts';
import type { Run, RunSetting } from './run-of-cell.ts';
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

/** Node counts to forecast for, and the one that sentences are about; null where there is none. */
export interface ForecastNodes {
  readonly nodes: readonly number[];
  readonly named: number | null;
}

/** Times the largest measured cluster up to which a sentence names a forecast, where nobody asked for more. */
const NAMED_UP_TO = 4;

/** Those asked for, of which sentences name the largest; else the targets beyond what was measured, of which they name one that is not far. */
export function forecastNodes({
  measured,
  targets,
  asked,
}: {
  readonly measured: readonly number[];
  /** As of `chooseTargetNodes`. */
  readonly targets: readonly number[];
  readonly asked: readonly number[] | undefined;
}): ForecastNodes {
  if (asked !== undefined) return { nodes: asked, named: asked.at(-1) ?? null };
  const most = Math.max(...measured);
  const nodes = targets.filter((count) => count > most);
  return { nodes, named: nodes.findLast((count) => count <= NAMED_UP_TO * most) ?? nodes[0] ?? null };
}

/** The components of a phase in focus at a setting, by the fits, the largest first; seconds with 90 % intervals. */
interface Forecast extends RunSetting {
  readonly components: readonly ({ readonly name: string } & Estimate)[];
  /** The largest component that is a known resource. */
  readonly dominant: string | null;
  /** Whether sentences are about it. */
  readonly isNamed: boolean;
}

function forecast(fits: readonly ComponentFit[], setting: RunSetting, isNamed: boolean): Forecast {
  const components = fits
    .map((one) => ({ name: one.name, ...componentAt(one, setting) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const dominant = components.find(({ name }) => name !== UNEXPLAINED)?.name ?? null;
  return { ...setting, components, dominant, isNamed };
}

/** What will hold up the cluster that sentences are about, at the highest bandwidth; null without a forecast. */
function describeForecast(forecasts: readonly Forecast[], platform: Pick<Platform, 'metrics' | 'noun'>): string | null {
  const [found] = forecasts.filter(({ isNamed }) => isNamed).sort((a, b) => b.bw - a.bw);
  const largest = found?.components.find(({ name }) => name === found.dominant);
  if (found === undefined || largest === undefined) return null;
  return `On ${nodesText(found.nodes)} ${componentLabel(largest.name, platform)} would be the main bottleneck of a ${platform.noun} (${shareOf(largest, found)} of its time, forecast by fits of the measured bottlenecks).`;
}

/** The parts of the time on the cluster that sentences are about; what is at stake is the largest of them. */
function forecastFindings(
  forecasts: readonly Forecast[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
): readonly Finding[] {
  return forecasts
    .filter(({ isNamed }) => isNamed)
    .map((one) => {
      const parts = one.components.map((part) => `${componentLabel(part.name, platform)} ${shareOf(part, one)}`);
      const largest = one.components.find(({ name }) => name === one.dominant);
      return {
        kind: 'across/forecast',
        where: `${nodesText(one.nodes)}${sizeText(one.scale)}, ${one.bw} % bandwidth: ${one.dominant ?? 'no known bottleneck'}`,
        seconds: largest?.value ?? null,
        percent: largest === undefined ? null : percentOf(largest, one),
        interval: largest === undefined ? null : { low: largest.low, high: largest.high },
        sentence: `On ${nodesText(one.nodes)} at ${one.bw} % bandwidth${sizeText(one.scale, ' and ')} the fits forecast ${parts.join(', ')} of a ${platform.noun}.`,
      };
    });
}

function shareOf(part: Forecast['components'][number], all: Forecast): string {
  return `${percentOf(part, all).toFixed(0)} %`;
}

function percentOf({ value }: Forecast['components'][number], { components }: Forecast): number {
  const total = components.reduce((sum, part) => sum + (part.value ?? 0), 0);
  return ((value ?? 0) / total) * 100;
}
