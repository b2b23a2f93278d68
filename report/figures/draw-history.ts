import * as Plot from '@observablehq/plot';
import { at, last } from '../../base/lists.ts';
import type { History, HistorySeries } from '../../modeling/questions/campaign-history.ts';
import { changeText, FIGURE_WORDS, seriesText } from '../answers/history-words.ts';
import { formatPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { seriesFigure } from './draw-series.ts';
import type { Ink } from './inks.ts';

const DAY_MS = 86_400_000;
/** Share of the axis beside the first and the last campaign. */
const AIR = 0.03;
/** Beyond this share of the axis a label does not fit on the right of its line. */
const LABEL = 0.68;
/** Rows of labels, so that those of near changes do not overlap. */
const ROWS = 3;

/** One configuration over time: campaigns with intervals, levels, and a line where values change. */
export function historyFigure(
  series: HistorySeries,
  history: History,
  { ink, size }: { readonly ink: Ink; readonly size?: { readonly width: number; readonly height: number } },
): Markup {
  const { points, changes, levels } = series;
  const { figure } = history;
  const { axis, show } = FIGURE_WORDS[figure];
  const startMs = Date.parse(at(points, 0).at);
  const dayOf = (iso: string): number => (Date.parse(iso) - startMs) / DAY_MS;
  const days = points.map((point) => dayOf(point.at));
  const span = Math.max(last(days), 1 / 24);
  const [from, to] = [-AIR * span, (1 + AIR) * span];
  const factor = figure === 'communication' ? 100 : 1;
  // A change lies between two campaigns.
  const lines = changes.map((change, row) => {
    const x = (at(days, change.index - 1) + at(days, change.index)) / 2;
    return { x, text: changeText(change, figure), row: row % ROWS, isLeft: x > LABEL * span };
  });
  const bounds = [from, ...lines.map(({ x }) => x), to];
  const steps = levels.map((level, index) => ({ y: factor * level, x1: at(bounds, index), x2: at(bounds, index + 1) }));
  const values = points.flatMap(({ value, low, high }) => [low ?? value, high ?? value]).map((value) => factor * value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const dateOf = dateText(span);
  return seriesFigure({
    title: seriesText(series, history).replace(/ %$/, '\u202f%'),
    note: 'Dots: campaigns; bars: their 90 % intervals over repetitions. Dashed: levels between changes.',
    ...{ legendTitle: 'Bandwidth', legend: [] },
    ...(size === undefined ? {} : { size }),
    x: {
      label: `Measured (UTC, ${yearsText(points)})`,
      ...{ values: [from, span], at: ticksOf(days, (day) => dateOf(startMs + day * DAY_MS)) },
      tickFormat: (day) => dateOf(startMs + day * DAY_MS),
    },
    // Room for the labels of changes.
    y: { label: axis, type: 'log', values: [...(lines.length === 0 ? [] : [most * (most / least) ** 0.25])] },
    below: [
      Plot.ruleX(lines, { x: 'x', stroke: 'var(--warn)', strokeWidth: 1.2 }),
      Plot.ruleY(steps, { y: 'y', x1: 'x1', x2: 'x2', stroke: 'var(--soft)', strokeDasharray: '4 3' }),
      ...lines.map(({ x, text, row, isLeft }) =>
        Plot.text([{ x, text }], {
          ...{ x: 'x', text: 'text', frameAnchor: 'top', dy: 3 + 13 * row, dx: isLeft ? -5 : 5 },
          ...{ textAnchor: isLeft ? 'end' : 'start', fill: 'var(--warn)', fontWeight: 600 },
          ...{ stroke: 'var(--card)', strokeWidth: 4 },
        }),
      ),
    ],
    series: [
      {
        ...{ ink, label: formatPercent(series.bw), symbol: 'circle' },
        dots: points.map(({ campaign, at: when, value, low, high }) => ({
          ...{ x: dayOf(when), y: factor * value, tip: `${campaign}, ${when.slice(0, 10)}: ${show(value)}` },
          ...(low === null || high === null ? {} : { low: factor * low, high: factor * high }),
        })),
      },
    ],
  });
}

/** Of days with one label the first. */
function ticksOf(days: readonly number[], textOf: (day: number) => string): readonly number[] {
  return days.filter((day, index) => index === 0 || textOf(day) !== textOf(at(days, index - 1)));
}

/** How a moment is written on an axis of so many days. */
function dateText(days: number): (ms: number) => string {
  const options: Intl.DateTimeFormatOptions =
    days < 2
      ? { hour: '2-digit', minute: '2-digit' }
      : days > 400
        ? { month: 'short', year: 'numeric' }
        : { day: 'numeric', month: 'short' };
  // Made once: it takes longer than to use it.
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options });
  return (ms) => format.format(ms);
}

function yearsText(points: HistorySeries['points']): string {
  const [first, final] = [at(points, 0), last(points)].map((point) => point.at.slice(0, 4));
  return first === final ? `${first}` : `${first} to ${final}`;
}
