import { createTable, pathTrace, toCsv } from '../../../analysis/export/index.ts';
import {
  ACTIVITY_KINDS,
  type Activities,
  criticalPath,
  pathSteps,
  type Slice,
  type SliceResult,
} from '../../../analysis/path/index.ts';
import { at } from '../../../base/index.ts';
import { writeFileWhole, writeParquet } from '../../../experiments/index.ts';
import { note } from '../print.ts';

/** Writes workers and the path through them for ui.perfetto.dev, if that was asked for. */
export async function savePathTrace(file: string | undefined, activities: Activities, slice: Slice): Promise<void> {
  if (file === undefined) return;
  const path = [...pathSteps(activities, criticalPath(activities, slice))].map(({ key, ...step }) => ({
    name: key,
    ...step,
  }));
  const { workers } = activities;
  await writeFileWhole(file, pathTrace({ workers, events: lanesOf(activities), path, originNs: slice.startNs }));
  note(`predict: ${file}: open it in https://ui.perfetto.dev.`);
}

function* lanesOf({ workers, work, names }: Activities) {
  for (const worker of workers.keys()) {
    for (let row = at(work.first, worker); row < at(work.first, worker + 1); row += 1) {
      const kind = at(ACTIVITY_KINDS, at(work.kind, row));
      const name = at(names, at(work.name, row)) || kind;
      yield { worker, name, kind, startNs: at(work.startNs, row), endNs: at(work.endNs, row) };
    }
  }
}

/** Writes the steps of all paths as a table (Parquet or CSV, by the file's name), a row for each with the number of its slice, if that was asked for. */
export async function saveSteps(file: string | undefined, slices: readonly SliceResult[]): Promise<void> {
  if (file === undefined) return;
  const types = {
    slice: 'integer',
    step: 'integer',
    worker: 'text',
    to: 'text',
    kind: 'text',
    key: 'text',
    start_ns: 'integer',
    end_ns: 'integer',
  } as const;
  const rows = slices.flatMap(({ path }, slice) =>
    path.map(({ worker, to, kind, key, startNs, endNs }, step) => ({
      ...{ slice, step, worker, to: to ?? '', kind, key, start_ns: startNs, end_ns: endNs },
    })),
  );
  const table = createTable('path', types, rows);
  if (file.endsWith('.parquet')) await writeParquet(file, table.columns);
  else await writeFileWhole(file, toCsv(table));
  note(`predict: ${file}: ${rows.length} steps.`);
}
