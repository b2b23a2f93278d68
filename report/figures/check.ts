import * as Plot from '@observablehq/plot';
import { ascending, sizeText } from '../../base/index.ts';
import { chosen } from '../content/chosen.ts';
import type { CheckRow } from '../content/predictions.ts';
import type { ReportData } from '../data.ts';
import { number, percent, seconds, signedPercent } from '../format.ts';
import type { Markup } from '../html.ts';
import { fromUnit, logAxis } from './axes.ts';
import { frame } from './frame.ts';
import type { Inks } from './inks.ts';
import { dotMark, visible } from './series.ts';

const BAND = 0.2;

/** Predicted against measured (figures 5 and 6), one panel per model, equal axes; held-out node counts are filled. */
export function checkFigures(report: ReportData, inks: Inks): readonly Markup[] {
  const rows = (report.check?.rows ?? []).filter((row) => row.predicted > 0 && row.measured > 0);
  const times = rows.flatMap((row) => [row.predicted, row.measured]);
  const x = logAxis({ label: 'Measured completion time (s)', values: times });
  const y = logAxis({ label: 'Predicted completion time (s)', values: times });
  const levels = ascending(rows.map((row) => row.bw));
  const [least, most] = x.domain;
  const within = (value: number): number => Math.min(most, Math.max(least, value));
  // Many steps, because the band bends where the axes end.
  const band = Array.from({ length: 101 }, (_, step) => {
    const value = fromUnit(x, step / 100);
    return { x: value, y: value, low: within(value * (1 - BAND)), high: within(value * (1 + BAND)) };
  });
  return [...new Set(rows.map((row) => row.model))].map((model) =>
    frame({
      title: `${model}: predicted against measured`,
      note: `On the diagonal a prediction is exact; the band is ±${BAND * 100} %. Filled: node counts that were not used for training.`,
      x,
      y,
      size: { width: 400, height: 340 },
      legendTitle: 'Bandwidth',
      legend: [
        ...chosen(levels).map((bw) => ({
          label: percent(bw),
          shape: 'dot' as const,
          colour: inks.bw(bw).colour,
          series: inks.bw(bw).id,
        })),
        { label: 'held out', shape: 'dot', colour: 'currentColor' },
        { label: 'training', shape: 'ring', colour: 'currentColor' },
        { label: `±${BAND * 100} %`, shape: 'band', colour: 'currentColor' },
      ],
      marks: [
        Plot.areaY(band, { x: 'x', y1: 'low', y2: 'high', fill: 'currentColor', fillOpacity: 0.07 }),
        Plot.lineY(band, { x: 'x', y: 'y', stroke: 'currentColor', strokeDasharray: '4 3' }),
        ...levels.flatMap((bw) => {
          const own = rows.filter((row) => row.model === model && row.bw === bw);
          const ink = inks.bw(bw);
          const of = (set: CheckRow['set']) => visible(own.filter((row) => row.set === set).map(dotOf), x, y);
          return [
            dotMark(of('training'), ink, { fill: 'none', stroke: ink.colour, strokeWidth: 1.5, r: 3.5 }),
            dotMark(of('heldOut'), ink, { r: 5 }),
          ];
        }),
      ],
    }),
  );
}

function dotOf(row: CheckRow) {
  const where = `${number(row.nodes)} nodes${sizeText(row.scale, ', ', number)}, ${percent(row.bw)}`;
  const what = `predicted ${seconds(row.predicted)}, measured ${seconds(row.measured)}`;
  return { x: row.measured, y: row.predicted, tip: `${where}: ${what} (${signedPercent(row.errorPercent)})` };
}
