import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { badInput, messageOf, type PredictError } from '../../base/index.ts';

// Where things are in a campaign folder; docs/campaign.md describes it for users.

/** A cell's id: the first 16 hex digits of a hash. */
export const CELL_ID = /^[0-9a-f]{16}$/;

export const cellsFolder = (dir: string): string => join(dir, 'cells');
export const cellFolder = (dir: string, id: string): string => join(cellsFolder(dir), id);
export const attemptsFolder = (dir: string): string => join(dir, 'attempts');
export const campaignPath = (dir: string): string => join(dir, 'campaign.json');

/** The files of a cell. */
export const FILES = {
  record: 'record.json',
  runs: 'roots.parquet',
  phases: 'phases.parquet',
  messages: 'messages.parquet',
  samples: 'samples.parquet',
  stdout: 'stdout.txt',
  stderr: 'stderr.txt',
} as const;

export function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** What is wrong with a cell's folder, in the one sentence that every command says; of an error, its first line. */
export function damagedCell(folder: string, problem: unknown, cause = problem): PredictError {
  const what = typeof problem === 'string' ? problem : (messageOf(problem).split('\n')[0] ?? '');
  return badInput(`The cell in ${folder} is damaged (${what}): move its folder away to run the cell again.`, cause);
}
