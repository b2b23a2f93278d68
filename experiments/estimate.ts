import { badInput } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';
import { startOf } from './plan.ts';
import type { Cell, StoredRecord } from './records.ts';
import { EDGE_FACTOR } from './workloads/graph500.ts';

/** What a sweep takes before it is run. */
export interface SweepEstimate {
  /** For the cells that are not measured yet, all together; null where nothing is known of such cells. */
  readonly seconds: number | null;
  /** How many of them have a measured cell of the same nodes, size and parameters to go by; the others go by figures of Graph500. */
  readonly known: number;
  readonly unmeasured: number;
  /** Memory of the cell that needs most of a host, bytes on each; null for programs whose need is not known. */
  readonly memory: { readonly cell: Cell; readonly bytesPerNode: number } | null;
}

interface Known {
  /** Of the same campaign. */
  readonly records: readonly Pick<StoredRecord, 'cell' | 'timing'>[];
  /** Cells are those of a Graph500 program. */
  readonly isGraph500: boolean;
  /** One start serves all levels of a size. */
  readonly followsOrders: (cell: Cell) => boolean;
  /** The hosts live in one machine. */
  readonly emulated: boolean;
}

/** Estimates by the campaign's own cells, then by those figures, corrected by how far off they were for cells that were measured. */
export function estimateSweep(
  cells: readonly Cell[],
  { records, isGraph500, followsOrders, emulated }: Known,
): SweepEstimate {
  const done = new Set(records.map(({ cell }) => cell.id));
  const left = cells.filter(({ id }) => !done.has(id));
  // Of cells beside a start that serves several, and of those starts.
  const [times, starts] = [new Map<string, number[]>(), new Map<string, number[]>()];
  for (const { cell, timing } of records) {
    const { totalMs, startMs = 0 } = timing;
    for (const key of keysOf(cell)) times.set(key, [...(times.get(key) ?? []), (totalMs - startMs) / 1000]);
    if (startMs > 0) starts.set(sizeOf(cell), [...(starts.get(sizeOf(cell)) ?? []), startMs / 1000]);
  }
  const figure = (cell: Cell, sharing: number): number =>
    cellSeconds({ ...cell, emulated }) + startSeconds({ ...cell, emulated }) / (followsOrders(cell) ? sharing : 1);
  const [inAll, inLeft] = [sharersIn(cells), sharersIn(left)];
  const ratio = mean(records.map(({ cell, timing }) => timing.totalMs / 1000 / figure(cell, inAll(cell)))) ?? 1;
  let known = 0;
  let seconds: number | null = 0;
  for (const cell of left) {
    const own = mean(
      keysOf(cell)
        .map((key) => times.get(key))
        .find((each) => each !== undefined) ?? [],
    );
    if (own !== null) known += 1;
    const start = (mean(starts.get(sizeOf(cell)) ?? []) ?? 0) / inLeft(cell);
    const each = own === null ? (isGraph500 ? figure(cell, inLeft(cell)) * ratio : null) : own + start;
    seconds = seconds === null || each === null ? null : seconds + each;
  }
  return { seconds, known, unmeasured: left.length, memory: isGraph500 ? findLargestNeed(cells) : null };
}

/** Of cells of Graph500, the one that needs most of a host; null without any. */
export function findLargestNeed(cells: readonly Cell[]): SweepEstimate['memory'] {
  const [first, ...rest] = cells.map((cell) => ({ cell, bytesPerNode: graphBytes(cell.scale) / cell.nodes }));
  if (first === undefined) return null;
  return rest.reduce((most, each) => (each.bytesPerNode > most.bytesPerNode ? each : most), first);
}

/** How many of some cells the start of a cell serves. */
function sharersIn(cells: readonly Cell[]): (cell: Cell) => number {
  const counts = new Map<string, number>();
  for (const cell of cells) counts.set(startOf(cell), (counts.get(startOf(cell)) ?? 0) + 1);
  return (cell) => counts.get(startOf(cell)) ?? 1;
}

function sizeOf({ nodes, scale, params }: Cell): string {
  return `${nodes} ${scale} ${JSON.stringify(params ?? {})}`;
}

/** Cells that take as long as this one, the most alike first. */
function keysOf(cell: Cell): readonly string[] {
  return [`${sizeOf(cell)} ${cell.bw}`, sizeOf(cell)];
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Errors: `badInput` for a cell that no host of the smallest memory can hold. */
export function refuseTooLarge({ memory }: Pick<SweepEstimate, 'memory'>, memoryBytes: number | undefined): void {
  if (memory === null || memoryBytes === undefined || memory.bytesPerNode <= memoryBytes) return;
  const { cell, bytesPerNode } = memory;
  const fits = largestScale({ nodes: cell.nodes, memoryBytes });
  throw badInput(
    `Scale ${cell.scale} needs about ${formatBytes(bytesPerNode)} of memory on each of ${cell.nodes} ${cell.nodes === 1 ? 'node' : 'nodes'}, but a host has ${formatBytes(memoryBytes)}. Use scale ${fits} or less there, or more nodes.`,
  );
}

/** What a sweep should take for which nobody said how large its graphs are, or how many searches to time. */
export const DEFAULT_SWEEP_S = 600;

/** As large and as many as without a reason to take less. */
const MOST = { scale: 20, roots: 64 };
const LEAST = { scale: 12, roots: 4 };

/** Of a host's memory for a graph. */
const SHARE = 0.5;

type Kind = Pick<Cell, 'nodes' | 'params'>;

interface DefaultSizesInput {
  /** Cells of the sweep, by size and searches all alike, and one of each start that serves some of them. */
  readonly cells: readonly Kind[];
  readonly starts: readonly Kind[];
  /** The hosts live in one machine. */
  readonly emulated: boolean;
  /** Of the smallest host, where it is known. */
  readonly memoryBytes?: number | undefined;
  /** What was asked for, where it was. */
  readonly scale?: number | undefined;
  readonly roots?: number | undefined;
}

interface DefaultSizes {
  readonly scale: number;
  readonly roots: number;
  /** What the cells will take in all, by these figures. */
  readonly seconds: number;
}

/**
 * The largest scale, then the most searches, with which the graph fits half the memory of the smallest cluster and all cells take ten
 * minutes; the least of both where even that is longer.
 */
export function chooseDefaultSizes({
  cells,
  starts,
  emulated,
  memoryBytes,
  ...asked
}: DefaultSizesInput): DefaultSizes {
  const smallest = Math.min(...cells.map(({ nodes }) => nodes));
  const fits = (scale: number): boolean =>
    memoryBytes === undefined || graphBytes(scale) <= SHARE * memoryBytes * smallest;
  const seconds = (scale: number, roots: number): number =>
    cells.reduce((sum, { nodes, params }) => sum + cellSeconds({ nodes, params, scale, roots, emulated }), 0) +
    starts.reduce((sum, { nodes, params }) => sum + startSeconds({ nodes, params, scale, emulated }), 0);
  const isShort = (scale: number, roots: number): boolean => seconds(scale, roots) <= DEFAULT_SWEEP_S;
  const least = asked.roots ?? LEAST.roots;
  const scale = asked.scale ?? largest(LEAST.scale, MOST.scale, (each) => fits(each) && isShort(each, least));
  const roots = asked.roots ?? largest(LEAST.roots, MOST.roots, (each) => isShort(scale, each));
  return { scale, roots, seconds: seconds(scale, roots) };
}

/** The largest number for which something holds; the least one where it holds for none. */
function largest(least: number, most: number, holds: (value: number) => boolean): number {
  for (let value = most; value > least; value -= 1) if (holds(value)) return value;
  return least;
}

/** Bytes of memory per edge while a graph is made, on all hosts together. */
const BYTES_PER_EDGE = 100;

/**
 * Seconds of a start beside its graph (ranks, first search), of a cell beside its searches (setting and proving a level, collecting), and
 * of a search beside its edges. Measured with `predict sweep --nodes 4,25 --bw 10,30 --scales 20 --roots 6` on emulated hosts in a machine of two cores.
 */
const START = { fixedS: 2, perNodeS: 0.25 };
const CELL = { fixedS: 0.6, perNodeS: 0.1, perSearchS: 0.05 };
/** Edges searched in a second: by all emulated hosts of one machine (`predict sweep --nodes 4,9,16,25 --bw 10..50`), and by a real host, at least. */
const EDGES_PER_S = { machine: 3e7, host: 3e7 };
/** A graph takes as long to be made or loaded, and validated, as so many searches. */
const GRAPH_SEARCHES = 8;
/**
 * Shortest paths take as long as so many breadth-first searches, their weighted graph as so many without weights. Measured with
 * `predict sweep --param kernel=bfs,sssp --nodes 1,4 --scales 18 --bw 10,30 --roots 6`.
 */
const SSSP = { search: 10, graph: 4 };

function isSssp({ params }: Pick<Cell, 'params'>): boolean {
  return params?.kernel === 'sssp';
}

const edgesOf = (scale: number): number => EDGE_FACTOR * 2 ** scale;

/** Memory of a Graph500 graph while it is made, bytes on all hosts together. */
function graphBytes(scale: number): number {
  return edgesOf(scale) * BYTES_PER_EDGE;
}

/** The largest scale whose graph so many hosts of so much memory can make. */
export function largestScale({ nodes, memoryBytes }: { readonly nodes: number; readonly memoryBytes: number }): number {
  return Math.floor(Math.log2((nodes * memoryBytes) / graphBytes(0)));
}

interface Run extends Kind {
  readonly scale: number;
  /** The hosts live in one machine. */
  readonly emulated: boolean;
}

/** About how many seconds a start of Graph500 takes until it can search. */
function startSeconds(run: Run): number {
  return START.fixedS + START.perNodeS * run.nodes + GRAPH_SEARCHES * (isSssp(run) ? SSSP.graph : 1) * edgeSeconds(run);
}

/** The same of a cell that it serves. */
function cellSeconds({ roots, ...run }: Run & { readonly roots: number }): number {
  // One search warms up.
  return (
    CELL.fixedS +
    CELL.perNodeS * run.nodes +
    (roots + 1) * (CELL.perSearchS + (isSssp(run) ? SSSP.search : 1) * edgeSeconds(run))
  );
}

function edgeSeconds({ nodes, scale, emulated }: Run): number {
  return edgesOf(scale) / (emulated ? EDGES_PER_S.machine : EDGES_PER_S.host * nodes);
}
