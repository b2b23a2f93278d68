import { bottlenecksOf, type WatchedJob } from '../../analysis/dag/index.ts';
import { at, shortened } from '../../base/index.ts';
import { html, type Markup } from '../html.ts';
import { DAG_COLOURS } from './dag.ts';
import { figure } from './figure.ts';
import { drawing, round, timeAxis, timeScale } from './svg.ts';

const WIDTH = 1080;
const [LEFT, RIGHT, TOP] = [230, WIDTH - 16, 6];
const ROW = { height: 24, gap: 9 };
/** More columns are not to be seen: neighbouring periods are drawn as their mean. */
const MOST_COLUMNS = 270;
/** Of more tasks and edges those that were a bottleneck, and the busiest, are drawn. */
const MOST_ROWS = 40;

interface Row {
  readonly name: string;
  readonly kind: 'cpu' | 'io';
  readonly id: string;
  /** Of each column, NaN where unknown; and whether it was a bottleneck in any period of it. */
  readonly values: Float64Array;
  readonly hot: readonly boolean[];
}

/** The verdict's history: of each task how busy, of each edge how full it was over time, and when it was the bottleneck. */
export function dagHistoryFigure(job: WatchedJob): Markup {
  const { periods } = job.judge;
  const [startNs, endNs] = [at(periods, 0).startNs, at(periods, periods.length - 1).endNs];
  const all = rowsOf(job);
  const rows = chosenRows(all);
  const scale = timeScale((endNs - startNs) / 1e9, { left: LEFT, right: RIGHT });
  const columns = columnsOf(job);
  const height = TOP + rows.length * (ROW.height + ROW.gap);
  const drawn = rows.map((row, index) => {
    const top = TOP + index * (ROW.height + ROW.gap);
    const bottom = top + ROW.height - 5;
    const box = (column: number, from: number, to: number): string => {
      const [left, right] = [columns[column]?.startNs ?? 0, columns[column]?.endNs ?? 0].map((ns) =>
        scale.x((ns - startNs) / 1e9),
      );
      return `M${left} ${round(from)}H${Math.max(right ?? 0, (left ?? 0) + 0.4)}V${round(to)}H${left}Z`;
    };
    const used = [...row.values].flatMap((value, column) => {
      return Number.isNaN(value) || value < 0.005 ? [] : [box(column, bottom - value * (ROW.height - 6), bottom)];
    });
    const hot = row.hot.flatMap((isHot, column) => (isHot ? [box(column, bottom + 1, bottom + 5)] : []));
    return html`<g><text x="${LEFT - 10}" y="${top + 15}" text-anchor="end" fill="currentColor">${shortened(row.name, 32)}<title>${row.name}</title></text>
<line x1="${LEFT}" x2="${RIGHT}" y1="${bottom}" y2="${bottom}" stroke="currentColor" stroke-opacity=".2"/>
<path d="${used.join('')}" fill="${row.kind === 'cpu' ? DAG_COLOURS.busy : DAG_COLOURS.full}" fill-opacity=".75"/>
<path d="${hot.join('')}" fill="${DAG_COLOURS.bottleneck}"/></g>
`;
  });
  return figure({
    scrolls: true,
    title: 'The bottleneck over time',
    note: `Height: share of the time in which a task is busy or an edge is full. The coloured bar below marks when it was the bottleneck.${all.length > rows.length ? ` ${all.length - rows.length} further tasks and edges are not drawn.` : ''}`,
    legendTitle: 'Colours',
    legend: [
      { label: 'task is busy', shape: 'band', colour: DAG_COLOURS.busy, solid: true },
      { label: 'edge is full', shape: 'band', colour: DAG_COLOURS.full, solid: true },
      { label: 'is the bottleneck', shape: 'band', colour: DAG_COLOURS.bottleneck, solid: true },
    ],
    drawing: drawing({ width: WIDTH, height: height + 40, label: 'The bottleneck over time.' }, [
      timeAxis(scale, { top: TOP, bottom: height }),
      ...drawn,
    ]),
  });
}

/** Periods in groups of equal numbers, no more than are to be seen. */
function columnsOf({ judge: { periods } }: WatchedJob) {
  const count = Math.min(MOST_COLUMNS, periods.length);
  return Array.from({ length: count }, (_, column) => {
    const [from, to] = [column, column + 1].map((index) => Math.round((index * periods.length) / count)) as [
      number,
      number,
    ];
    const own = periods.slice(from, to);
    return { startNs: at(own, 0).startNs, endNs: at(own, own.length - 1).endNs, periods: own };
  });
}

function rowsOf(job: WatchedJob): Row[] {
  const { graph } = job.judge;
  const columns = columnsOf(job);
  const found = columns.map(
    ({ periods }) =>
      new Set(periods.flatMap((period) => bottlenecksOf(graph, period).map(({ kind, id }) => `${kind}:${id}`))),
  );
  const row = (kind: 'cpu' | 'io', id: string, place: number): Row => ({
    ...{ kind, id, name: job.labelOf(id, kind) },
    values: Float64Array.from(columns, ({ periods }) => {
      const known = periods
        .map(({ pt, st }) => (kind === 'cpu' ? pt : st)[place] ?? Number.NaN)
        .filter((value) => !Number.isNaN(value));
      return known.reduce((sum, value) => sum + value, 0) / known.length;
    }),
    hot: found.map((keys) => keys.has(`${kind}:${id}`)),
  });
  return [
    ...graph.vertexIds.map((id, place) => row('cpu', id, place)),
    ...graph.edgeIds.map((id, place) => row('io', id, place)),
  ];
}

/** All where there are few; else those that were a bottleneck and then the fullest, in their order. */
function chosenRows(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= MOST_ROWS) return rows;
  const weight = ({ hot, values }: Row): number => {
    const known = values.filter((value) => !Number.isNaN(value));
    const mean = known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
    return hot.filter((isHot) => isHot).length * 2 + mean;
  };
  const weights = new Map(rows.map((row) => [row, weight(row)]));
  const chosen = new Set([...rows].sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0)).slice(0, MOST_ROWS));
  return rows.filter((row) => chosen.has(row));
}
