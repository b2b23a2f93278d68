import { nodesText, sizeText } from '../../base/units.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import type { Finding } from '../finding.ts';
import type { Platform } from '../platform/platform.ts';
import { componentLabel } from '../sources/runs/cost-findings.ts';
import { UNEXPLAINED } from '../sources/runs/divide-time.ts';
import { type ComponentFit, componentAt } from './fit-components.ts';
import type { RunSetting } from './run-of-cell.ts';

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
export interface Forecast extends RunSetting {
  readonly components: readonly ({ readonly name: string } & Estimate)[];
  /** The largest component that is a known resource. */
  readonly dominant: string | null;
  /** Whether sentences are about it. */
  readonly isNamed: boolean;
}

export function forecast(fits: readonly ComponentFit[], setting: RunSetting, isNamed: boolean): Forecast {
  const components = fits
    .map((one) => ({ name: one.name, ...componentAt(one, setting) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const dominant = components.find(({ name }) => name !== UNEXPLAINED)?.name ?? null;
  return { ...setting, components, dominant, isNamed };
}

/** What will hold up the cluster that sentences are about, at the highest bandwidth; null without a forecast. */
export function describeForecast(
  forecasts: readonly Forecast[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
): string | null {
  const [found] = forecasts.filter(({ isNamed }) => isNamed).sort((a, b) => b.bw - a.bw);
  const largest = found?.components.find(({ name }) => name === found.dominant);
  if (found === undefined || largest === undefined) return null;
  return `On ${nodesText(found.nodes)} ${componentLabel(largest.name, platform)} would be the main bottleneck of a ${platform.noun} (${shareOf(largest, found)} of its time, forecast by fits of the measured bottlenecks).`;
}

/** The parts of the time on the cluster that sentences are about; what is at stake is the largest of them. */
export function forecastFindings(
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
