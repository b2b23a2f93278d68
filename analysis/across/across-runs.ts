import { type Finding, rankFindings } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import { type ComponentFits, fitComponents } from './fit-components.ts';
import { answerOf, type Forecast, type ForecastNodes, forecast, forecastFindings } from './forecast.ts';
import { growthOf, type ImbalanceGrowth, imbalanceFindings } from './imbalance-growth.ts';
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
    answer: answerOf(forecasts, platform),
    findings: rankFindings([
      ...takeoverFindings(found, runs, platform),
      ...imbalanceFindings(imbalance, platform),
      ...forecastFindings(forecasts, platform),
    ]),
  };
}
