import { createTable, pathTrace, toCsv } from '../../../analysis/export/index.ts';
import { ACTIVITY_KINDS, type Activities, criticalPath, pathSteps, type Slice } from '../../../analysis/path/index.ts';
import { at, badInput, shortened } from '../../../base/index.ts';
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

/** Errors: badInput for a file that `saveSteps` could not write, said before any work is done. */
export function checkOut(file: string | undefined): void {
  if (file === undefined || file === '-' || /\.(csv|parquet)$/.test(file)) return;
  throw badInput(`--out: ${shortened(file)} does not end in .csv or .parquet: rename it.`);
}

/** Writes the steps of all paths as a table (Parquet or CSV, by the file's name), a row for each with the number of its slice. */
export async function saveSteps(
  file: string | undefined,
  activities: Activities,
  slices: readonly Slice[],
): Promise<void> {
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
  const { columns } = createTable('path', types, rowsOf(activities, slices));
  if (file.endsWith('.parquet')) await writeParquet(file, columns);
  else await writeFileWhole(file, toCsv({ name: 'path', columns }));
  note(`predict: ${file}: ${columns[0]?.values.length ?? 0} steps.`);
}

function* rowsOf(activities: Activities, slices: readonly Slice[]) {
  const name = (worker: number | null): string => (worker === null ? '' : at(activities.workers, worker));
  for (const [slice, times] of slices.entries()) {
    let step = 0;
    for (const { worker, to, kind, key, startNs, endNs } of pathSteps(activities, criticalPath(activities, times))) {
      yield { slice, step, worker: name(worker), to: name(to), kind, key, start_ns: startNs, end_ns: endNs };
      step += 1;
    }
  }
}
