import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../../base/index.ts';
import { type CellRecord, type StoredRecord, storedRecordSchema } from '../records.ts';
import { CELL_ID, cellFolder, cellsFolder, damagedCell, FILES, sha256 } from './layout.ts';
import { readRuns } from './runs.ts';

const AT_ONCE = 64;

/**
 * Cells that have a record, good or failed; `only` looks at one. What a writer is still filling does not count. A cell whose
 * files are not whole is a `badInput` error that names it, here and wherever else cells are read.
 */
export async function doneCells(
  dir: string,
  { only }: { readonly only?: string } = {},
): Promise<ReadonlyMap<string, CellRecord['status']>> {
  const stored = await storedRecords(dir, only === undefined ? undefined : [only]);
  return new Map([...stored].map(([id, { status }]) => [id, status]));
}

/** One cell's record. Errors are `badInput` naming the folder and what to do. */
export async function readRecord(dir: string, id: string): Promise<CellRecord> {
  const record = (await withRuns(dir, await storedRecords(dir, [id]))).get(id);
  if (record === undefined) throw badInput(`${dir} has no record of cell ${id}.`);
  return record;
}

/** All records, by their cells' ids, in the order of the ids. */
export async function readRecords(dir: string): Promise<ReadonlyMap<string, CellRecord>> {
  return await withRuns(dir, await storedRecords(dir));
}

/** All records as they are in record.json, each of them whole, in the order of their ids. */
export async function storedRecords(dir: string, ids?: readonly string[]): Promise<ReadonlyMap<string, StoredRecord>> {
  const wanted = ids ?? (await cellIds(dir));
  const found = new Map<string, StoredRecord>();
  const queue = wanted.values();
  const work = async (): Promise<void> => {
    for (const id of queue) {
      const record = await readStored(cellFolder(dir, id), id);
      if (record !== null) found.set(id, record);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, wanted.length) }, work));
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function cellIds(dir: string): Promise<string[]> {
  const names = await readdir(cellsFolder(dir)).catch(() => []);
  return names.filter((name) => CELL_ID.test(name));
}

/** Null for a folder without a record. */
async function readStored(folder: string, id: string): Promise<StoredRecord | null> {
  let record: StoredRecord;
  try {
    record = storedRecordSchema.parse(JSON.parse(await readFile(join(folder, FILES.record), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const problem = error instanceof z.ZodError ? issueText(error) : messageOf(error);
    throw damagedCell(folder, `${FILES.record}: ${problem}`, error);
  }
  if (record.cell.id !== id) throw damagedCell(folder, `its record is of cell ${record.cell.id}`);
  const problem = await fileProblem(folder, record);
  if (problem !== null) throw damagedCell(folder, problem);
  return record;
}

/** What is wrong with the files beside a record: all of them by size, the runs, which every answer rests on, by content. */
async function fileProblem(folder: string, record: StoredRecord): Promise<string | null> {
  const needed = record.schema === 2 ? record.files : record.status === 'ok' ? { [FILES.runs]: null } : {};
  for (const [name, wanted] of Object.entries(needed)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found === null) return `${name} is missing`;
    if (wanted === null) continue;
    if (found.size !== wanted.bytes) return `${name} has ${found.size} bytes instead of ${wanted.bytes}`;
    if (name === FILES.runs && sha256(await readFile(path)) !== wanted.sha256) {
      return `${name} is not the file that was measured`;
    }
  }
  return null;
}

async function withRuns(
  dir: string,
  stored: ReadonlyMap<string, StoredRecord>,
): Promise<ReadonlyMap<string, CellRecord>> {
  const runs = await readRuns(dir, stored);
  return new Map(
    [...stored].map(([id, record]) => {
      const { schema: _, files: __, roots: ___, ...rest } = { files: null, roots: null, ...record };
      return [id, { ...rest, runs: runs.get(id) ?? [] }];
    }),
  );
}

function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'wrong schema' : `${issue.path.join('.') || 'its top'}: ${issue.message}`;
}
