import * as Plot from '@observablehq/plot';
import { ascending, at, groupBy } from '../../base/lists.ts';
import { sizeText } from '../../base/units.ts';
import type { Estimate } from '../../modeling/model-records.ts';
import type { FittedEquation, RowsData } from '../content/build-rows.ts';
import { formatPercent, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { type Dot, type PlottedSeries, seriesFigure } from './draw-series.ts';
import type { Ink, Inks, PartInks } from './inks.ts';

type Cell = RowsData['cells'][number];
type Projected = RowsData['projections'][number];

export interface RowsInks extends Inks {
  /** Of increments, and of the model without bandwidth. */
  readonly parts: PartInks;
}

/** Name of the series that knows no bandwidth. */
export const IDEAL = 'Ideal';

export const DOTS = 'Dots: means over repetitions; bars: their 90 % intervals.';
/** Over them intervals of several series may cover each other. */
const NODES = 'Cluster size (nodes)';
const TIME = 'Completion time (s)';

export function strongScaling(full: readonly Cell[], type: 'linear' | 'log', inks: RowsInks): Markup {
  return figureOf({
    title: type === 'linear' ? 'Figure 2 (a): time over nodes, full bandwidth' : 'Figure 2 (b): the same, logarithmic',
    x: { label: NODES, type, at: nodesOf(full) },
    y: { label: TIME, type },
    series: scalesOf(full).map((scale) => ({
      ...{ ink: inks.scale(scale), label: `scale ${scale}`, end: String(scale) },
      dots: full.filter((cell) => cell.scale === scale).map((cell) => dotOf(cell, 'nodes')),
    })),
  });
}

export function rowsDemandFigure({ demands, scale }: RowsData, inks: RowsInks): Markup {
  return figureOf({
    title: `Figure 3 (b): bandwidth demand over nodes${sizeText(scale)}`,
    note: 'The bandwidth at which times rise by so much, between the measured ones. Bars: 90 % intervals, by the scatter of repetitions.',
    x: { label: NODES, type: 'log', at: nodesOf(demands) },
    y: { label: 'Bandwidth demand (%)' },
    series: ascending(demands.map(({ ctiPercent }) => ctiPercent)).map((level) => ({
      ...{
        ink: partInk(inks, formatPercent(level)),
        label: `increment ${formatPercent(level)}`,
        end: formatPercent(level),
      },
      dots: demands
        .filter(({ ctiPercent, bw }) => ctiPercent === level && bw.value !== null)
        .map(({ nodes, bw, atMost }) => ({
          ...{ x: nodes, y: bw.value ?? 0, ...ends(bw) },
          tip: `${nodes} nodes: ${formatPercent(bw.value)}${atMost ? ' or less' : ''}`,
        })),
    })),
  });
}

/** Times over bandwidth, a colour per node count. */
export function rowsBandwidthFigure({ cells, scale }: RowsData, inks: RowsInks): Markup {
  const own = cells.filter((cell) => cell.scale === scale);
  return figureOf({
    title: `Figure 3 (a): time over bandwidth${sizeText(scale)}`,
    x: { label: 'Bandwidth (%)' },
    y: { label: TIME },
    series: nodesOf(own).map((nodes) => ({
      ...{ ink: inks.nodes(nodes), label: `${nodes} nodes`, end: String(nodes) },
      dots: own.filter((cell) => cell.nodes === nodes).map((cell) => dotOf(cell, 'bw')),
    })),
  });
}

export function projectionFigure(
  title: string,
  { own, ideal, inks, of }: { own: readonly Projected[]; ideal: string; inks: RowsInks; of: 'ct' | 'gteps' },
): Markup {
  const shown = groupBy(
    own.filter(({ abstains }) => abstains === null),
    ({ model, bw }) => `${model} ${bw}`,
  );
  const dropped = own.length - shown.reduce((count, group) => count + group.length, 0);
  return seriesFigure({
    title,
    note:
      dropped === 0
        ? 'Bands: 90 % intervals.'
        : `Bands: 90 % intervals. Where the rows tell too little, lines end: ${dropped} targets.`,
    ...{ legendTitle: 'Bandwidth', legend: [] },
    x: { label: NODES, type: 'log', at: nodesOf(own) },
    y: of === 'ct' ? { label: TIME, type: 'log' } : { label: 'GTEPS' },
    series: shown.map((group) => {
      const { model, bw } = at(group, 0);
      const label = model === ideal ? IDEAL : formatPercent(bw);
      return {
        ...{ ink: model === ideal ? partInk(inks, IDEAL) : inks.bw(bw), label },
        line: group.flatMap(({ nodes, [of]: one }) =>
          one?.value == null ? [] : [{ x: nodes, y: one.value, ...ends(one) }],
        ),
      };
    }),
  });
}

interface Scatter {
  readonly fits: readonly FittedEquation[];
  readonly cells: readonly Cell[];
  readonly by: 'nodes' | 'scale';
  readonly inks: RowsInks;
}

/** Predicted over measured, as the paper draws it: intervals of what was measured lie across. */
export function scatterFigure(title: string, { fits, cells, by, inks }: Scatter): Markup {
  const points = fits.flatMap(({ predicted }) =>
    predicted.flatMap(({ ct: y, ...target }) => {
      const cell = cells.find(
        ({ nodes, scale, bw }) => nodes === target.nodes && scale === target.scale && bw === target.bw,
      );
      return cell === undefined ? [] : [{ cell, y }];
    }),
  );
  const all = points
    .flatMap(({ cell, y }) => [cell.ct, cell.low ?? cell.ct, cell.high ?? cell.ct, y])
    .filter((value) => value > 0);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const inkOf = (cell: Cell): Ink => (by === 'nodes' ? inks.nodes(cell.nodes) : inks.scale(cell.scale));
  const bars = points.flatMap(({ cell, y }) =>
    cell.low === null || cell.high === null
      ? []
      : [{ y, x1: Math.max(cell.low, least), x2: cell.high, colour: inkOf(cell).colour }],
  );
  return seriesFigure({
    title,
    note: 'Dots: means over repetitions; bars: their 90 % intervals. Dashed: prediction and measurement agree.',
    ...{ legendTitle: '', legend: [] },
    x: { label: 'Measured time (s)', type: 'log', values: all },
    y: { label: 'Predicted time (s)', type: 'log', values: all },
    below: [
      Plot.line(
        [
          [least, least],
          [most, most],
        ],
        { stroke: 'var(--soft)', strokeDasharray: '4 3' },
      ),
      Plot.ruleY(bars, { y: 'y', x1: 'x1', x2: 'x2', stroke: 'colour', strokeWidth: 5, strokeOpacity: 0.3 }),
    ],
    series: ascending(points.map(({ cell }) => cell[by])).map((value) => {
      const own = points.filter(({ cell }) => cell[by] === value);
      return {
        ink: inkOf(at(own, 0).cell),
        label: by === 'nodes' ? `${value} nodes` : `scale ${value}`,
        dots: own.map(({ cell, y }) => ({
          ...{ x: cell.ct, y },
          tip: `${placeOf(cell)}: measured ${seconds(cell.ct)}, predicted ${seconds(y)}`,
        })),
      };
    }),
  });
}

export function curveFigure(
  fits: readonly FittedEquation[],
  { cells, scale, inks }: { readonly cells: readonly Cell[]; readonly scale: number; readonly inks: RowsInks },
): Markup {
  return figureOf({
    title: `Figure 4 (b): Eq 5 over bandwidth${sizeText(scale)}`,
    note: `${DOTS} Lines: Eq 5, fitted to each node count.`,
    x: { label: 'Bandwidth (%)' },
    y: { label: TIME },
    series: fits.map(({ nodes: [nodes = 0], predicted }) => ({
      ...{ ink: inks.nodes(nodes), label: `${nodes} nodes`, end: String(nodes) },
      dots: cells.filter((cell) => cell.scale === scale && cell.nodes === nodes).map((cell) => dotOf(cell, 'bw')),
      line: predicted.map(({ bw, ct }) => ({ x: bw, y: ct })),
    })),
  });
}
/** Over nodes, dots of several series stand beside each other; dashed lines join those without a line of their own. */
function figureOf({
  series,
  note = `${DOTS} Dashed lines only join them.`,
  ...rest
}: Pick<Parameters<typeof seriesFigure>[0], 'title' | 'x' | 'y' | 'series'> & { readonly note?: string }): Markup {
  return seriesFigure({
    ...{ ...rest, note, legendTitle: '', legend: [], apart: rest.x.label === NODES },
    series: series.map(({ dots = [], line, ...one }): PlottedSeries => {
      const sorted = [...dots].sort((a, b) => a.x - b.x);
      return { ...one, dots: sorted, ...(line === undefined ? { dashed: sorted } : { line }) };
    }),
  });
}

function dotOf(cell: Cell, across: 'nodes' | 'bw'): Dot {
  return { x: cell[across], y: cell.ct, ...ends(cell), tip: `${placeOf(cell)}: ${seconds(cell.ct)}` };
}

function ends({ low, high }: Pick<Estimate, 'low' | 'high'>): { low?: number; high?: number } {
  return low === null || high === null ? {} : { low, high };
}

function placeOf({ nodes, scale, bw }: Cell): string {
  return `${nodes} nodes, ${formatPercent(bw)}${sizeText(scale)}`;
}

function nodesOf(rows: readonly { readonly nodes: number }[]): readonly number[] {
  return ascending(rows.map(({ nodes }) => nodes));
}

export function scalesOf(rows: readonly { readonly scale: number }[]): readonly number[] {
  return ascending(rows.map(({ scale }) => scale));
}

function partInk({ parts }: RowsInks, name: string): Ink {
  return { id: `part-of-${name.replace(/\W+/g, '-')}`, colour: parts.of(name) };
}
