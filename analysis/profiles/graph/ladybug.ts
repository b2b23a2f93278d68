import { createRequire } from 'node:module';
import { infrastructure, messageOf } from '../../../base/errors.ts';
import { askProcess } from '../../../experiments/store/ask-process.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';

/** The version whose files and statements are known. */
export const LADYBUG_VERSION = '0.19.1';

/** The package that holds all of Ladybug for this kind of machine, without a script that runs when it is installed. */
export function ladybugPackage(): string {
  return `@ladybugdb/core-${process.platform}-${process.arch}`;
}

/** What the process (ladybug-process.ts) is told, and what it answers. */
export interface LadybugJob {
  /** Name of the database in its folder. */
  readonly database: string;
  readonly readOnly: boolean;
  /** The last one's result is the answer. */
  readonly statements: readonly string[];
}
export type LadybugAnswer = FoundRows | { readonly refused: string };

/** A statement that Ladybug refuses, or a database that it cannot read: `message` is Ladybug's own. */
export class LadybugError extends Error {}

/** Runs statements in a process of its own, in the folder of the database. Errors: LadybugError; infrastructure where Ladybug is missing. */
export async function runLadybug(folder: string, job: LadybugJob): Promise<FoundRows> {
  refuseMissing();
  const found = await askProcess<LadybugAnswer>('ladybug-process', job, folder);
  if ('ended' in found) throw new LadybugError(`the process of Ladybug ended with ${found.ended}`);
  if ('refused' in found.answer) throw new LadybugError(withoutExpected(found.answer.refused).trim());
  return found.answer;
}

/** What a parser would have taken instead are dozens of words. */
function withoutExpected(error: string): string {
  const from = error.indexOf(' expecting {');
  const to = from < 0 ? -1 : error.indexOf('}', from);
  return to < 0 ? error : error.slice(0, from) + error.slice(to + 1);
}

function refuseMissing(): void {
  const name = ladybugPackage();
  try {
    createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw infrastructure(
      `Cypher needs Ladybug, which is not installed (${messageOf(error).split('\n')[0]}). Install it with 'npm install ${name}@${LADYBUG_VERSION}', or query the store with --sql.`,
      { cause: error },
    );
  }
}
