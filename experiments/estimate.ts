import { badInput } from '../base/errors.ts';
import { formatBytes } from '../base/units.ts';
import { graph500Seconds, graphBytes, largestScale } from './cell-cost.ts';
import type { Cell, StoredRecord } from './records.ts';

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
  /** The hosts live in one machine. */
  readonly emulated: boolean;
}

/** Estimates by the campaign's own cells, then by those figures, corrected by how far off they were for cells that were measured. */
export function estimateSweep(cells: readonly Cell[], { records, isGraph500, emulated }: Known): SweepEstimate {
  const done = new Set(records.map(({ cell }) => cell.id));
  const left = cells.filter(({ id }) => !done.has(id));
  const times = new Map<string, number[]>();
  for (const { cell, timing } of records) {
    for (const key of keysOf(cell)) times.set(key, [...(times.get(key) ?? []), timing.totalMs / 1000]);
  }
  const figure = (cell: Cell): number => graph500Seconds({ ...cell, emulated });
  const ratio = mean(records.map(({ cell, timing }) => timing.totalMs / 1000 / figure(cell))) ?? 1;
  let known = 0;
  let seconds: number | null = 0;
  for (const cell of left) {
    const own = mean(
      keysOf(cell)
        .map((key) => times.get(key))
        .find((each) => each !== undefined) ?? [],
    );
    if (own !== null) known += 1;
    const each = own ?? (isGraph500 ? figure(cell) * ratio : null);
    seconds = seconds === null || each === null ? null : seconds + each;
  }
  return { seconds, known, unmeasured: left.length, memory: isGraph500 ? largestNeed(cells) : null };
}

/** Of cells of Graph500, the one that needs most of a host; null without any. */
export function largestNeed(cells: readonly Cell[]): SweepEstimate['memory'] {
  const [first, ...rest] = cells.map((cell) => ({ cell, bytesPerNode: graphBytes(cell.scale) / cell.nodes }));
  if (first === undefined) return null;
  return rest.reduce((most, each) => (each.bytesPerNode > most.bytesPerNode ? each : most), first);
}

/** Cells that take as long as this one, the most alike first. */
function keysOf({ nodes, scale, params, bw }: Cell): readonly string[] {
  const size = `${nodes} ${scale} ${JSON.stringify(params ?? {})}`;
  return [`${size} ${bw}`, size];
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
