import type { EdgeRow, ExplainedJobs, TaskRow } from '../../analysis/dag/explain/explained.ts';
import { formatShare } from '../../analysis/dag/explain/job-words.ts';
import { computeDepths } from '../../analysis/dag/judge/graph.ts';
import { at } from '../../base/lists.ts';
import { shortened } from '../../base/text.ts';
import { html, type Markup, raw } from '../html.ts';
import { bandOf, drawing, figure, round } from './figure.ts';

const BOX = { width: 162, height: 66 };
const GAP = { x: 78, y: 34 };
const MARGIN = 22;
/** Beyond this many tasks boxes would be too small to read, and that is said. */
export const MOST_TASKS = 60;
/** How far a line into the next band goes on before it turns. */
const TURN = 14;
/** Columns beside each other; more go on below. */
const PER_BAND = 5;
/** Drawn smaller, words could not be read: the page scrolls sideways instead. */
const LEAST_SCALE = 0.85;
/** From this share of the time on something is drawn as a bottleneck. */
const SHOWN = 0.05;

export const DAG_COLOURS = { busy: 'var(--use-0)', full: 'var(--use-3)', bottleneck: 'var(--use-1)' } as const;

/** The job drawn: boxes with how busy tasks are, lines as thick as edges are full, what was a bottleneck in its colour. */
export function dagFigure({ tasks, edges }: Pick<ExplainedJobs, 'tasks' | 'edges'>): Markup {
  const places = new Map(tasks.map(({ id }, place) => [id, place]));
  const ends = edges.map(({ from, to }) => ({ from: places.get(from) ?? 0, to: places.get(to) ?? 0 }));
  const layout = layoutDag({ vertices: tasks.length, edges: ends });
  const x = (column: number): number => MARGIN + (column % PER_BAND) * (BOX.width + GAP.x);
  const bandHeight = layout.rows * (BOX.height + GAP.y) + GAP.y / 2;
  const y = (column: number, row: number): number =>
    MARGIN + row * (BOX.height + GAP.y) + Math.floor(column / PER_BAND) * bandHeight;
  const width = x(Math.min(layout.columns, PER_BAND) - 1) + BOX.width + MARGIN;
  const height = y(layout.columns - 1, layout.rows - 1) + BOX.height + MARGIN;
  const spots = tasks.map((_, place) => {
    const column = at(layout.column, place);
    return { x: x(column), y: y(column, at(layout.row, place)) };
  });
  const lines = edges.map((edge, index) => {
    const { from, to } = at(ends, index);
    const [start, end] = [at(spots, from), at(spots, to)];
    // Parallel edges are beside each other.
    const twins = ends.flatMap((other, place) => (other.from === from && other.to === to ? [place] : []));
    const shift = (twins.indexOf(index) - (twins.length - 1) / 2) * 18;
    const middle = BOX.height / 2 + shift;
    const points = [
      { x: start.x + BOX.width, y: start.y + middle },
      ...at(layout.passes, index).flatMap((row, pass) => {
        const column = at(layout.column, from) + 1 + pass;
        return [
          { x: x(column), y: y(column, row) + middle },
          { x: x(column) + BOX.width, y: y(column, row) + middle },
        ];
      }),
      { x: end.x, y: end.y + middle },
    ];
    return lineOf(edge, points, bandHeight);
  });
  const { busy, full, bottleneck } = DAG_COLOURS;
  return figure({
    scrolls: true,
    title: 'The job',
    note: 'Boxes: tasks and their instances; the bar is the share of the time in which they are busy. Lines: edges; the fuller, the thicker.',
    legendTitle: 'Colours',
    legend: [bandOf('works', busy), bandOf('full', full), bandOf('was a bottleneck', bottleneck)],
    drawing: html`<div style="min-width:${Math.round(width * LEAST_SCALE)}px;max-width:${Math.round(width * 1.25)}px">${drawing(
      { width, height, label: `The job: ${tasks.length} tasks and ${edges.length} edges.` },
      [...lines, ...tasks.map((task, place) => boxOf(task, at(spots, place)))],
    )}</div>`,
  });
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

function boxOf({ label, instances, busy, share }: TaskRow, spot: Spot): Markup {
  const bar = { x: spot.x + 10, y: spot.y + 39, width: BOX.width - 20, height: 8 };
  const isHot = share >= SHOWN;
  const name = shortened(label, 20);
  return html`<g><title>${label}: ${instances} instances, works ${formatShare(busy)}, the bottleneck in ${formatShare(share)} of the time</title>
<rect x="${round(spot.x)}" y="${round(spot.y)}" width="${BOX.width}" height="${BOX.height}" rx="8" fill="var(--card)" stroke="${isHot ? DAG_COLOURS.bottleneck : 'var(--line)'}" stroke-width="${isHot ? 3 : 1.5}"/>
<text x="${round(spot.x + 10)}" y="${round(spot.y + 18)}" fill="currentColor" font-weight="600">${name}</text>
<text x="${round(spot.x + 10)}" y="${round(spot.y + 32)}" fill="var(--soft)">× ${instances}</text>
<text x="${round(spot.x + BOX.width - 10)}" y="${round(spot.y + 32)}" text-anchor="end" fill="var(--soft)">works ${formatShare(busy)}</text>
<rect x="${round(bar.x)}" y="${round(bar.y)}" width="${bar.width}" height="${bar.height}" rx="2" fill="currentColor" fill-opacity=".1"/>
<rect x="${round(bar.x)}" y="${round(bar.y)}" width="${round(bar.width * (busy ?? 0))}" height="${bar.height}" rx="2" fill="${DAG_COLOURS.busy}"/>
${isHot ? html`<text x="${round(spot.x + 10)}" y="${round(spot.y + BOX.height - 4)}" fill="${DAG_COLOURS.bottleneck}" font-weight="600">bottleneck ${formatShare(share)}</text>` : null}</g>
`;
}

function lineOf({ label, full, share }: EdgeRow, points: readonly Spot[], bandHeight: number): Markup {
  const isHot = share >= SHOWN;
  const [first] = points;
  /** Between the bands, above the one that a point is in. */
  const above = (to: Spot): number => MARGIN + Math.floor((to.y - MARGIN) / bandHeight) * bandHeight - GAP.y * 0.6;
  const d = points
    .slice(1)
    .map((to, index) => {
      const from = at(points, index);
      if (to.x <= from.x) {
        return `H${round(from.x + TURN)}V${round(above(to))}H${round(to.x - TURN)}V${round(to.y)}H${round(to.x)}`;
      }
      const bend = round((from.x + to.x) / 2);
      return `C${bend} ${round(from.y)} ${bend} ${round(to.y)} ${round(to.x)} ${round(to.y)}`;
    })
    .join('');
  const start = `M${round(first?.x ?? 0)} ${round(first?.y ?? 0)}`;
  const colour = isHot ? DAG_COLOURS.bottleneck : DAG_COLOURS.full;
  const end = at(points, points.length - 1);
  const [from, to] = [at(points, 0), at(points, 1)];
  const middle = { x: (from.x + to.x) / 2, y: to.x <= from.x ? above(to) + 4 : (from.y + to.y) / 2 };
  return html`<g><title>${label}: full ${formatShare(full)}, the bottleneck in ${formatShare(share)} of the time</title>
<path d="${start}${d}" fill="none" stroke="currentColor" stroke-opacity=".28" stroke-width="1.5"/>
<path d="${start}${d}" fill="none" stroke="${colour}" stroke-width="${round(1.5 + 8 * (full ?? 0))}" stroke-opacity="${raw((full ?? 0) > 0.005 ? '.85' : '0')}"/>
<path d="M${round(end.x - 8)} ${round(end.y - 5)}L${round(end.x)} ${round(end.y)}L${round(end.x - 8)} ${round(end.y + 5)}" fill="none" stroke="currentColor" stroke-opacity=".55" stroke-width="1.5"/>
<text x="${round(middle.x)}" y="${round(middle.y - 10)}" text-anchor="middle" paint-order="stroke" stroke="var(--card)" stroke-width="4" fill="${isHot ? colour : 'var(--soft)'}"${raw(isHot ? ' font-weight="600"' : '')}>${full === null ? 'unknown' : `full ${formatShare(full)}`}</text></g>
`;
}

/** A graph to be laid out, by places. */
interface LayoutGraph {
  readonly vertices: number;
  readonly edges: readonly { readonly from: number; readonly to: number }[];
}

/** Where things are, in units of columns and rows from the top left. */
interface DagLayout {
  readonly columns: number;
  readonly rows: number;
  /** Of each vertex. */
  readonly column: readonly number[];
  readonly row: readonly number[];
  /** Of each edge, the rows at which it passes the columns between its ends. */
  readonly passes: readonly (readonly number[])[];
}

/**
 * Layers by the longest way from a source, each ordered by the mean place of what comes before (Sugiyama et al., 1981, without a second
 * pass). A long edge has a place of its own in every layer that it passes. The graph has no cycles.
 */
export function layoutDag({ vertices, edges }: LayoutGraph): DagLayout {
  const column = computeDepths(vertices, edges);
  // Vertices first; `before` holds places in this list.
  const slots = column.map((layer) => ({ layer, before: [] as number[] }));
  const passing = edges.map(({ from, to }) => {
    const own: number[] = [];
    for (let layer = at(column, from) + 1; layer < at(column, to); layer += 1) {
      slots.push({ layer, before: [own.at(-1) ?? from] });
      own.push(slots.length - 1);
    }
    at(slots, to).before.push(own.at(-1) ?? from);
    return own;
  });
  const layers = Array.from({ length: Math.max(-1, ...column) + 1 }, (_, layer) =>
    [...slots.keys()].filter((place) => at(slots, place).layer === layer),
  );
  const rows = Math.max(1, ...layers.map(({ length }) => length));
  const rowOf: number[] = [];
  for (const layer of layers) {
    const wish = (place: number): number => {
      const { before } = at(slots, place);
      return before.reduce((sum, one) => sum + at(rowOf, one), 0) / Math.max(1, before.length);
    };
    // A layer with fewer slots is centred.
    const top = (rows - layer.length) / 2;
    const ordered = layer.map((place) => ({ place, wish: wish(place) })).sort((a, b) => a.wish - b.wish);
    for (const [row, { place }] of ordered.entries()) rowOf[place] = top + row;
  }
  return {
    ...{ columns: layers.length, rows, column },
    row: rowOf.slice(0, vertices),
    passes: passing.map((own) => own.map((place) => at(rowOf, place))),
  };
}
