import * as Plot from '@observablehq/plot';
import { underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { FitRow } from '../content/fits.ts';
import { chooseValues } from '../content/main-setting.ts';
import { formatPercent, number, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { type Dot, seriesFigure } from './draw-series.ts';
import type { Inks } from './inks.ts';

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
