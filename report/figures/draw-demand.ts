import { ascending, at } from '../../base/lists.ts';
import { underSize } from '../../base/units.ts';
import type { ReportData } from '../data.ts';
import { number, percent } from '../format.ts';
import type { Markup } from '../html.ts';
import { linearAxis, logAxis } from './axes.ts';
import { seriesFigure } from './draw-series.ts';

const SYMBOLS = ['circle', 'square', 'triangle', 'diamond'] as const;

/** Bandwidth demand over nodes (figure 3b): measured with symbols, by the fit dashed; a shape per increment. */
export function demandFigure(report: ReportData, scale: number): Markup | null {
  const rows = report.demand.filter((row) => row.scale === scale);
  if (rows.length === 0) return null;
  const nodes = ascending(rows.map((row) => row.nodes));
  return seriesFigure({
    title: underSize(scale, 'bandwidth needed', number),
    note: `The smallest bandwidth at which a ${report.noun} slows down by at most the given increment. Symbols: measured; dashed: predicted by the model.`,
    ...{ legendTitle: 'Accepted increment', legend: [] },
    x: logAxis({ label: 'Cluster size (nodes)', values: nodes, at: nodes }),
    y: (values) =>
      linearAxis({ label: 'Bandwidth needed (% of line rate)', values: [...values, 100], tickFormat: percent }),
    series: ascending(rows.map((row) => row.ctiPercent)).map((level, index) => {
      const of = (source: 'measured' | 'fit') =>
        rows
          .filter((row) => row.ctiPercent === level && row.source === source)
          .sort((a, b) => a.nodes - b.nodes)
          .map((row) => ({
            ...{ x: row.nodes, y: row.bw },
            tip: `${number(row.nodes)} nodes, +${percent(level)}: ${row.atMost ? 'at most ' : ''}${percent(row.bw)} needed (${source})`,
          }));
      const measured = of('measured');
      return {
        ink: { id: `level-${index}`, colour: `var(--level-${index % SYMBOLS.length})` },
        ...{ label: `+${percent(level)}`, dots: measured, line: measured, dashed: of('fit') },
        symbol: at(SYMBOLS, index % SYMBOLS.length),
      };
    }),
  });
}
