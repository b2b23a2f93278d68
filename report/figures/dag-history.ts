import type { WatchedJob } from '../../analysis/dag/job/watched-job.ts';
import type { JudgedPeriod } from '../../analysis/dag/judge/judge.ts';
import { bottlenecksOf } from '../../analysis/dag/judge/summarise-job.ts';
import { at, last } from '../../base/lists.ts';
import type { Markup } from '../html.ts';
import { DAG_COLOURS } from './draw-dag.ts';
import { type Box, lanesFigure } from './draw-lanes.ts';
import { bandOf } from './figure.ts';

/** More columns are not to be seen: neighbouring periods are drawn as their mean. */
const MOST_COLUMNS = 270;
/** Of more tasks and edges those that were a bottleneck, and the busiest, are drawn. */
const MOST_ROWS = 40;

interface Row {
  readonly name: string;
  readonly kind: 'cpu' | 'io';
  /** Of each column, NaN where unknown; and whether it was a bottleneck in any period of it. */
  readonly values: Float64Array;
  readonly hot: readonly boolean[];
}

/** The verdict's history: of each task how busy, of each edge how full it was over time, and when it was the bottleneck. */
export function dagHistoryFigure(job: WatchedJob): Markup {
  const columns = columnsOf(job);
  const { startNs } = at(columns, 0);
  const spans = columns.map((one) => ({ from: (one.startNs - startNs) / 1e9, to: (one.endNs - startNs) / 1e9 }));
  const seconds = last(spans).to;
  const all = rowsOf(job, columns);
  const rows = chosenRows(all);
  const { busy, full, bottleneck } = DAG_COLOURS;
  return lanesFigure({
    title: 'The bottleneck over time',
    note: `Height: share of the time in which a task is busy or an edge is full. The coloured bar below marks when it was the bottleneck.${all.length > rows.length ? ` ${all.length - rows.length} further tasks and edges are not drawn.` : ''}`,
    legendTitle: 'Colours',
    legend: [bandOf('task is busy', busy), bandOf('edge is full', full), bandOf('is the bottleneck', bottleneck)],
    ...{ seconds, left: 230, row: { height: 18, gap: 12 } },
    lanes: rows.map(({ name, kind, values, hot }) => ({
      ...{ name, outline: { from: 0, to: seconds } },
      boxes: spans.flatMap((span, column): Box[] => {
        const value = at(values, column);
        const isSeen = !Number.isNaN(value) && value >= 0.005;
        return [
          ...(isSeen ? [{ ...span, high: value, fill: kind === 'cpu' ? busy : full, opacity: 0.75 }] : []),
          // Below the lane.
          ...(hot[column] ? [{ ...span, low: -0.35, high: -0.1, fill: bottleneck }] : []),
        ];
      }),
    })),
  });
}

/** Neighbouring periods that are drawn as one. */
interface Column {
  readonly startNs: number;
  readonly endNs: number;
  readonly periods: readonly JudgedPeriod[];
}

/** Periods in groups of equal numbers, no more than are to be seen. */
function columnsOf({ judge: { periods } }: WatchedJob): Column[] {
  const count = Math.min(MOST_COLUMNS, periods.length);
  return Array.from({ length: count }, (_, column) => {
    const start = (index: number): number => Math.round((index * periods.length) / count);
    const own = periods.slice(start(column), start(column + 1));
    return { startNs: at(own, 0).startNs, endNs: last(own).endNs, periods: own };
  });
}

function rowsOf(job: WatchedJob, columns: readonly Column[]): Row[] {
  const { graph } = job.judge;
  const found = columns.map(
    ({ periods }) =>
      new Set(periods.flatMap((period) => bottlenecksOf(graph, period).map(({ kind, id }) => `${kind}:${id}`))),
  );
  const row = (kind: 'cpu' | 'io', id: string, place: number): Row => ({
    ...{ kind, name: job.labelOf(id, kind) },
    values: Float64Array.from(columns, ({ periods }) =>
      meanOfKnown(periods.map(({ pt, st }) => (kind === 'cpu' ? pt : st)[place] ?? Number.NaN)),
    ),
    hot: found.map((keys) => keys.has(`${kind}:${id}`)),
  });
  return [
    ...graph.vertexIds.map((id, place) => row('cpu', id, place)),
    ...graph.edgeIds.map((id, place) => row('io', id, place)),
  ];
}

/** NaN where none is known. */
function meanOfKnown(values: ArrayLike<number>): number {
  const known = Array.from(values).filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** All where there are few; else those that were a bottleneck and then the fullest, in their order. */
function chosenRows(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MOST_ROWS) return rows;
  const weight = ({ hot, values }: Row): number => {
    const mean = meanOfKnown(values);
    return hot.filter((isHot) => isHot).length * 2 + (Number.isNaN(mean) ? 0 : mean);
  };
  const weights = new Map(rows.map((row) => [row, weight(row)]));
  const chosen = new Set([...rows].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, MOST_ROWS));
  return rows.filter((row) => chosen.has(row));
}
