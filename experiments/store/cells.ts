import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, messageOf } from '../../base/index.ts';
import { type CellRecord, recordSchema } from '../records.ts';

const ID = /^[0-9a-f]{16}$/;
const AT_ONCE = 64;
const statusSchema = z.looseObject({ status: z.enum(['ok', 'failed']) });

export function recordPath(dir: string, id: string): string {
  return join(dir, 'cells', id, 'record.json');
}

/** Cells that have a record, good or failed; `only` looks at one. What a writer is still filling does not count. */
export async function doneCells(
  dir: string,
  { only }: { readonly only?: string } = {},
): Promise<ReadonlyMap<string, 'ok' | 'failed'>> {
  const done = new Map<string, 'ok' | 'failed'>();
  await eachRecord(dir, only === undefined ? await cellIds(dir) : [only], (id, data) => {
    done.set(id, statusSchema.parse(data).status);
  });
  return done;
}

/** One cell's record. Errors are `badInput` naming the file and what to do. */
export async function readRecord(dir: string, id: string): Promise<CellRecord> {
  let record: CellRecord | undefined;
  await eachRecord(dir, [id], (_, data) => {
    record = recordSchema.parse(data);
  });
  if (record === undefined) throw badInput(`${dir} has no record of cell ${id}.`);
  return record;
}

/** All records, by their cells' ids, in the order of the ids. */
export async function readRecords(dir: string): Promise<ReadonlyMap<string, CellRecord>> {
  const ids = await cellIds(dir);
  const found = new Map<string, CellRecord>();
  await eachRecord(dir, ids, (id, data) => {
    found.set(id, recordSchema.parse(data));
  });
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function cellIds(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'cells')).catch(() => []);
  return names.filter((name) => ID.test(name)).sort();
}

/** Reads records side by side, at most AT_ONCE at a time; a folder without a record is skipped. */
async function eachRecord(
  dir: string,
  ids: readonly string[],
  visit: (id: string, data: unknown) => void,
): Promise<void> {
  const queue = ids.values();
  const work = async (): Promise<void> => {
    for (const id of queue) {
      const path = recordPath(dir, id);
      try {
        visit(id, JSON.parse(await readFile(path, 'utf8')));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        const problem = error instanceof z.ZodError ? issueText(error) : messageOf(error);
        throw badInput(`${path} is damaged (${problem}): delete its folder to run the cell again.`, error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, work));
}

function issueText(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'wrong schema' : `${issue.path.join('.') || 'its top'}: ${issue.message}`;
}
