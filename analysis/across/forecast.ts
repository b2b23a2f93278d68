import { nodesText, sizeText } from '../../base/index.ts';
import type { Estimate } from '../../modeling/index.ts';
import type { Finding } from '../finding.ts';
import type { Platform } from '../platform/index.ts';
import { UNEXPLAINED } from '../sources/runs/divide-time.ts';
import { componentLabel } from '../sources/runs/sentences.ts';
import { type ComponentFit, componentAt } from './fit-components.ts';
import type { RunSetting } from './runs.ts';

/** Node counts that components are forecast for, those beyond the measured ones. */
export const FORECAST_NODES = [36, 64, 100];

/** The components of a phase in focus at a setting, by the fits, the largest first; seconds with 90 % intervals. */
export interface Forecast extends RunSetting {
  readonly components: readonly ({ readonly name: string } & Estimate)[];
  /** The largest component that is a known resource. */
  readonly dominant: string | null;
}

export function forecast(fits: readonly ComponentFit[], setting: RunSetting): Forecast {
  const components = fits
    .map((one) => ({ name: one.name, ...componentAt(one, setting) }))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return { ...setting, components, dominant: components.find(({ name }) => name !== UNEXPLAINED)?.name ?? null };
}

/** What will hold up the largest cluster that was asked for, at the highest bandwidth; null without a forecast. */
export function answerOf(forecasts: readonly Forecast[], platform: Pick<Platform, 'metrics' | 'noun'>): string | null {
  const [found] = ofLargest(forecasts).sort((a, b) => b.bw - a.bw);
  const largest = found?.components.find(({ name }) => name === found.dominant);
  if (found === undefined || largest === undefined) return null;
  return `On ${nodesText(found.nodes)} ${componentLabel(largest.name, platform)} would be the main bottleneck of a ${platform.noun} (${shareOf(largest, found)} of its time, forecast by fits of the measured bottlenecks).`;
}

/** The parts of the time on the largest cluster that was asked for; what is at stake is the largest of them. */
export function forecastFindings(
  forecasts: readonly Forecast[],
  platform: Pick<Platform, 'metrics' | 'noun'>,
): readonly Finding[] {
  return ofLargest(forecasts).map((one) => {
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

function ofLargest(forecasts: readonly Forecast[]): Forecast[] {
  const most = Math.max(...forecasts.map(({ nodes }) => nodes));
  return forecasts.filter(({ nodes }) => nodes === most);
}

function shareOf(part: Forecast['components'][number], all: Forecast): string {
  return `${percentOf(part, all).toFixed(0)} %`;
}

function percentOf({ value }: Forecast['components'][number], { components }: Forecast): number {
  const total = components.reduce((sum, part) => sum + (part.value ?? 0), 0);
  return ((value ?? 0) / total) * 100;
}
