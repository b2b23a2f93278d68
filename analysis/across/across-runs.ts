import type { Estimate } from '../../modeling/index.ts';
import { NOTHING } from '../feed/divide-time.ts';
import { componentLabel } from '../feed/sentences.ts';
import type { Platform } from '../platform/index.ts';
import { type ComponentFits, componentAt, fitComponents } from './fit-components.ts';
import { type Run, type Setting, secondsOf } from './runs.ts';
import { type Takeover, takeovers } from './takeover.ts';

/** The components of a phase in focus at a setting, by the fits, the largest first; seconds with 90 % intervals. */
export interface Forecast extends Setting {
  readonly components: readonly ({ readonly name: string } & Estimate)[];
  /** The largest component that is a known resource. */
  readonly dominant: string | null;
}

/** How much of the time imbalance takes on the smallest and on the largest measured cluster. */
export interface ImbalanceGrowth {
  readonly scale: number;
  readonly bw: number;
  readonly smallest: { readonly nodes: number; readonly percent: number };
  readonly largest: { readonly nodes: number; readonly percent: number };
}

/** What runs of one sweep say together, which no single run can. */
export interface Across {
  readonly fits: ComponentFits;
  readonly takeovers: readonly Takeover[];
  readonly imbalance: readonly ImbalanceGrowth[];
  readonly forecasts: readonly Forecast[];
  /** What will hold up the largest cluster that was asked for, at the highest bandwidth; null without a forecast. */
  readonly answer: string | null;
  readonly sentences: readonly string[];
}

const [NETWORK, PROCESSORS] = ['network', 'cpu'];
const NOT_EVEN = 'not even';

/**
 * Compares the runs of a sweep over nodes, scale and bandwidth, fits the time that each component explains and forecasts it for
 * other node counts at full and at the lowest bandwidth. The groups of the model are named `network` and `cpu`.
 */
export function acrossRuns(
  runs: readonly Run[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
  { ranksPerNode, nodes }: { readonly ranksPerNode: number; readonly nodes: readonly number[] },
): Across {
  const fits = fitComponents(runs, { ranksPerNode });
  const components = fits.kind === 'fitted' ? fits.components : [];
  const found = takeovers(runs, { over: NETWORK, under: PROCESSORS, fits: components, nodes });
  const scale = Math.max(...runs.map((run) => run.scale));
  const bandwidths = [...new Set([Math.max(...runs.map(({ bw }) => bw)), Math.min(...runs.map(({ bw }) => bw))])];
  const forecasts =
    components.length === 0
      ? []
      : bandwidths.flatMap((bw) => nodes.map((count) => forecast(fits, { nodes: count, scale, bw })));
  const imbalance = growthOf(runs);
  return {
    fits,
    takeovers: found,
    imbalance,
    forecasts,
    answer: answerOf(forecasts, platform),
    sentences: [
      ...takeoverSentences(found, runs, platform),
      ...imbalanceSentences(imbalance, platform),
      ...forecastSentences(forecasts, platform),
    ],
  };
}

function forecast(fits: ComponentFits, setting: Setting): Forecast {
  const components = (fits.kind === 'fitted' ? fits.components : [])
    .map((one) => ({ name: one.name, ...componentAt(one, setting) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return { ...setting, components, dominant: components.find(({ name }) => name !== NOTHING)?.name ?? null };
}

function growthOf(runs: readonly Run[]): readonly ImbalanceGrowth[] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) groups.set(`${run.scale} ${run.bw}`, [...(groups.get(`${run.scale} ${run.bw}`) ?? []), run]);
  const ordered = [...groups.values()].sort(
    ([a], [b]) => (a?.scale ?? 0) - (b?.scale ?? 0) || (b?.bw ?? 0) - (a?.bw ?? 0),
  );
  return ordered.flatMap((group) => {
    const sorted = group.toSorted((a, b) => a.nodes - b.nodes);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (!first || !last || first.nodes === last.nodes || sorted.every(({ seconds }) => seconds === 0)) return [];
    const at = ({ nodes }: Run) => {
      const own = sorted.filter((run) => run.nodes === nodes);
      const sum = (of: (run: Run) => number): number => own.reduce((total, run) => total + of(run), 0);
      return { nodes, percent: (sum((run) => run.imbalance) / sum((run) => run.seconds)) * 100 };
    };
    return [{ scale: first.scale, bw: first.bw, smallest: at(first), largest: at(last) }];
  });
}

function takeoverSentences(
  found: readonly Takeover[],
  runs: readonly Run[],
  platform: Pick<Platform, 'metrics'>,
): readonly string[] {
  if (!runs.some((run) => secondsOf(run, NETWORK) > 0)) return [];
  const [network, processors] = [NETWORK, PROCESSORS].map((name) => componentLabel(name, platform));
  const measured = found.filter(({ above, below }) => above !== null || below !== null);
  return [...new Set(measured.map(({ scale }) => scale))].map((scale) => {
    const alike = new Map<string, number[]>();
    for (const one of measured.filter((other) => other.scale === scale)) {
      alike.set(placeOf(one), [...(alike.get(placeOf(one)) ?? []), one.nodes]);
    }
    // Where it does comes before where it does not.
    const ordered = [...alike].sort(([a], [b]) => Number(a.startsWith(NOT_EVEN)) - Number(b.startsWith(NOT_EVEN)));
    const parts = ordered.map(([place, nodes]) => `${place} on ${listed(nodes)} nodes`);
    return `Scale ${scale}: ${network} costs more time than ${processors} ${parts.join(', ')}.`;
  });
}

/** At which bandwidths `over` wins, as measured. */
function placeOf({ above, below }: Takeover): string {
  if (above === null) return `${NOT_EVEN} at ${below} % bandwidth`;
  return below === null ? `even at ${above} % bandwidth` : `at ${above} % but not at ${below} % bandwidth`;
}

/** 4, 9 and 16. */
function listed(numbers: readonly number[]): string {
  return numbers.length < 2 ? numbers.join() : `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`;
}

function imbalanceSentences(growth: readonly ImbalanceGrowth[], { noun }: Pick<Platform, 'noun'>): readonly string[] {
  const full = growth.filter(({ bw }) => bw === Math.max(...growth.map((one) => one.bw)));
  return full.map(({ scale, bw, smallest, largest }) => {
    const change = Math.round(largest.percent) - Math.round(smallest.percent);
    const verb = change > 0 ? 'grows' : change < 0 ? 'falls' : 'stays';
    return `Scale ${scale} at ${bw} % bandwidth: uneven ranks cost ${smallest.percent.toFixed(0)} % of a ${noun} on ${smallest.nodes} nodes and ${largest.percent.toFixed(0)} % on ${largest.nodes}: imbalance ${verb}${change === 0 ? '' : ' with the cluster'}.`;
  });
}

function answerOf(forecasts: readonly Forecast[], platform: Pick<Platform, 'metrics' | 'noun'>): string | null {
  const most = Math.max(...forecasts.map(({ nodes }) => nodes));
  const found = forecasts.filter(({ nodes }) => nodes === most).sort((a, b) => b.bw - a.bw)[0];
  const largest = found?.components.find(({ name }) => name === found.dominant);
  if (found === undefined || largest === undefined) return null;
  const total = found.components.reduce((sum, { value }) => sum + (value ?? 0), 0);
  const percent = (((largest.value ?? 0) / total) * 100).toFixed(0);
  return `On ${found.nodes} nodes ${componentLabel(largest.name, platform)} would hold a ${platform.noun} up most (${percent} % of its time, by fits of what held the measured ones up).`;
}

function forecastSentences(
  forecasts: readonly Forecast[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
): readonly string[] {
  const most = Math.max(...forecasts.map(({ nodes }) => nodes));
  return forecasts
    .filter(({ nodes }) => nodes === most)
    .map(({ nodes, scale, bw, components }) => {
      const total = components.reduce((sum, { value }) => sum + (value ?? 0), 0);
      const parts = components.map(
        ({ name, value }) => `${componentLabel(name, platform)} ${(((value ?? 0) / total) * 100).toFixed(0)} %`,
      );
      return `On ${nodes} nodes at ${bw} % bandwidth and scale ${scale} the fits give: ${parts.join(', ')} of a ${platform.noun}.`;
    });
}
