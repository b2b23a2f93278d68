import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../../base/errors.ts';
import { working } from '../../base/working.ts';
import { type Cell, type StoredRecord, storedRecordSchema } from '../records.ts';
import type { Campaign } from './campaign.ts';
import { cellFolder, cellsFolder, FILES } from './campaign-folders.ts';
import { type Damage, issueOf } from './damage.ts';
import { canonicalJson, type FileDigest, isSealed, knownDigest } from './digest.ts';
import { kindOf, readProblem, readRegular } from './regular.ts';

const AT_ONCE = 64;

/** What lies in cells/, hidden names left out: nothing is hidden but what a writer is still filling. */
export async function cellEntries(dir: string): Promise<readonly string[]> {
  return await visible(cellsFolder(dir));
}

interface InspectedCells {
  /** Of the cells without a problem, in the order of their ids. */
  readonly records: ReadonlyMap<string, StoredRecord>;
  /** In the order of their paths. */
  readonly problems: readonly Damage[];
}

/**
 * Everything in cells/ against the plan and against itself, every file by content. `entries` are those of `cellEntries`, read
 * before the campaign was: a sweep plans its cells before it measures them.
 */
export async function inspectCells(
  dir: string,
  { campaign, entries }: { readonly campaign: Campaign; readonly entries: readonly string[] },
): Promise<InspectedCells> {
  const parent = await folderProblem(cellsFolder(dir));
  if (parent !== null) {
    const path = cellsFolder(dir);
    return { records: new Map(), problems: [{ path, cell: null, problem: parent, part: path }] };
  }
  const planned = new Map(campaign.cells.map((cell) => [cell.id, cell]));
  const records = new Map<string, StoredRecord>();
  const problems: Damage[] = [];
  const queue = entries.entries();
  const work = async (): Promise<void> => {
    for (const [index, name] of queue) {
      working('verifying cells', index, entries.length);
      const path = cellFolder(dir, name);
      const cell = planned.get(name);
      if (cell === undefined) {
        problems.push({ path, cell: null, problem: 'is not a cell of this campaign', part: path });
        continue;
      }
      const found = await inspectCell(path, cell);
      if (found.record !== null) records.set(name, found.record);
      problems.push(...found.problems);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, entries.length) }, work));
  return {
    records: new Map([...records].sort(([a], [b]) => (a < b ? -1 : 1))),
    problems: problems.sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

interface InspectedCell {
  /** Null for a cell that is not there, or not whole. */
  readonly record: StoredRecord | null;
  readonly problems: readonly Damage[];
}

/** A planned cell's folder. */
export async function inspectCell(folder: string, planned: Cell): Promise<InspectedCell> {
  const is = await lstat(folder).catch(ignoreMissing);
  if (is === null) return { record: null, problems: [] };
  const problems: Damage[] = [];
  const say = (path: string, problem: string, part = folder): void => {
    problems.push({ path, cell: planned.id, problem, part });
  };
  if (!is.isDirectory()) {
    say(folder, `is ${kindOf(is)}, not a folder`);
    return { record: null, problems };
  }
  const names = await visible(folder);
  const inside = (name: string): string => join(folder, name);
  if (!names.includes(FILES.record)) {
    say(folder, `has no ${FILES.record}`);
    return { record: null, problems };
  }
  const read = await readStored(inside(FILES.record), planned);
  if (typeof read === 'string') {
    say(inside(FILES.record), read);
    return { record: null, problems };
  }
  for (const [name, wanted] of filesOf(read, names)) {
    const problem = await fileProblem(inside(name), wanted);
    if (problem !== null) say(inside(name), problem);
  }
  if (read.schema === 2) {
    const strangers = names.filter((name) => name !== FILES.record && !Object.hasOwn(read.files, name));
    for (const name of strangers) say(inside(name), 'is not a file of this cell', inside(name));
  }
  return { record: problems.length === 0 ? read : null, problems };
}

/** The record of a planned cell, or what is wrong with it. */
async function readStored(path: string, planned: Cell): Promise<StoredRecord | string> {
  let text: string;
  try {
    text = (await readRegular(path)).toString('utf8');
  } catch (error) {
    return readProblem(error);
  }
  try {
    const data = JSON.parse(text);
    const record = storedRecordSchema.parse(data);
    if (record.schema === 2 && !isSealed(data)) return 'was changed after it was written';
    if (record.cell.id !== planned.id) return `is of cell ${record.cell.id}`;
    if (canonicalJson(record.cell) !== canonicalJson(planned)) return 'is of a different cell than planned';
    return record;
  } catch (error) {
    return error instanceof z.ZodError ? `is not a record${issueOf(error)}` : `is not valid JSON (${messageOf(error)})`;
  }
}

/** What must lie beside a record; schema 1 does not say what was in the files. */
function filesOf(record: StoredRecord, names: readonly string[]): [string, FileDigest | null][] {
  const runs = record.status === 'ok' ? { [FILES.runs]: null } : {};
  if (record.schema === 2) return Object.entries({ ...runs, ...record.files });
  const known = Object.values(FILES).filter((name) => name !== FILES.record && names.includes(name));
  return Object.entries({ ...runs, ...Object.fromEntries(known.map((name) => [name, null])) });
}

async function fileProblem(path: string, wanted: FileDigest | null): Promise<string | null> {
  try {
    if (wanted === null) {
      const found = await lstat(path);
      return found.isFile() ? null : `is ${kindOf(found)}, not a file`;
    }
    const { bytes, sha256 } = await knownDigest(path);
    if (bytes !== wanted.bytes) return `has ${bytes} bytes instead of ${wanted.bytes}`;
    return sha256 === wanted.sha256 ? null : 'was changed after it was measured';
  } catch (error) {
    return readProblem(error);
  }
}

/** Why a path is no folder; null where it is one, or nothing is there. */
export async function folderProblem(path: string): Promise<string | null> {
  const found = await lstat(path).catch(ignoreMissing);
  return found === null || found.isDirectory() ? null : `is ${kindOf(found)}, not a folder`;
}

async function visible(folder: string): Promise<readonly string[]> {
  if ((await folderProblem(folder)) !== null) return [];
  const names = (await readdir(folder).catch(ignoreMissing)) ?? [];
  return names.filter((name) => !name.startsWith('.')).sort();
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw badInput(`${error.path} cannot be read (${error.message}): check its permissions.`, error);
}
