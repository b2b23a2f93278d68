import type { Estimate } from '../../modeling/index.ts';
import { type Finding, rankFindings } from '../finding.ts';
import type { Platform } from '../platform/index.ts';
import { UNEXPLAINED } from '../sources/runs/divide-time.ts';
import { answerOf, forecastFindings, imbalanceFindings, NETWORK, PROCESSORS, takeoverFindings } from './findings.ts';
import { type ComponentFits, componentAt, fitComponents } from './fit-components.ts';
import type { Run, Setting } from './runs.ts';
import { type Takeover, takeovers } from './takeover.ts';

/** The components of a phase in focus at a setting, by the fits, the largest first; seconds with 90 % intervals. */
export interface Forecast extends Setting {
  readonly components: readonly ({ readonly name: string } & Estimate)[];
  /** The largest component that is a known resource. */
  readonly dominant: string | null;
}

/** What would be saved at most, of one phase in focus, if the most uneven type of phases took as long everywhere. */
export interface Imbalance {
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

/** What runs of one sweep say together, which no single run can. */
export interface Across {
  readonly fits: ComponentFits;
  readonly takeovers: readonly Takeover[];
  readonly imbalance: readonly ImbalanceGrowth[];
  readonly forecasts: readonly Forecast[];
  /** What will hold up the largest cluster that was asked for, at the highest bandwidth; null without a forecast. */
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
    findings: rankFindings([
      ...takeoverFindings(found, runs, platform),
      ...imbalanceFindings(imbalance, platform),
      ...forecastFindings(forecasts, platform),
    ]),
  };
}

function forecast(fits: ComponentFits, setting: Setting): Forecast {
  const components = (fits.kind === 'fitted' ? fits.components : [])
    .map((one) => ({ name: one.name, ...componentAt(one, setting) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return { ...setting, components, dominant: components.find(({ name }) => name !== UNEXPLAINED)?.name ?? null };
}

function growthOf(runs: readonly Run[]): readonly ImbalanceGrowth[] {
  const groups = new Map<string, Run[]>();
  // A run shorter than a slice has no time to be uneven in.
  for (const run of runs.filter(({ seconds }) => seconds > 0))
    groups.set(`${run.scale} ${run.bw}`, [...(groups.get(`${run.scale} ${run.bw}`) ?? []), run]);
  const ordered = [...groups.values()].sort(
    ([a], [b]) => (a?.scale ?? 0) - (b?.scale ?? 0) || (b?.bw ?? 0) - (a?.bw ?? 0),
  );
  return ordered.flatMap((group) => {
    const sorted = group.toSorted((a, b) => a.nodes - b.nodes);
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
