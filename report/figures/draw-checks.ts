import * as Plot from '@observablehq/plot';
import { ascending, at } from '../../base/lists.ts';
import { sizeText, underSize } from '../../base/units.ts';
import type { ReportData } from '../content/build-report.ts';
import type { CheckRow } from '../content/predictions.ts';
import { formatPercent, number, seconds, signedPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { createAxis, fromUnit } from './axes.ts';
import { seriesFigure } from './draw-series.ts';
import type { Inks } from './inks.ts';

const BAND = 0.2;

/** Predicted against measured (figures 5 and 6), one panel per model, equal axes; held-out node counts are filled. */
export function checkFigures(report: ReportData, inks: Inks): readonly Markup[] {
  const rows = (report.check?.rows ?? []).filter((row) => row.predicted > 0 && row.measured > 0);
  const times = rows.flatMap((row) => [row.predicted, row.measured]);
  const axis = { type: 'log', values: times } as const;
  const diagonal = createAxis({ ...axis, label: '' });
  const [least, most] = diagonal.domain;
  const within = (value: number): number => Math.min(most, Math.max(least, value));
  // Many steps, because the band bends where the axes end.
  const band = Array.from({ length: 101 }, (_, step) => {
    const value = fromUnit(diagonal, step / 100);
    return { x: value, y: value, low: within(value * (1 - BAND)), high: within(value * (1 + BAND)) };
  });
  return [...new Set(rows.map((row) => row.model))].map((model) =>
    seriesFigure({
      title: `${model}: predicted against measured`,
      note: `On the diagonal a prediction is exact; the band is ±${BAND * 100} %. Filled: node counts that were not used for training.`,
      x: { ...axis, label: 'Measured completion time (s)' },
      y: { ...axis, label: 'Predicted completion time (s)' },
      ...{ size: { width: 400, height: 340 }, legendTitle: 'Bandwidth' },
      legend: [
        { label: 'held out', shape: 'dot', colour: 'currentColor' },
        { label: 'training', shape: 'ring', colour: 'currentColor' },
        { label: `±${BAND * 100} %`, shape: 'band', colour: 'currentColor' },
      ],
      below: [
        Plot.areaY(band, { x: 'x', y1: 'low', y2: 'high', fill: 'currentColor', fillOpacity: 0.07 }),
        Plot.lineY(band, { x: 'x', y: 'y', stroke: 'currentColor', strokeDasharray: '4 3' }),
      ],
      series: ascending(rows.map((row) => row.bw)).map((bw) => {
        const own = rows.filter((row) => row.model === model && row.bw === bw);
        const of = (set: CheckRow['set']) => own.filter((row) => row.set === set).map(dotOf);
        return {
          ink: inks.bw(bw),
          label: formatPercent(bw),
          symbol: 'circle',
          dots: of('heldOut'),
          rings: of('training'),
        };
      }),
    }),
  );
}

function dotOf(row: CheckRow) {
  const where = `${number(row.nodes)} nodes${sizeText(row.scale, ', ', number)}, ${formatPercent(row.bw)}`;
  const what = `predicted ${seconds(row.predicted)}, measured ${seconds(row.measured)}`;
  return { x: row.measured, y: row.predicted, tip: `${where}: ${what} (${signedPercent(row.errorPercent)})` };
}

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
    x: { label: 'Cluster size (nodes)', type: 'log', at: nodes },
    y: { label: 'Bandwidth needed (% of line rate)', values: [100], tickFormat: formatPercent },
    series: ascending(rows.map((row) => row.ctiPercent)).map((level, index) => {
      const of = (source: 'measured' | 'fit') =>
        rows
          .filter((row) => row.ctiPercent === level && row.source === source)
          .sort((a, b) => a.nodes - b.nodes)
          .map((row) => ({
            ...{ x: row.nodes, y: row.bw },
            tip: `${number(row.nodes)} nodes, +${formatPercent(level)}: ${row.atMost ? 'at most ' : ''}${formatPercent(row.bw)} needed (${source})`,
          }));
      const measured = of('measured');
      return {
        ink: { id: `level-${index}`, colour: `var(--level-${index % SYMBOLS.length})` },
        ...{ label: `+${formatPercent(level)}`, dots: measured, line: measured, dashed: of('fit') },
        symbol: at(SYMBOLS, index % SYMBOLS.length),
      };
    }),
  });
}
