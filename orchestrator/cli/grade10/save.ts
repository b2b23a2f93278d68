import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Analysis, analysisTables, chromeTrace, toTsv } from '../../../analysis/index.ts';
import { unwritable } from '../../../base/index.ts';
import { writeFileWhole, writeParquet } from '../../../experiments/index.ts';
import { note } from '../print.ts';

/** Writes a trace for ui.perfetto.dev, if one was asked for. */
export async function saveTrace(path: string | undefined, analysis: Analysis, name: string): Promise<void> {
  if (path === undefined) return;
  await writeFileWhole(path, chromeTrace(analysis, { name }));
  note(`predict: ${path}: open it in https://ui.perfetto.dev.`);
}

/** Writes an analysis as tables, if they were asked for. */
export async function saveTables(folder: string | undefined, analysis: Analysis, format: string): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw unwritable(folder, error);
  });
  const tables = analysisTables(analysis);
  for (const table of tables) {
    const path = join(folder, `${table.name}.${format}`);
    if (format === 'parquet') await writeParquet(path, table.columns);
    else await writeFileWhole(path, toTsv(table));
  }
  note(`predict: ${folder}: ${tables.map(({ name }) => name).join(', ')} as ${format}.`);
}
