import { ascending, underSize } from '../../base/index.ts';
import { timeOver } from '../content/time-over.ts';
import type { Curve, FitRow, PointRow, ReportData } from '../data.ts';
import { list, number, percent, plural, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { type Axis, linearAxis, logAxis } from './axes.ts';
import { chosen } from './chosen.ts';
import { type LegendEntry, lineEntry } from './figure.ts';
import { frame } from './frame.ts';
import type { Inks } from './inks.ts';
import { type Dot, dots, endLabels, line, spread, visible } from './series.ts';

/** Completion time over nodes for one scale (the paper's figure 2): linear and log-log, a colour per bandwidth. */
export function scalingFigures(report: ReportData, scale: number, inks: Inks): readonly Markup[] {
  const points = report.points.filter((point) => point.scale === scale);
  if (points.length === 0) return [];
  const fit = fitFor(report, scale, 'nodes');
  const levels = chosen(points.map((point) => point.bw));
  const series = levels.map((bw) => ({
    ink: inks.bw(bw),
    label: percent(bw),
    dots: points.filter((point) => point.bw === bw).map((point) => dotOf(point, point.nodes, report.noun)),
    curve: curveOf(report.curves, { fit, scale, over: 'nodes', held: bw }),
  }));
  const nodes = ascending(points.map((point) => point.nodes));
  const times = series.flatMap((one) => [
    ...one.dots.flatMap((dot) => [dot.low ?? dot.y, dot.y, dot.high ?? dot.y]),
    ...one.curve.map((point) => point.y),
  ]);
  const note = [
    fit ? `Lines: ${fit.title}.` : nodes.length === 1 ? '' : 'Lines only join the means: no model was fitted.',
    `Dots: means; bars: the middle half of the ${plural(report.noun)}.`,
    levels.length < new Set(points.map((point) => point.bw)).size ? `Shown: ${list(levels)} %.` : '',
  ].join(' ');
  const draw = (title: string, x: Axis, y: Axis): Markup =>
    frame({
      title,
      note,
      x,
      y,
      legendTitle: 'Bandwidth',
      legend: [...series.map((one) => lineEntry(one.ink, one.label)), ...(fit || nodes.length === 1 ? [] : [JOINED])],
      marks: marksOf(series, { fit, x, y, bars: true }),
    });
  const label = 'Cluster size (nodes)';
  const ct = 'Completion time (s)';
  const linear = draw(
    underSize(scale, timeOver(points), number),
    linearAxis({ label, values: nodes, at: nodes }),
    linearAxis({ label: ct, values: times }),
  );
  // Logarithms show slopes, and one cluster size has none.
  if (nodes.length === 1) return [linear];
  const logarithmic = draw(
    underSize(scale, 'the same, both axes logarithmic', number),
    logAxis({ label, values: nodes, at: nodes }),
    logAxis({ label: ct, values: times }),
  );
  return [linear, logarithmic];
}

/** Completion time over bandwidth (figures 3a and 4b), a colour per node count. */
export function bandwidthFigure(report: ReportData, scale: number, inks: Inks): Markup | null {
  const points = report.points.filter((point) => point.scale === scale);
  if (new Set(points.map((point) => point.bw)).size < 2) return null;
  const fit = fitFor(report, scale, 'bw');
  const sizes = chosen(points.map((point) => point.nodes));
  const series = sizes.map((nodes) => ({
    ink: inks.nodes(nodes),
    label: number(nodes),
    dots: points.filter((point) => point.nodes === nodes).map((point) => dotOf(point, point.bw, report.noun)),
    curve: curveOf(report.curves, { fit, scale, over: 'bw', held: nodes }),
  }));
  const bw = points.map((point) => point.bw);
  const times = series.flatMap((one) => [...one.dots, ...one.curve].map((point) => point.y));
  const x = logAxis({ label: 'Available bandwidth (% of line rate)', values: bw, at: chosen(bw), tickFormat: percent });
  const y = linearAxis({ label: 'Completion time (s)', values: times });
  return frame({
    title: underSize(scale, 'time over bandwidth', number),
    note: `${fit ? `Lines: ${fit.title}. ` : 'Lines only join the means. '}Where a line turns flat, more bandwidth no longer helps.`,
    x,
    y,
    legendTitle: 'Nodes',
    legend: series.map((one) => lineEntry(one.ink, one.label)),
    marks: marksOf(series, { fit, x, y, bars: false }),
  });
}

/** The preferred fit (first in the list) that has lines for this scale in this direction. */
function fitFor(report: ReportData, scale: number, over: Curve['over']): FitRow | undefined {
  return report.fits.find((fit) =>
    report.curves.some(
      (curve) => curve.fit === fit.id && curve.scale === scale && curve.over === over && curve.points.length > 1,
    ),
  );
}

const JOINED: LegendEntry = { label: 'joins means, no model', shape: 'dash', colour: 'currentColor' };

interface Series {
  readonly ink: ReturnType<Inks['bw']>;
  readonly label: string;
  readonly dots: readonly Dot[];
  readonly curve: readonly { readonly x: number; readonly y: number }[];
}

interface MarkOptions {
  readonly fit: FitRow | undefined;
  readonly x: Axis;
  readonly y: Axis;
  /** Whether the spread of each dot is drawn. */
  readonly bars: boolean;
}

function marksOf(series: readonly Series[], { fit, x, y, bars }: MarkOptions) {
  const seen = series.map((one) => {
    const own = visible(one.dots, x, y);
    return { ...one, own, points: one.curve.length > 0 ? visible(one.curve, x, y) : own };
  });
  return seen
    .flatMap(({ ink, own, curve }) => [
      ...(bars ? [spread(own, ink)] : []),
      line(fit ? visible(curve, x, y) : own, ink, fit ? {} : { strokeDasharray: '4 3', strokeWidth: 1.5 }),
      dots(own, ink),
    ])
    .concat(endLabels(seen, y));
}

function curveOf(
  curves: readonly Curve[],
  {
    fit,
    scale,
    over,
    held,
  }: { readonly fit: FitRow | undefined; readonly scale: number; readonly over: Curve['over']; readonly held: number },
) {
  const found = curves.find(
    (curve) => curve.fit === fit?.id && curve.scale === scale && curve.over === over && curve.held === held,
  );
  return (found?.points ?? []).map((point) => ({ x: point.x, y: point.ct }));
}

function dotOf(point: PointRow, x: number, noun: string): Dot {
  const where = `${number(point.nodes)} nodes, ${percent(point.bw)}: mean ${seconds(point.meanCt)}`;
  const middle = `middle half ${seconds(point.q1Ct)} to ${seconds(point.q3Ct)}`;
  return {
    x,
    y: point.meanCt,
    low: point.q1Ct,
    high: point.q3Ct,
    tip: `${where}, ${middle}, ${point.count} ${plural(noun)}`,
  };
}
