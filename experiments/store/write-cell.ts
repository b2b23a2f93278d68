import { copyFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cell, type CellRecord, cellSchema, recordSchema, type StoredRecord } from '../records.ts';
import type { StackTable } from '../stacks/stack-columns.ts';
import { MESSAGE_COLUMNS, SPAN_COLUMNS } from '../trace.ts';
import { attemptsFolder, cellFolder, FILES } from './campaign-folders.ts';
import { readDoneCells } from './cells.ts';
import { type FileDigest, newDigest, seal } from './digest.ts';
import { readRegular } from './regular.ts';
import { writeStacks } from './stacks.ts';
import { writeFolderWhole } from './whole.ts';
import { type HostSamples, writeRuns, writeSamples, writeTrace } from './write-parquet.ts';

/** What a run left besides its record. */
export interface CellOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** The whole of what is too long for memory, on the campaign's file system: it is moved into its place. */
  readonly stdoutFile?: string | undefined;
  readonly stderrFile?: string | undefined;
  readonly samples?: readonly HostSamples[] | undefined;
  /** The program's own trace, as CSV with the columns of `SPAN_COLUMNS` and `MESSAGE_COLUMNS`. */
  readonly phases?: string | undefined;
  readonly messages?: string | undefined;
  /** Of a profiled run. */
  readonly stacks?: StackTable | undefined;
  /** Folder of the record of a watched job (experiments/dag), which goes on lying there. */
  readonly dagFolder?: string | undefined;
}

/**
 * Stores a finished cell, whole or not at all: cells/<id>/ with record.json, the raw output and the Parquet files.
 * Only an ok record has a roots.parquet. No record is ever replaced.
 * Errors: `unwritable` (a full disk) with nothing half-written, `badInput` for a cell that is not planned or stored damaged.
 */
export async function writeCell(dir: string, record: CellRecord, output: CellOutput): Promise<void> {
  const { samples = [], phases = '', messages = '', stacks, dagFolder } = output;
  const { runs, ...valid } = recordSchema.parse(record);
  const { id } = valid.cell;
  const place = cellFolder(dir, id);
  if ((await readDoneCells(dir, { only: id })).has(id)) throw new Error(`cell ${id} is already stored: ${place}`);
  await writeFolderWhole(place, async (folder) => {
    await writeOutput(folder, output);
    if (valid.status === 'ok') await writeRuns(folder, { ...valid, runs });
    if (samples.length > 0) await writeSamples(folder, { cell: id, samples });
    for (const [file, csv, columns] of [
      [FILES.phases, phases, SPAN_COLUMNS],
      [FILES.messages, messages, MESSAGE_COLUMNS],
    ] as const) {
      if (csv.trim() !== '') await writeTrace(folder, { cell: id, csv, file, columns });
    }
    if (stacks !== undefined) await writeStacks(folder, { cell: id, table: stacks });
    for (const file of dagFolder === undefined ? [] : [FILES.dagRun, FILES.dagPeriods])
      await copyFile(join(dagFolder ?? '', file), join(folder, file));
    const stored: StoredRecord = seal({ schema: 2 as const, ...valid, files: await describeFiles(folder) });
    await writeFile(join(folder, FILES.record), `${JSON.stringify(stored)}\n`);
  });
}

/** What was printed, as files of a folder. */
async function writeOutput(
  folder: string,
  { stdout, stderr, stdoutFile, stderrFile }: Pick<CellOutput, 'stdout' | 'stderr' | 'stdoutFile' | 'stderrFile'>,
): Promise<void> {
  for (const [name, text, file] of [
    [FILES.stdout, stdout, stdoutFile],
    [FILES.stderr, stderr, stderrFile],
  ] as const) {
    if (file === undefined) await writeFile(join(folder, name), text);
    else await rename(file, join(folder, name));
  }
}

/** What lies beside the record, so that a missing or another file is seen. */
async function describeFiles(folder: string): Promise<Record<string, FileDigest>> {
  const found: Record<string, FileDigest> = {};
  for (const name of (await readdir(folder)).sort()) found[name] = await newDigest(join(folder, name));
  return found;
}

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
    await writeFile(join(folder, 'attempt.json'), `${JSON.stringify(record)}\n`);
  });
  return path;
}

/** Of each cell with failed tries, why the last one failed, and its folder. One that cannot be read is passed over. */
export async function readLastAttempts(
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
