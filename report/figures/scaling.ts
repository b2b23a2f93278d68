import { ascending, intervalText, underSize } from '../../base/index.ts';
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
    points.some(({ interval }) => interval !== null)
      ? 'Dots: means; bars: their 90 % intervals.'
      : `Dots: means; bars: the middle half of the ${plural(report.noun)}.`,
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
      lines: measuredLines(series),
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

/** Completion time over nodes at full bandwidth (the paper's figure 2), a line per scale; null for fewer than two scales. */
export function scalesFigure(report: ReportData): Markup | null {
  const points = report.points.filter((point) => point.bw === 100);
  const scales = chosen(
    points.map((point) => point.scale),
    SHADES,
  );
  if (scales.length < 2) return null;
  const series = scales.map((scale, index) => ({
    ink: { id: `scale-${index}`, colour: `var(--level-${index})` },
    label: `scale ${number(scale)}`,
    dots: points
      .filter((point) => point.scale === scale)
      .map((point) => dotOf(point, point.nodes, report.noun))
      .sort((a, b) => a.x - b.x),
    curve: curveOf(report.curves, { fit: fitFor(report, scale, 'nodes'), scale, over: 'nodes', held: 100 }),
  }));
  const nodes = ascending(points.map((point) => point.nodes));
  if (nodes.length < 2) return null;
  const x = logAxis({ label: 'Cluster size (nodes)', values: nodes, at: nodes });
  const times = series.flatMap((one) => [...one.dots, ...one.curve].map((point) => point.y));
  const y = logAxis({ label: 'Completion time (s)', values: times });
  const fit = series.some(({ curve }) => curve.length > 0) ? report.fits[0] : undefined;
  return frame({
    title: 'All scales at full bandwidth',
    note: fit ? 'Lines: the preferred model of each scale. Dots: means.' : 'Lines only join the means.',
    x,
    y,
    legendTitle: 'Scale',
    legend: series.map((one) => lineEntry(one.ink, one.label)),
    marks: marksOf(series, { fit, x, y, bars: false }),
    lines: measuredLines(series),
  });
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
    lines: measuredLines(series),
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

/** Shades that the page has for levels. */
const SHADES = 4;

const JOINED: LegendEntry = { label: 'joins means (not a model)', shape: 'dash', colour: 'currentColor' };

interface Series {
  readonly ink: ReturnType<Inks['bw']>;
  readonly label: string;
  readonly dots: readonly Dot[];
  readonly curve: readonly { readonly x: number; readonly y: number }[];
}

/** For the alternative text. */
function measuredLines(series: readonly Series[]) {
  return series.map(({ label, dots: points }) => ({ label, points }));
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
  const interval = point.interval && intervalText(point.interval, seconds);
  return {
    x,
    y: point.meanCt,
    low: point.interval?.low ?? point.q1Ct,
    high: point.interval?.high ?? point.q3Ct,
    tip: `${where}, ${interval === null ? '' : `${interval}, `}${middle}, ${point.count} ${plural(noun)}`,
  };
}
