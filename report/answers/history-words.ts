import { joinWords } from '../../base/text.ts';
import { endsText, formatSeconds, trimNumber } from '../../base/units.ts';
import type { FigureName, History, HistoryChange, HistorySeries } from '../../modeling/questions/campaign-history.ts';
import { levelText, placeText } from './gate-answer.ts';

interface FigureWords {
  /** At the beginning of a sentence. */
  readonly name: string;
  /** Over a column. */
  readonly head: string;
  /** On an axis, with its unit. */
  readonly axis: string;
  readonly show: (value: number) => string;
  /** What a larger and a smaller value is. */
  readonly more: string;
  readonly less: string;
  /** Whether more of it is a slowdown. */
  readonly isWorse: boolean;
}

/** What people call a figure, and which way is bad. */
export const FIGURE_WORDS: Readonly<Record<FigureName, FigureWords>> = {
  ct: {
    ...{ name: 'Completion time', head: 'time', axis: 'Completion time (s)', show: formatSeconds },
    ...{ more: 'slower', less: 'faster', isWorse: true },
  },
  gteps: {
    ...{ name: 'Throughput', head: 'GTEPS', axis: 'Throughput (GTEPS)', show: trimNumber },
    ...{ more: 'higher', less: 'lower', isWorse: false },
  },
  ratio: {
    ...{ name: 'Time by that at full bandwidth', head: 'ratio', axis: 'Time ratio', show: trimNumber },
    ...{ more: 'larger', less: 'smaller', isWorse: true },
  },
  communication: {
    ...{ name: 'Share of communication', head: 'share', axis: 'Share of communication (%)' },
    show: (value) => `${(100 * value).toFixed(1)} %`,
    ...{ more: 'larger', less: 'smaller', isWorse: true },
  },
};

/** `9 nodes, scale 20, 100 %`, with the workload and cluster where a history has several. */
export function seriesText(series: HistorySeries, { series: all }: Pick<History, 'series'>): string {
  const of = subjectOf(series);
  return `${all.some((other) => subjectOf(other) !== of) ? `${of}, ` : ''}${placeText(series)}`;
}

/** `Completion time of graph500 on lab`. */
export function historyTitle({ figure, series }: Pick<History, 'figure' | 'series'>): string {
  return `${FIGURE_WORDS[figure].name} of ${joinWords([...new Set(series.map(subjectOf))])}`;
}

function subjectOf({ workload, cluster }: HistorySeries): string {
  return `${workload} on ${cluster}`;
}

/** `11.8 % slower`. */
export function changeText({ ratio: { value } }: Pick<HistoryChange, 'ratio'>, figure: FigureName): string {
  const { more, less } = FIGURE_WORDS[figure];
  return `${percentText(Math.abs(value - 1))} ${value > 1 ? more : less}`;
}

/** `From here on 11.8 % slower (90 % interval 9.0 to 14.6 %), since nightly-7 of 2026-01-07.` */
export function changeSentence(change: HistoryChange, { figure, level }: Pick<History, 'figure' | 'level'>): string {
  const { value, low, high } = change.ratio;
  const [from, to] = value > 1 ? [low - 1, high - 1] : [1 - high, 1 - low];
  const interval = `${levelText(level)} ${endsText({ low: from, high: to }, percentText)}`;
  return `From here on ${changeText(change, figure)} (${interval}), since ${change.campaign} of ${change.at.slice(0, 10)}.`;
}

function percentText(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** Whether its last change is a slowdown by more than so many percent. */
export function isSlowerThan({ changes }: HistorySeries, figure: FigureName, limitPercent: number): boolean {
  const change = changes.at(-1);
  if (change === undefined) return false;
  const more = 100 * (change.ratio.value - 1);
  return (FIGURE_WORDS[figure].isWorse ? more : -more) > limitPercent;
}

/** What is known where a series has no change point. */
export function steadySentence({ points, noisePercent }: HistorySeries, fewest: number): string {
  if (points.length < fewest)
    return `Change points need at least ${fewest} campaigns, and ${points.length} have this configuration.`;
  const noise = noisePercent === null ? '' : `: campaigns scatter by ${noisePercent.toFixed(1)} %`;
  return `No change beyond noise${noise}.`;
}
