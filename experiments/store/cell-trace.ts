import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cellFolder, FILES } from './campaign-folders.ts';
import { unreadable } from './duckdb.ts';
import { type CellSpans, type CellTrace, readSpansOfCells, readTracesOfCells } from './read-traces.ts';

/** Traces of cells, by id. */
export interface Traces {
  /**
   * What a cell's run left in phases.parquet, messages.parquet (either may be missing) and samples.parquet; null for a cell that was
   * not sampled. Received bytes are those behind the throttle's own device where there is one: the interface counts what still waits in
   * its queue.
   */
  trace(id: string, metrics: readonly string[]): Promise<CellTrace | null>;
  /** What it left in phases.parquet and messages.parquet; null where its program traced no phases. */
  spans(id: string): Promise<CellSpans | null>;
}

/** Each cell is read when it is asked for. */
export function cellTraces(dir: string): Traces {
  const alone = async <Read>(id: string, read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Read>>) => {
    try {
      return (await read([id])).get(id) ?? null;
    } catch (error) {
      throw await unreadable(cellFolder(dir, id), error);
    }
  };
  return {
    trace: (id, metrics) => alone(id, (ids) => readTracesOfCells(dir, ids, metrics)),
    spans: (id) => alone(id, (ids) => readSpansOfCells(dir, ids)),
  };
}

/** Cells are read together up to so many, and so many bytes of their files: they lie in memory until they are asked for. */
const MOST_CELLS = 64;
const MOST_BYTES = 8e6;

/** The same for cells that will all be asked for once, about in this order: DuckDB is asked for many at a time. */
export function tracesTogether(dir: string, ids: readonly string[]): Traces {
  const single = cellTraces(dir);
  const batches = batchesOf(dir, ids);
  const batchOf = new Map(batches.flatMap((batch) => batch.map((id) => [id, batch] as const)));
  const reader = <Read>(read: (batch: readonly string[]) => Promise<Map<string, Read>>, alone: Alone<Read>) => {
    const begun = new Map<readonly string[], Promise<Map<string, Read> | null>>();
    return async (id: string): Promise<Read | null> => {
      const batch = batchOf.get(id);
      if (batch === undefined) return await alone(id);
      // One by one it shows which of them cannot be read.
      const reading = begun.get(batch) ?? read(batch).catch(() => null);
      begun.set(batch, reading);
      const found = await reading;
      if (found === null) return await alone(id);
      const own = found.get(id) ?? null;
      found.delete(id);
      if (found.size === 0) begun.delete(batch);
      return own;
    };
  };
  const spans = reader((batch) => readSpansOfCells(dir, batch), single.spans);
  const byMetrics = new Map<string, (id: string) => Promise<CellTrace | null>>();
  return {
    spans,
    trace: async (id, metrics) => {
      const key = metrics.join(' ');
      const read =
        byMetrics.get(key) ??
        reader(
          (batch) => readTracesOfCells(dir, batch, metrics),
          (one) => single.trace(one, metrics),
        );
      byMetrics.set(key, read);
      return await read(id);
    },
  };
}

type Alone<Read> = (id: string) => Promise<Read | null>;

function batchesOf(dir: string, ids: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const id of ids) {
    const own = [FILES.phases, FILES.messages, FILES.samples]
      .map((name) => join(cellFolder(dir, id), name))
      .reduce((sum, path) => sum + (existsSync(path) ? statSync(path).size : 0), 0);
    const last = batches.at(-1);
    if (last !== undefined && bytes + own <= MOST_BYTES && last.length < MOST_CELLS) last.push(id);
    else batches.push([id]);
    bytes = last === batches.at(-1) ? bytes + own : own;
  }
  return batches;
}
