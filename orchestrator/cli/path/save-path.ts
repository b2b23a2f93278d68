import { createTable } from '../../../analysis/export/create-table.ts';
import { pathTrace } from '../../../analysis/export/path-trace.ts';
import { toCsv } from '../../../analysis/export/to-csv.ts';
import { ACTIVITY_KINDS, type Activities, type Slice } from '../../../analysis/path/activities.ts';
import { joined, pathSteps } from '../../../analysis/path/graph/activity-path.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import type { CellPaths } from '../../../analysis/path/phases/cell-paths.ts';
import { at } from '../../../base/at.ts';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/shortened.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { writeParquet } from '../../../experiments/store/write-table.ts';
import { note } from '../print.ts';

/** Writes workers and the path through them for ui.perfetto.dev, if that was asked for. */
export async function savePathTrace(
  file: string | undefined,
  activities: Activities,
  slices: readonly Slice[],
): Promise<void> {
  if (file === undefined) return;
  const whole = joined(slices.map((slice) => criticalPath(activities, slice)));
  const path = [...pathSteps(activities, whole)].map(({ key, ...step }) => ({
    name: key,
    ...step,
  }));
  const { workers } = activities;
  await save(file, { workers, events: lanesOf(activities), path, originNs: whole.startNs });
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

type Search = CellPaths['searches'][number];

/** Writes what ranks did in some searches and the paths through them for ui.perfetto.dev, if that was asked for. */
export async function saveCellTrace(
  file: string | undefined,
  { phases, hostOf }: Pick<CellPaths, 'phases' | 'hostOf'>,
  searches: readonly Search[],
): Promise<void> {
  if (file === undefined) return;
  const workers = Array.from({ length: phases.ranks }, (_, rank) => `rank ${rank} on ${hostOf(rank)}`);
  const originNs = Math.min(...searches.map(({ startNs }) => startNs));
  await save(file, { workers, events: lanes(phases, searches), path: steps(phases, searches), originNs });
}

function* lanes(
  { ranks, searches, first, rank, kind, kinds, startNs, endNs }: CellPaths['phases'],
  wanted: readonly Search[],
) {
  for (const { root } of wanted) {
    const search = searches.indexOf(root);
    for (let place = at(first, search * ranks); place < at(first, (search + 1) * ranks); place += 1) {
      const { name, group } = at(kinds, at(kind, place));
      const what = { name, kind: group === null ? 'work' : 'exchange' };
      yield { worker: at(rank, place), ...what, startNs: at(startNs, place), endNs: at(endNs, place) };
    }
  }
}

/** After a hop the step is a transfer from the rank that was waited for. */
function* steps({ rank }: CellPaths['phases'], wanted: readonly Search[]) {
  for (const { path } of wanted) {
    for (const { rank: own, key, hop, startNs, endNs } of path) {
      const place = hop < 0 ? { worker: own, to: null } : { worker: at(rank, hop), to: own };
      yield { ...place, name: key, kind: hop < 0 ? 'work' : 'transfer', startNs, endNs };
    }
  }
}

async function save(file: string, trace: Parameters<typeof pathTrace>[0]): Promise<void> {
  await writeFileWhole(file, pathTrace(trace));
  note(`predict: ${file}: open it in https://ui.perfetto.dev.`);
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
