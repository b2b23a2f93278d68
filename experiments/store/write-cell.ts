import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cell, type CellRecord, cellSchema, recordSchema } from '../records.ts';
import { doneCells, recordPath } from './cells.ts';
import { type HostSamples, writePhases, writeRoots, writeSamples } from './parquet.ts';
import { writeAndSync, writeFolderWhole } from './whole.ts';

/** What a run left besides its record. */
export interface CellOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly samples?: readonly HostSamples[] | undefined;
  /** `rank,root,level,phase,start_ns,end_ns,bytes_sent[,asleep_ns]` with that header. */
  readonly phasesCsv?: string | undefined;
}

/**
 * Stores a finished cell, whole or not at all: cells/<id>/ with record.json, the raw output and the Parquet files.
 * Only an ok record has a roots.parquet. The record of a failed run may be replaced, that of a good one never.
 * Errors: `infrastructure` (a full disk) with nothing half-written.
 */
export async function writeCell(dir: string, record: CellRecord, output: CellOutput): Promise<void> {
  const { stdout, stderr, samples = [], phasesCsv = '' } = output;
  const valid = recordSchema.parse(record);
  const { id } = valid.cell;
  const before = await doneCells(dir, { only: id });
  if (before.get(id) === 'ok') throw new Error(`cell ${id} is stored already: ${recordPath(dir, id)}`);
  await writeFolderWhole(
    join(dir, 'cells', id),
    async (folder) => {
      await writeAndSync(join(folder, 'stdout.txt'), stdout);
      await writeAndSync(join(folder, 'stderr.txt'), stderr);
      if (valid.status === 'ok') await writeRoots(folder, valid);
      if (samples.length > 0) await writeSamples(folder, { cell: id, samples });
      if (phasesCsv.trim() !== '') await writePhases(folder, { cell: id, csv: phasesCsv });
      await writeAndSync(join(folder, 'record.json'), `${JSON.stringify(valid)}\n`);
    },
    { replace: before.has(id) },
  );
}

/** A try that an infrastructure fault ended: it is no result, and the cell runs again. */
export const attemptSchema = z.strictObject({
  schema: z.literal(1),
  cell: cellSchema,
  /** Which try of its cell, from 1. */
  attempt: z.int().positive(),
  reason: z.string(),
  host: z.string().nullable(),
  at: z.iso.datetime(),
});
export type Attempt = z.infer<typeof attemptSchema>;

export interface AttemptOutput {
  readonly cell: Cell;
  readonly reason: string;
  readonly host?: string | undefined;
  /** ISO time at which the try ended. */
  readonly at: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps what a failed try left in attempts/<id>-<k>/ and returns that folder; k counts the tries of the cell. */
export async function writeAttempt(dir: string, output: AttemptOutput): Promise<string> {
  const { cell, reason, host = null, at, stdout, stderr } = output;
  const attempt = (await lastAttempt(dir, cell.id)) + 1;
  const record = attemptSchema.parse({ schema: 1, cell, attempt, reason, host, at });
  const path = join(dir, 'attempts', `${cell.id}-${attempt}`);
  await writeFolderWhole(path, async (folder) => {
    await writeAndSync(join(folder, 'stdout.txt'), stdout);
    await writeAndSync(join(folder, 'stderr.txt'), stderr);
    await writeAndSync(join(folder, 'attempt.json'), `${JSON.stringify(record)}\n`);
  });
  return path;
}

async function lastAttempt(dir: string, id: string): Promise<number> {
  const names = await readdir(join(dir, 'attempts')).catch(() => []);
  const numbers = names.filter((name) => name.startsWith(`${id}-`)).map((name) => Number(name.slice(id.length + 1)));
  return Math.max(0, ...numbers.filter(Number.isInteger));
}
