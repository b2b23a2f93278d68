import * as Plot from '@observablehq/plot';
import { at } from '../../base/lists.ts';
import { type Axis, type AxisOptions, createAxis, fromUnit, toUnit } from './axes.ts';
import { type FrameOptions, frame, type LegendEntry, PLOT_HEIGHT } from './figure.ts';
import type { Ink } from './inks.ts';

interface Xy {
  readonly x: number;
  readonly y: number;
  /** The ends of its interval: a band around a line, a bar behind a dot. */
  readonly low?: number;
  readonly high?: number;
}

/** A point with what a reader sees on pointing at it. */
export interface Dot extends Xy {
  readonly tip: string;
  /** A run of it has a data-quality flag: it is drawn hollow. */
  readonly flagged?: boolean;
}

/** What has one colour: dots, and the lines that belong to them. */
export interface PlottedSeries {
  readonly ink: Ink;
  readonly label: string;
  /** At its end; default: the label. */
  readonly end?: string;
  readonly dots?: readonly Dot[];
  /** Hollow dots. */
  readonly rings?: readonly Dot[];
  readonly line?: readonly Xy[];
  readonly dashed?: readonly Xy[];
  /** Of the dots; default: a small circle. */
  readonly symbol?: 'circle' | 'square' | 'triangle' | 'diamond';
}

interface SeriesOptions extends Omit<FrameOptions, 'x' | 'y' | 'marks' | 'lines'> {
  /** Beside their own values they show all that is drawn; a band may leave them. */
  readonly x: AxisOptions;
  readonly y: AxisOptions;
  readonly series: readonly PlottedSeries[];
  /** Drawn below them. */
  readonly below?: readonly Plot.Markish[];
  /** Whether dots of several series at one x stand beside each other, so that each interval is seen. */
  readonly apart?: boolean;
}

/** Series over one horizontal axis; each has an entry in the legend, before the entries given, and its name at its end. */
export function seriesFigure({
  x: across,
  y: up,
  series: all,
  below = [],
  apart: beside = false,
  legend,
  ...rest
}: SeriesOptions) {
  const series = beside ? dodged(all, across.type ?? 'linear') : all;
  const points = series.flatMap(({ dots = [], rings = [], line = [], dashed = [] }) => [
    ...[...dots, ...rings].flatMap(({ x, y, low = y, high = y }) => [low, y, high].map((end) => ({ x, y: end }))),
    ...[...line, ...dashed],
  ]);
  const x = createAxis({
    ...across,
    values: [...points.map((one) => one.x), ...(across.values ?? []), ...(across.at ?? [])],
  });
  const y = createAxis({ ...up, values: [...points.map((one) => one.y), ...(up.values ?? [])] });
  const shown = series.map(({ dots = [], rings = [], line = [], dashed = [], ...one }) => ({
    ...{ ...one, dots: visible(dots, x, y), rings: visible(rings, x, y) },
    ...{ line: visible(line, x, y), dashed: visible(dashed, x, y) },
  }));
  return frame({
    ...{ ...rest, x, y, csv: csvOf(all, [across.label, up.label]) },
    legend: [...series.map(entryOf), ...legend],
    lines: shown.map(({ label, dots, line }) => ({ label, points: line.length > 0 ? line : dots })),
    marks: [
      ...below,
      ...shown.map(({ line, ink }) => band(line, y, ink)),
      ...shown.flatMap(({ dots, rings, line, dashed, symbol, ink }) => [
        bars(dots, ink),
        lineMark(dashed, ink, { strokeDasharray: '4 3', strokeWidth: 1.5 }),
        lineMark(line, ink),
        dotMark(rings, ink, { fill: 'none', stroke: ink.colour, strokeWidth: 1.5, r: 3.5 }),
        ...[false, true].map((flagged) =>
          dotMark(
            dots.filter((dot) => (dot.flagged ?? false) === flagged),
            ink,
            {
              ...(symbol === undefined ? {} : { symbol, r: 4.5 }),
              ...(flagged ? { fill: 'var(--card)', stroke: ink.colour, strokeWidth: 1.6 } : {}),
            },
          ),
        ),
      ]),
      ...endLabels(shown, y),
    ],
  });
}

/** A line for each dot and for each place of a line, with six digits. */
function csvOf(series: readonly PlottedSeries[], [x, y]: readonly [string, string]): string {
  const cell = (value: string | number | undefined): string => {
    if (value === undefined) return '';
    if (typeof value === 'number') return Number.isFinite(value) ? String(Number(value.toPrecision(6))) : '';
    return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  const rows = series.flatMap(({ label, dots = [], rings = [], line = [], dashed = [] }) =>
    Object.entries({ dot: dots, ring: rings, line, dashed }).flatMap(([kind, points]) =>
      points.map((point) => [label, kind, point.x, point.y, point.low, point.high]),
    ),
  );
  return [['series', 'kind', x, y, 'low', 'high'], ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}

/** Neighbours at one x are so far apart: a factor on a logarithmic axis, else a share of what is drawn. */
const APART = { log: 1.035, linear: 0.008 };

function dodged(series: readonly PlottedSeries[], type: Axis['type']): readonly PlottedSeries[] {
  const most = Math.max(0, ...series.flatMap(({ dots = [] }) => dots.map(({ x }) => x)));
  return series.map(({ dots = [], dashed = [], ...one }, index) => {
    const steps = index - (series.length - 1) / 2;
    const move = <T extends Xy>(points: readonly T[]): readonly T[] =>
      points.map((point) => ({
        ...point,
        x: type === 'log' ? point.x * APART.log ** steps : point.x + APART.linear * most * steps,
      }));
    return { ...one, dots: move(dots), dashed: move(dashed) };
  });
}

function entryOf({ ink, label, dots, line, symbol }: PlottedSeries): LegendEntry {
  const shape = symbol === 'circle' ? 'dot' : (symbol ?? (dots === undefined && line === undefined ? 'dash' : 'line'));
  return { label, colour: ink.colour, series: ink.id, shape };
}

/** What the axes can show: finite, and positive where logarithmic. */
function visible<T extends Xy>(points: readonly T[], x: Axis, y: Axis): readonly T[] {
  const fits = (value: number, axis: Axis): boolean => Number.isFinite(value) && (axis.type === 'linear' || value > 0);
  return points.filter((point) => fits(point.x, x) && fits(point.y, y));
}

function lineMark(points: readonly Xy[], ink: Ink, options: Plot.LineYOptions = {}): Plot.Markish {
  const own = { x: 'x', y: 'y', stroke: ink.colour, strokeWidth: 1.6, className: classOf(ink) };
  return Plot.lineY([...points], { ...own, ...options });
}

function dotMark(points: readonly Dot[], ink: Ink, options: Plot.DotOptions = {}): Plot.Markish {
  return Plot.dot([...points], {
    ...{ x: 'x', y: 'y', r: 3, fill: ink.colour, stroke: 'var(--page)', strokeWidth: 1, title: 'tip' },
    ...options,
    className: classOf(ink),
  });
}

/** Intervals of dots. */
function bars(points: readonly Dot[], ink: Ink): Plot.Markish {
  const shown = points.filter((point) => point.low !== undefined && point.high !== undefined);
  const own = { stroke: ink.colour, strokeWidth: 5, strokeOpacity: 0.3, className: classOf(ink) };
  return Plot.ruleX(shown, { x: 'x', y1: 'low', y2: 'high', ...own });
}

/** Intervals of a line, as far as the axis reaches. */
function band(points: readonly Xy[], { domain: [least, most] }: Axis, ink: Ink): Plot.Markish {
  const within = (value: number): number => Math.min(most, Math.max(least, value));
  const steps = points.flatMap(({ x, low, high = most }) =>
    low === undefined ? [] : [{ x, low: within(low), high: within(high) }],
  );
  const own = { fill: ink.colour, fillOpacity: 0.15, className: classOf(ink) };
  return Plot.areaY(steps, { x: 'x', y1: 'low', y2: 'high', ...own });
}

type Shown = Required<Pick<PlottedSeries, 'ink' | 'label' | 'dots' | 'line' | 'dashed'>> & Pick<PlottedSeries, 'end'>;

/** Names at the right end of each line with dots, moved apart where they would overlap. */
function endLabels(series: readonly Shown[], y: Axis): readonly Plot.Markish[] {
  const labels = series.flatMap(({ label, end: text = label, ink, dots, line, dashed }) =>
    (line.length > 0 ? line : dots.length > 0 ? dashed : []).slice(-1).map((end) => ({ ...end, text, ink })),
  );
  const places = apart(
    labels.map((label) => toUnit(y, label.y)),
    13 / PLOT_HEIGHT,
  );
  return labels.map((label, index) =>
    Plot.text([{ x: label.x, y: fromUnit(y, at(places, index)), text: label.text }], {
      ...{ x: 'x', y: 'y', text: 'text', dx: 8, textAnchor: 'start', fontWeight: 600 },
      ...{ fill: label.ink.colour, className: classOf(label.ink) },
    }),
  );
}

/** Positions at least `gap` apart in their old order, as near to where they were as pushing from below allows. */
export function apart(positions: readonly number[], gap: number): readonly number[] {
  const order = positions.map((position, index) => ({ position, index })).sort((a, b) => a.position - b.position);
  const placed = new Array<number>(positions.length).fill(0);
  let floor = Number.NEGATIVE_INFINITY;
  const raised = order.map(({ position, index }) => {
    floor = Math.max(position, floor + gap);
    return { index, position: floor };
  });
  // Pull everything down again if the topmost left the drawing.
  let ceiling = Number.POSITIVE_INFINITY;
  for (const { index, position } of raised.reverse()) {
    ceiling = Math.min(position, ceiling === Number.POSITIVE_INFINITY ? 1 : ceiling - gap);
    placed[index] = ceiling;
  }
  return placed;
}

function classOf(ink: Ink): string {
  return `series ${ink.id}`;
}
