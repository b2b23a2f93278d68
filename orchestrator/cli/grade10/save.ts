import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Analysis, analysisTables, chromeTrace, toTsv } from '../../../analysis/index.ts';
import { messageOf, PredictError } from '../../../base/index.ts';
import { writeParquet } from '../../../experiments/index.ts';
import { note } from '../print.ts';

/** Writes a trace for ui.perfetto.dev, if one was asked for. */
export async function saveTrace(path: string | undefined, analysis: Analysis, name: string): Promise<void> {
  if (path === undefined) return;
  await stored(path, () => writeFile(path, chromeTrace(analysis, { name })));
  note(`predict: ${path}: open it in https://ui.perfetto.dev.`);
}

/** Writes an analysis as tables, if they were asked for. */
export async function saveTables(folder: string | undefined, analysis: Analysis, format: string): Promise<void> {
  if (folder === undefined) return;
  await stored(folder, () => mkdir(folder, { recursive: true }));
  const tables = analysisTables(analysis);
  for (const table of tables) {
    const path = join(folder, `${table.name}.${format}`);
    if (format === 'parquet') await writeParquet(path, table.columns);
    else await stored(path, () => writeFile(path, toTsv(table)));
  }
  note(`predict: ${folder}: ${tables.map(({ name }) => name).join(', ')} as ${format}.`);
}

async function stored(path: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw new PredictError(`${path} cannot be written (${messageOf(error)}): choose another place.`, {
      kind: 'infrastructure',
      cause: error,
    });
  }
}
