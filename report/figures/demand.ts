import { ascending, at, underSize } from '../../base/index.ts';
import type { ReportData } from '../data.ts';
import { number, percent, signedPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { linearAxis, logAxis } from './axes.ts';
import { chosen } from './chosen.ts';
import { lineEntry } from './figure.ts';
import { frame } from './frame.ts';
import type { Ink, Inks } from './inks.ts';
import { dots, endLabels, line, visible } from './series.ts';

const NODES = 'Cluster size (nodes)';

/** Completion time increment over nodes (Eq 4), a colour per bandwidth. */
export function incrementFigure(report: ReportData, scale: number, inks: Inks): Markup | null {
  const points = report.points.flatMap((point) =>
    point.scale === scale && point.bw < 100 && point.ctiPercent !== null ? [{ ...point, cti: point.ctiPercent }] : [],
  );
  if (points.length === 0) return null;
  const nodes = ascending(points.map((point) => point.nodes));
  const series = chosen(points.map((point) => point.bw)).map((bw) => ({
    ink: inks.bw(bw),
    label: percent(bw),
    dots: points
      .filter((point) => point.bw === bw)
      .map(({ nodes: x, cti }) => ({ x, y: cti, tip: `${number(x)} nodes at ${percent(bw)}: ${signedPercent(cti)}` })),
  }));
  const x = logAxis({ label: NODES, values: nodes, at: nodes });
  const y = linearAxis({
    label: 'Increment of completion time (%)',
    values: series.flatMap((one) => one.dots.map((dot) => dot.y)),
  });
  return frame({
    title: underSize(scale, costOf(points), number),
    note: `How much longer a ${report.noun} takes than at full bandwidth (CTI). Measured means; lines join them.`,
    x,
    y,
    legendTitle: 'Bandwidth',
    legend: series.map((one) => lineEntry(one.ink, one.label)),
    lines: series.map(({ label, dots: points }) => ({ label, points })),
    marks: [
      ...series.flatMap((one) => [
        line(visible(one.dots, x, y), one.ink, { strokeWidth: 1.5 }),
        dots(visible(one.dots, x, y), one.ink),
      ]),
      ...endLabels(
        series.map((one) => ({ ...one, points: one.dots })),
        y,
      ),
    ],
  });
}

function costOf(points: readonly { readonly bw: number; readonly cti: number }[]): string {
  const lowest = Math.min(...points.map(({ bw }) => bw));
  const [least, ...more] = ascending(points.filter(({ bw }) => bw === lowest).map(({ cti }) => Math.round(cti)));
  const most = more.at(-1);
  if (least === undefined || !(least > 0)) return 'cost of a slower network';
  return `${percent(lowest)} bandwidth costs ${most === undefined ? percent(least) : `${number(least)} to ${percent(most)}`} more time`;
}

/** Bandwidth demand over nodes (figure 3b): measured with symbols, by the fit dashed; a shape per increment. */
export function demandFigure(report: ReportData, scale: number): Markup | null {
  const rows = report.demand.filter((row) => row.scale === scale);
  if (rows.length === 0) return null;
  const nodes = ascending(rows.map((row) => row.nodes));
  const levels = ascending(rows.map((row) => row.ctiPercent));
  const x = logAxis({ label: NODES, values: nodes, at: nodes });
  const y = linearAxis({
    label: 'Bandwidth needed (% of line rate)',
    values: [...rows.map((row) => row.bw), 100],
    tickFormat: percent,
  });
  const series = levels.map((level, index) => {
    const of = (source: 'measured' | 'fit') =>
      rows
        .filter((row) => row.ctiPercent === level && row.source === source)
        .sort((a, b) => a.nodes - b.nodes)
        .map((row) => ({
          x: row.nodes,
          y: row.bw,
          tip: `${number(row.nodes)} nodes, +${percent(level)}: ${row.atMost ? 'at most ' : ''}${percent(row.bw)} needed (${source})`,
        }));
    const ink: Ink = { id: `level-${index}`, colour: `var(--level-${index % 4})` };
    return {
      level,
      ink,
      symbol: at(SYMBOLS, index % SYMBOLS.length),
      measured: of('measured'),
      fitted: of('fit'),
    };
  });
  return frame({
    lines: series.map(({ level, measured: points }) => ({ label: `+${percent(level)}`, points })),
    title: underSize(scale, 'bandwidth needed', number),
    note: `The smallest bandwidth at which a ${report.noun} slows down by at most the given increment. Symbols: measured; dashed: predicted by the model.`,
    x,
    y,
    legendTitle: 'Accepted increment',
    legend: [
      ...series.map((one) => ({
        ...lineEntry(one.ink, percent(one.level)),
        shape: one.symbol === 'circle' ? ('dot' as const) : one.symbol,
      })),
      { label: 'by the model', shape: 'dash' as const, colour: 'currentColor' },
    ],
    marks: [
      ...series.flatMap(({ ink, symbol, measured, fitted }) => [
        line(visible(fitted, x, y), ink, { strokeDasharray: '4 3', strokeWidth: 1.5 }),
        line(visible(measured, x, y), ink, { strokeWidth: 1.5 }),
        dots(visible(measured, x, y), ink, { symbol, r: 4.5 }),
      ]),
      ...endLabels(
        series.map(({ ink, level, measured, fitted }) => {
          return { ink, label: `+${percent(level)}`, points: measured.length > 0 ? measured : fitted };
        }),
        y,
      ),
    ],
  });
}

const SYMBOLS = ['circle', 'square', 'triangle', 'diamond'] as const;
