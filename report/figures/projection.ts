import * as Plot from '@observablehq/plot';
import { underSize } from '../../base/index.ts';
import type { FitRow, ReportData } from '../data.ts';
import { number, percent, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { type Axis, logAxis } from './axes.ts';
import { chosen } from './chosen.ts';
import { type LegendEntry, lineEntry } from './figure.ts';
import { frame } from './frame.ts';
import type { Ink, Inks } from './inks.ts';
import { type Dot, dots, endLabels, line, visible } from './series.ts';

interface ProjectionOptions {
  readonly fit: FitRow;
  readonly scale: number;
  readonly inks: Inks;
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
  const levels = chosen(rows.map((row) => row.bw));
  const measured = report.points.filter((point) => point.scale === scale && levels.includes(point.bw));
  const nodes = [...rows, ...measured].map((row) => row.nodes);
  const x = logAxis({ label: 'Cluster size (nodes)', values: nodes });
  const region = report.points.filter((point) => point.scale === scale).map((point) => point.nodes);
  const draw = (title: string, note: string, label: string, read: (row: Row) => number | null): Markup | null => {
    const at = (list: readonly Row[]): readonly Dot[] =>
      list
        .flatMap((row) => {
          const value = read(row);
          return value === null ? [] : [{ x: row.nodes, y: value, tip: tipOf(row) }];
        })
        .sort((a, b) => a.x - b.x);
    const values = [...at(rows), ...at(measured.map(rowOf)), ...at(idealRows)].map((dot) => dot.y);
    if (values.filter((value) => value > 0).length === 0) return null;
    const y = logAxis({ label, values: values.filter((value) => value > 0) });
    const series = levels.map((bw) => ({
      bw,
      ink: inks.bw(bw),
      line: visible(at(rows.filter((row) => row.bw === bw)), x, y),
    }));
    return frame({
      title,
      note,
      x,
      y,
      legendTitle: 'Bandwidth',
      lines: series.map((one) => ({ label: percent(one.bw), points: one.line })),
      legend: [...series.map((one) => lineEntry(one.ink, percent(one.bw))), ...extras(ideal, region.length > 0)],
      marks: [
        shade(region, x, y),
        ...series.map((one) =>
          label.startsWith('Completion')
            ? band(
                rows.filter((row) => row.bw === one.bw),
                one.ink,
                x,
                y,
              )
            : null,
        ),
        line(visible(at(idealRows), x, y), NEUTRAL, { strokeDasharray: '5 4', strokeWidth: 1.5 }),
        ...series.flatMap((one) => [
          line(one.line, one.ink),
          dots(visible(at(measured.filter((point) => point.bw === one.bw).map(rowOf)), x, y), one.ink),
        ]),
        ...endLabels(
          series.map((one) => ({ ink: one.ink, label: percent(one.bw), points: one.line })),
          y,
        ),
      ],
    });
  };
  const note = `${fit.title}; dots are measured, bands are 90 % prediction intervals. Beyond the shaded region everything is extrapolation.${rows.length < all.length ? ' Nothing is drawn where there is no prediction.' : ''}`;
  return [
    draw(underSize(scale, 'predicted time', number), note, 'Completion time (s, logarithmic)', (row) => row.ct),
    draw(underSize(scale, 'predicted throughput', number), note, 'Throughput (GTEPS, logarithmic)', (row) => row.gteps),
  ].filter((figure) => figure !== null);
}

interface Row {
  readonly nodes: number;
  readonly bw: number;
  readonly ct: number;
  readonly gteps: number | null;
}

const NEUTRAL: Ink = { id: 'ideal', colour: 'currentColor' };

/** The model of the same reach without bandwidth: the paper's "Ideal" line. */
function idealFor(report: ReportData, scale: number): FitRow | undefined {
  return report.fits.find(
    (fit) => !fit.usesBandwidth && report.projections.some((row) => row.fit === fit.id && row.scale === scale),
  );
}

function rowOf(point: ReportData['points'][number]): Row {
  return {
    nodes: point.nodes,
    bw: point.bw,
    ct: point.meanCt,
    gteps: point.harmonicMeanTeps === null ? null : point.harmonicMeanTeps / 1e9,
  };
}

function tipOf(row: Row): string {
  const rate = row.gteps === null ? '' : `, ${number(row.gteps)} GTEPS`;
  return `${number(row.nodes)} nodes, ${percent(row.bw)}: ${seconds(row.ct)}${rate}`;
}

function shade(nodes: readonly number[], x: Axis, y: Axis): Plot.Markish {
  if (nodes.length === 0) return null;
  const [y1, y2] = y.domain;
  // A single node count still gets a visible strip.
  const x1 = Math.max(x.domain[0], Math.min(...nodes) * 0.94);
  const x2 = Math.min(x.domain[1], Math.max(...nodes) * 1.06);
  return Plot.rect([{ x1, x2, y1, y2 }], {
    x1: 'x1',
    x2: 'x2',
    y1: 'y1',
    y2: 'y2',
    fill: 'currentColor',
    fillOpacity: 0.07,
  });
}

/** The 90 % interval of a projected line. */
function band(rows: readonly ReportData['projections'][number][], ink: Ink, x: Axis, y: Axis): Plot.Markish {
  const [least, most] = y.domain;
  const within = (value: number): number => Math.min(most, Math.max(least, value));
  const steps = rows
    .flatMap(({ nodes, interval: { low, high } }) =>
      low === null || nodes < x.domain[0] || nodes > x.domain[1]
        ? []
        : [{ nodes, low: within(low), high: within(high ?? most) }],
    )
    .sort((a, b) => a.nodes - b.nodes);
  return Plot.areaY(steps, {
    x: 'nodes',
    y1: 'low',
    y2: 'high',
    fill: ink.colour,
    fillOpacity: 0.15,
    className: `series ${ink.id}`,
  });
}

function extras(ideal: FitRow | undefined, shaded: boolean): readonly LegendEntry[] {
  return [
    ...(ideal ? [{ label: `${ideal.title}, full bandwidth`, shape: 'dash' as const, colour: 'currentColor' }] : []),
    ...(shaded ? [{ label: 'measured region', shape: 'band' as const, colour: 'currentColor' }] : []),
  ];
}
