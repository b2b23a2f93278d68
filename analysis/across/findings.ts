import { joinWords } from '../../base/index.ts';
import type { Finding } from '../finding.ts';
import type { Platform } from '../platform/index.ts';
import { componentLabel } from '../sources/runs/sentences.ts';
import type { Forecast, ImbalanceGrowth } from './across-runs.ts';
import { type Run, secondsOf } from './runs.ts';
import type { Takeover } from './takeover.ts';

/** Groups of metrics that models name alike. */
export const NETWORK = 'network';
export const PROCESSORS = 'cpu';

const NOT_EVEN = 'not even';

/** At which bandwidths the network costs more than the processors, one finding per scale. */
export function takeoverFindings(
  found: readonly Takeover[],
  runs: readonly Run[],
  platform: Pick<Platform, 'metrics'>,
): readonly Finding[] {
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
    const parts = ordered.map(([place, nodes]) => `${place} on ${joinWords(nodes)} nodes`);
    const sentence = `Scale ${scale}: ${network} costs more time than ${processors} ${parts.join(', ')}.`;
    return { kind: 'across/takeover', where: `scale ${scale}`, seconds: null, percent: null, interval: null, sentence };
  });
}

/** At which bandwidths `over` wins, as measured. */
function placeOf({ above, below }: Takeover): string {
  if (above === null) return `${NOT_EVEN} at ${below} % bandwidth`;
  return below === null ? `even at ${above} % bandwidth` : `at ${above} % but not at ${below} % bandwidth`;
}

/** Whether imbalance grows with the cluster, at the highest bandwidth. */
export function imbalanceFindings(
  growth: readonly ImbalanceGrowth[],
  { noun }: Pick<Platform, 'noun'>,
): readonly Finding[] {
  const full = growth.filter(({ bw }) => bw === Math.max(...growth.map((one) => one.bw)));
  return full.map(({ scale, bw, smallest, largest }) => {
    const change = Math.round(largest.percent) - Math.round(smallest.percent);
    const verb = change > 0 ? 'grows' : change < 0 ? 'falls' : 'stays';
    return {
      kind: 'across/imbalance',
      where: `${largest.nodes} nodes, scale ${scale}, ${bw} % bandwidth`,
      seconds: largest.seconds,
      percent: largest.percent,
      interval: null,
      sentence: `Scale ${scale} at ${bw} % bandwidth: uneven ranks cost ${smallest.percent.toFixed(0)} % of a ${noun} on ${smallest.nodes} nodes and ${largest.percent.toFixed(0)} % on ${largest.nodes}: imbalance ${verb}${change === 0 ? '' : ' with the cluster'}.`,
    };
  });
}

/** What will hold up the largest cluster that was asked for, at the highest bandwidth; null without a forecast. */
export function answerOf(forecasts: readonly Forecast[], platform: Pick<Platform, 'metrics' | 'noun'>): string | null {
  const [found] = ofLargest(forecasts).sort((a, b) => b.bw - a.bw);
  const largest = found?.components.find(({ name }) => name === found.dominant);
  if (found === undefined || largest === undefined) return null;
  return `On ${found.nodes} nodes ${componentLabel(largest.name, platform)} would hold a ${platform.noun} up most (${shareOf(largest, found)} of its time, by fits of what held the measured ones up).`;
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
      where: `${one.nodes} nodes, scale ${one.scale}, ${one.bw} % bandwidth: ${one.dominant ?? 'nothing known'}`,
      seconds: largest?.value ?? null,
      percent: largest === undefined ? null : percentOf(largest, one),
      interval: largest === undefined ? null : { low: largest.low, high: largest.high },
      sentence: `On ${one.nodes} nodes at ${one.bw} % bandwidth and scale ${one.scale} the fits give: ${parts.join(', ')} of a ${platform.noun}.`,
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
