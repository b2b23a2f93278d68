import { createTable, toCsv } from '../../../analysis/export/create-table.ts';
import { pathTrace } from '../../../analysis/export/path-trace.ts';
import type { Activities, Slice } from '../../../analysis/path/activities.ts';
import { partOf, pathSteps } from '../../../analysis/path/graph/activity-path.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { writeParquet } from '../../../experiments/store/write-table.ts';
import { note } from '../print.ts';

/** Writes workers and the path through parts of a trace for ui.perfetto.dev, if that was asked for. `nameOf`: what a worker is called. */
export async function savePathTrace(
  file: string | undefined,
  graphs: readonly Graph[],
  nameOf: (worker: string) => string = (worker) => worker,
): Promise<void> {
  if (file === undefined) return;
  const workers = [...new Set(graphs.flatMap(({ activities }) => activities.workers))];
  const numbers = new Map(workers.map((worker, number) => [worker, number]));
  const numberOf = ({ workers: own }: Activities, worker: number): number => numbers.get(at(own, worker)) ?? 0;
  const originNs = Math.min(...graphs.map(({ slice }) => slice.startNs));
  const path = graphs.flatMap(({ activities, slice }) =>
    Array.from(pathSteps(activities, criticalPath(activities, slice)), ({ key, worker, to, ...step }) => ({
      ...{ name: key, worker: numberOf(activities, worker), to: to === null ? null : numberOf(activities, to) },
      ...step,
    })),
  );
  const all = [...new Set(graphs.map(({ activities }) => activities))];
  const events = lanesOf(all, numberOf);
  await writeFileWhole(file, pathTrace({ workers: workers.map(nameOf), events, path, originNs }));
  note(`predict: ${file}: open it in https://ui.perfetto.dev.`);
}

interface Graph {
  readonly activities: Activities;
  readonly slice: Slice;
}

function* lanesOf(all: readonly Activities[], numberOf: (of: Activities, worker: number) => number) {
  for (const activities of all) {
    const { workers, work } = activities;
    for (const worker of workers.keys()) {
      for (let row = at(work.first, worker); row < at(work.first, worker + 1); row += 1) {
        const { kind, key: name } = partOf(activities, row, false);
        const times = { startNs: at(work.startNs, row), endNs: at(work.endNs, row) };
        yield { worker: numberOf(activities, worker), name, kind, ...times };
      }
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
