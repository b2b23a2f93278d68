import * as Plot from '@observablehq/plot';
import { ascending } from '../../base/lists.ts';
import { intervalText, underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { FitRow } from '../content/fits.ts';
import { chooseValues } from '../content/main-setting.ts';
import type { Curve } from '../content/predictions.ts';
import type { PointRow } from '../content/statistics.ts';
import { formatPercent, list, number, plural, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import type { Axis } from './axes.ts';
import { type Dot, type PlottedSeries, seriesFigure } from './draw-series.ts';
import type { Inks } from './inks.ts';

const NODES = 'Cluster size (nodes)';
const TIME = 'Completion time (s)';

/** Completion time over nodes for one scale (the paper's figure 2): linear and log-log, a colour per bandwidth. */
export function scalingFigures(report: ReportData, scale: number, inks: Inks): readonly Markup[] {
  const points = report.points.filter((point) => point.scale === scale);
  if (points.length === 0) return [];
  const fit = fitFor(report, scale, 'nodes');
  const nodes = ascending(points.map((point) => point.nodes));
  const bandwidths = ascending(points.map((point) => point.bw));
  const levels = chooseValues(bandwidths);
  const note = [
    fit ? `Lines: ${fit.title}.` : nodes.length === 1 ? '' : JOINED,
    points.some(({ interval }) => interval !== null)
      ? 'Dots: means; bars: their 90 % intervals.'
      : `Dots: means; bars: the middle half of the ${plural(report.noun)}.`,
    levels.length < bandwidths.length ? `Shown: ${list(levels)} %.` : '',
    flaggedNote(points),
  ].join(' ');
  const draw = (title: string, type: Axis['type']): Markup =>
    seriesFigure({
      title: underSize(scale, title, number),
      ...{ note, legendTitle: 'Bandwidth', legend: [], apart: true },
      x: { label: NODES, type, at: nodes },
      y: { label: TIME, type },
      series: levels.map((held) => ({
        ...{ ink: inks.bw(held), label: formatPercent(held) },
        ...measuredOf(report, { scale, over: 'nodes', held }),
      })),
    });
  const linear = draw('time over nodes', 'linear');
  // Logarithms show slopes, and one cluster size has none.
  return nodes.length === 1 ? [linear] : [linear, draw('the same, both axes logarithmic', 'log')];
}

/** Completion time over nodes at full bandwidth (the paper's figure 2), a line per scale; null for fewer than two scales. */
export function scalesFigure(report: ReportData): Markup | null {
  const points = report.points.filter((point) => point.bw === 100);
  const nodes = ascending(points.map((point) => point.nodes));
  // So many shades has the page for levels.
  const scales = chooseValues(
    points.map((point) => point.scale),
    4,
  );
  if (scales.length < 2 || nodes.length < 2) return null;
  const isFitted = scales.some((scale) => fitFor(report, scale, 'nodes') !== undefined);
  return seriesFigure({
    title: 'All scales at full bandwidth',
    note: `${isFitted ? 'Lines: the preferred model of each scale. Dots: means.' : JOINED} ${flaggedNote(points)}`.trimEnd(),
    ...{ legendTitle: 'Scale', legend: [] },
    x: { label: NODES, type: 'log', at: nodes },
    y: { label: TIME, type: 'log' },
    series: scales.map((scale, index) => ({
      ink: { id: `scale-${index}`, colour: `var(--level-${index})` },
      label: `scale ${number(scale)}`,
      ...measuredOf(report, { scale, over: 'nodes', held: 100 }),
    })),
  });
}

/** Completion time over bandwidth (figures 3a and 4b), a colour per node count. */
export function bandwidthFigure(report: ReportData, scale: number, inks: Inks): Markup | null {
  const points = report.points.filter((point) => point.scale === scale);
  const bw = ascending(points.map((point) => point.bw));
  if (bw.length < 2) return null;
  const fit = fitFor(report, scale, 'bw');
  return seriesFigure({
    title: underSize(scale, 'time over bandwidth', number),
    note: `${fit ? `Lines: ${fit.title}.` : JOINED} Where a line turns flat, more bandwidth no longer helps. ${flaggedNote(points)}`.trimEnd(),
    ...{ legendTitle: 'Nodes', legend: [] },
    x: { label: 'Available bandwidth (% of line rate)', type: 'log', at: chooseValues(bw), tickFormat: formatPercent },
    y: { label: TIME },
    series: chooseValues(points.map((point) => point.nodes)).map((held) => ({
      ...{ ink: inks.nodes(held), label: number(held) },
      ...measuredOf(report, { scale, over: 'bw', held }),
    })),
  });
}

const flaggedNote = (points: readonly PointRow[]): string =>
  points.some(({ flagged }) => flagged > 0) ? 'Hollow dots: some of their runs are flagged.' : '';

const JOINED = 'Dashed lines only join the means: no model was fitted.';

interface Along {
  readonly scale: number;
  readonly over: Curve['over'];
  /** Of the other variable. */
  readonly held: number;
}

/** What was measured, and the line of the preferred fit; without one a dashed line joins the means. */
function measuredOf(report: ReportData, { scale, over, held }: Along): Pick<PlottedSeries, 'dots' | 'line' | 'dashed'> {
  const fit = fitFor(report, scale, over);
  const dots = report.points
    .filter((point) => point.scale === scale && (over === 'nodes' ? point.bw : point.nodes) === held)
    .map((point) => dotOf(point, point[over], report.noun));
  const curve = report.curves.find(
    (one) => one.fit === fit?.id && one.scale === scale && one.over === over && one.held === held,
  );
  const line = (curve?.points ?? []).map(({ x, ct }) => ({ x, y: ct }));
  return fit === undefined ? { dots, dashed: dots } : { dots, line };
}

/** The preferred fit (first in the list) that has lines for this scale in this direction. */
function fitFor({ fits, curves }: ReportData, scale: number, over: Curve['over']) {
  const own = curves.filter((curve) => curve.scale === scale && curve.over === over && curve.points.length > 1);
  return fits.find((fit) => own.some((curve) => curve.fit === fit.id));
}

function dotOf(point: PointRow, x: number, noun: string): Dot {
  const where = `${number(point.nodes)} nodes, ${formatPercent(point.bw)}: mean ${seconds(point.meanCt)}`;
  const middle = `middle half ${seconds(point.q1Ct)} to ${seconds(point.q3Ct)}`;
  const interval = point.interval && intervalText(point.interval, seconds);
  return {
    x,
    y: point.meanCt,
    low: point.interval?.low ?? point.q1Ct,
    high: point.interval?.high ?? point.q3Ct,
    flagged: point.flagged > 0,
    tip: `${where}, ${interval === null ? '' : `${interval}, `}${middle}, ${point.count} ${plural(noun)}${point.flagged > 0 ? `, flagged runs: ${point.flagged}` : ''}`,
  };
}

interface ProjectionOptions {
  readonly fit: FitRow;
  readonly scale: number;
  readonly inks: Inks;
}

/** A measured or predicted time. */
interface Row {
  readonly nodes: number;
  readonly bw: number;
  readonly ct: number;
  readonly gteps: number | null;
  readonly interval?: ReportData['projections'][number]['interval'];
}

/** Projected completion time and GTEPS over nodes (figures 7 and 8): a line per bandwidth, measured region shaded. */
export function projectionFigures(report: ReportData, { fit, scale, inks }: ProjectionOptions): readonly Markup[] {
  const all = report.projections.filter((row) => row.fit === fit.id && row.scale === scale);
  const rows = all.filter(({ abstains }) => abstains === null);
  if (new Set(rows.map((row) => row.nodes)).size < 2) return [];
  const ideal = fit.usesBandwidth ? idealFor(report, scale) : undefined;
  const idealRows = report.projections.filter(
    (row) => row.fit === ideal?.id && row.scale === scale && row.abstains === null,
  );
  const levels = chooseValues(rows.map((row) => row.bw));
  const points = report.points.filter((point) => point.scale === scale);
  const measured = points.filter((point) => levels.includes(point.bw)).map(rowOf);
  const note = `${fit.title}; dots are measured, bands are 90 % prediction intervals. Beyond the shaded region everything is extrapolation.${rows.length < all.length ? ' Nothing is drawn where there is no prediction.' : ''}`;
  const draw = (what: string, label: string, dotOf: (row: Row) => Dot | null): Markup | null => {
    const at = (list: readonly Row[], bw: number): readonly Dot[] =>
      list
        .filter((row) => row.bw === bw)
        .flatMap((row) => dotOf(row) ?? [])
        .sort((a, b) => a.x - b.x);
    const lines = levels.map((bw) => ({
      ...{ ink: inks.bw(bw), label: formatPercent(bw), line: at(rows, bw), dots: at(measured, bw) },
    }));
    const last = { ink: IDEAL, label: `${ideal?.title}, full bandwidth`, dashed: at(idealRows, 100) };
    if (!lines.some(({ line, dots }) => [...line, ...dots].some(({ y }) => y > 0))) return null;
    return seriesFigure({
      ...{ title: underSize(scale, what, number), note, legendTitle: 'Bandwidth' },
      x: { label: 'Cluster size (nodes)', type: 'log' },
      y: { label, type: 'log' },
      legend: points.length > 0 ? [{ label: 'measured region', shape: 'band', colour: 'currentColor' }] : [],
      series: ideal === undefined ? lines : [...lines, last],
      below: [shade(points.map(({ nodes }) => nodes))],
    });
  };
  const shown = [
    draw('predicted time', 'Completion time (s, logarithmic)', (row) => ({
      ...{ x: row.nodes, y: row.ct, tip: tipOf(row) },
      ...(row.interval?.low == null ? {} : { low: row.interval.low, high: row.interval.high ?? Number.MAX_VALUE }),
    })),
    draw('predicted throughput', 'Throughput (GTEPS, logarithmic)', (row) =>
      row.gteps === null ? null : { x: row.nodes, y: row.gteps, tip: tipOf(row) },
    ),
  ];
  return shown.filter((figure) => figure !== null);
}

const IDEAL = { id: 'ideal', colour: 'currentColor' };

/** The model of the same reach without bandwidth: the paper's "Ideal" line. */
function idealFor(report: ReportData, scale: number): FitRow | undefined {
  return report.fits.find(
    (fit) => !fit.usesBandwidth && report.projections.some((row) => row.fit === fit.id && row.scale === scale),
  );
}

function rowOf({ nodes, bw, meanCt, harmonicMeanTeps }: ReportData['points'][number]): Row {
  return { nodes, bw, ct: meanCt, gteps: harmonicMeanTeps === null ? null : harmonicMeanTeps / 1e9 };
}

function tipOf(row: Row): string {
  const rate = row.gteps === null ? '' : `, ${number(row.gteps)} GTEPS`;
  return `${number(row.nodes)} nodes, ${formatPercent(row.bw)}: ${seconds(row.ct)}${rate}`;
}

function shade(nodes: readonly number[]): Plot.Markish {
  if (nodes.length === 0) return null;
  // A single node count still gets a visible strip.
  const [x1, x2] = [Math.min(...nodes) * 0.94, Math.max(...nodes) * 1.06];
  return Plot.rectX([{ x1, x2 }], { x1: 'x1', x2: 'x2', fill: 'currentColor', fillOpacity: 0.07 });
}
