import { basename, dirname } from 'node:path';
import type { ZodError } from 'zod';
import { badInput, type PredictError } from '../../base/errors.ts';
import { quote } from '../../base/shell.ts';

/** Something in a campaign folder that is not as it was written. */
export interface Damage {
  /** The file or folder. */
  readonly path: string;
  /** Id of the cell that it belongs to; null for what belongs to none. */
  readonly cell: string | null;
  /** What is wrong with it, to follow its path in a sentence. */
  readonly problem: string;
  /** What has to go so that the rest is whole; null where nothing can. */
  readonly part: string | null;
}

/** The one sentence in which every command refuses a campaign. Errors of it are `badInput`. */
export function damaged(dir: string, { path, cell, problem, part }: Damage, cause?: unknown): PredictError {
  if (part === null) return badInput(`${path} ${problem}. Restore it from a copy, or start a new folder.`, cause);
  const inside = cell !== null && basename(path) !== cell;
  const what = inside ? `The cell in ${dirname(path)} is damaged (${basename(path)} ${problem})` : `${path} ${problem}`;
  const then = cell === null ? '' : ', and the next sweep measures this cell again';
  return badInput(`${what}: 'predict status ${quote(dir)} --repair' moves it aside${then}.`, cause);
}

/** Where data first breaks its schema, to follow `is not a ...`. */
export function issueOf(error: ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? '' : ` at ${issue.path.join('.') || 'the top level'}: ${issue.message}`;
}
