import * as Plot from '@observablehq/plot';
import { at } from '../../base/index.ts';
import { type Axis, fromUnit, toUnit } from './axes.ts';
import { PLOT_HEIGHT } from './frame.ts';
import type { Ink } from './inks.ts';

interface Xy {
  readonly x: number;
  readonly y: number;
}

/** A point with what a reader sees on pointing at it, and its spread where there is one. */
export interface Dot extends Xy {
  readonly tip: string;
  readonly low?: number;
  readonly high?: number;
}

/** What the axes can show: finite, and positive where logarithmic. */
export function visible<T extends Xy>(points: readonly T[], x: Axis, y: Axis): readonly T[] {
  const fits = (value: number, axis: Axis): boolean => Number.isFinite(value) && (axis.type === 'linear' || value > 0);
  return points.filter((point) => fits(point.x, x) && fits(point.y, y));
}

export function line(points: readonly Xy[], ink: Ink, options: Plot.LineYOptions = {}): Plot.Markish {
  return Plot.lineY([...points], {
    x: 'x',
    y: 'y',
    stroke: ink.colour,
    strokeWidth: 1.6,
    ...options,
    className: classOf(ink),
  });
}

export function dots(points: readonly Dot[], ink: Ink, options: Plot.DotOptions = {}): Plot.Markish {
  return Plot.dot([...points], {
    x: 'x',
    y: 'y',
    r: 3,
    fill: ink.colour,
    stroke: 'var(--page)',
    strokeWidth: 1,
    title: 'tip',
    ...options,
    className: classOf(ink),
  });
}

/** Bars from `low` to `high` behind the dots. */
export function spread(points: readonly Dot[], ink: Ink): Plot.Markish {
  const shown = points.filter((point) => point.low !== undefined && point.high !== undefined);
  return Plot.ruleX(shown, {
    x: 'x',
    y1: 'low',
    y2: 'high',
    stroke: ink.colour,
    strokeWidth: 5,
    strokeOpacity: 0.3,
    className: classOf(ink),
  });
}

interface Named {
  readonly label: string;
  readonly ink: Ink;
  readonly points: readonly Xy[];
}

/** Names at the right end of each line, moved apart where they would overlap. */
export function endLabels(series: readonly Named[], y: Axis): readonly Plot.Markish[] {
  const labels = series.flatMap(({ label: text, ink, points }) =>
    points.slice(-1).map((end) => ({ x: end.x, y: end.y, text, ink })),
  );
  const places = apart(
    labels.map((label) => toUnit(y, label.y)),
    13 / PLOT_HEIGHT,
  );
  return labels.map((label, index) =>
    Plot.text([{ x: label.x, y: fromUnit(y, at(places, index)), text: label.text }], {
      x: 'x',
      y: 'y',
      text: 'text',
      dx: 8,
      textAnchor: 'start',
      fill: label.ink.colour,
      fontWeight: 600,
      className: classOf(label.ink),
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
