import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cell, cellSchema } from '../records.ts';
import { attemptsFolder } from './campaign-folders.ts';
import { readRegular } from './regular.ts';
import { writeAndSync, writeFolderWhole } from './whole.ts';
import { type CellOutput, writeOutput } from './write-cell.ts';

/** A try that an infrastructure fault ended: it is no result, and the cell runs again. */
const attemptSchema = z.strictObject({
  schema: z.literal(1),
  cell: cellSchema,
  /** Which try of its cell, from 1. */
  attempt: z.int().positive(),
  reason: z.string(),
  host: z.string().nullable(),
  at: z.iso.datetime(),
});

interface AttemptOutput extends Pick<CellOutput, 'stdout' | 'stderr' | 'stdoutFile' | 'stderrFile'> {
  readonly cell: Cell;
  readonly reason: string;
  readonly host?: string | undefined;
  /** ISO time at which the try ended. */
  readonly at: string;
}

/** Keeps what a failed try left in attempts/<id>-<k>/ and returns that folder; k counts the tries of the cell. */
export async function writeAttempt(dir: string, output: AttemptOutput): Promise<string> {
  const { cell, reason, host = null, at } = output;
  const attempt = (await lastAttempt(dir, cell.id)) + 1;
  const record = attemptSchema.parse({ schema: 1, cell, attempt, reason, host, at });
  const path = join(attemptsFolder(dir), `${cell.id}-${attempt}`);
  await writeFolderWhole(path, async (folder) => {
    await writeOutput(folder, output);
    await writeAndSync(join(folder, 'attempt.json'), `${JSON.stringify(record)}\n`);
  });
  return path;
}

/** Of each cell with failed tries, why the last one failed, and its folder. One that cannot be read is passed over. */
export async function lastAttempts(
  dir: string,
): Promise<ReadonlyMap<string, { readonly reason: string; readonly folder: string }>> {
  const found = new Map<string, { readonly attempt: number; readonly reason: string; readonly folder: string }>();
  for (const name of await readdir(attemptsFolder(dir)).catch(() => [])) {
    const folder = join(attemptsFolder(dir), name);
    const text = await readRegular(join(folder, 'attempt.json')).then(String, () => '');
    const read = attemptSchema.safeParse(parsedOrNull(text));
    if (!read.success) continue;
    const { cell, attempt, reason } = read.data;
    if (attempt > (found.get(cell.id)?.attempt ?? 0)) found.set(cell.id, { attempt, reason, folder });
  }
  return found;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function lastAttempt(dir: string, id: string): Promise<number> {
  const names = await readdir(attemptsFolder(dir)).catch(() => []);
  const numbers = names.filter((name) => name.startsWith(`${id}-`)).map((name) => Number(name.slice(id.length + 1)));
  return Math.max(0, ...numbers.filter(Number.isInteger));
}
