import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { infrastructure, messageOf } from '../../../base/errors.ts';
import { projectRoot } from '../../../base/paths.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';
import { ladybugPackage } from './ladybug-module.ts';

/** The version whose files and statements are known. */
export const LADYBUG_VERSION = '0.19.1';

/** What the process is told. */
export interface LadybugJob {
  /** Name of the database in its folder. */
  readonly database: string;
  readonly readOnly: boolean;
  /** The last one's result is the answer. */
  readonly statements: readonly string[];
}

/** A line of what the process says. */
export type LadybugAnswer =
  | { readonly columns: readonly string[] }
  | { readonly row: readonly unknown[] }
  | { readonly error: string }
  | { readonly done: true };

/** A statement that Ladybug refuses, or a database that it cannot read: `message` is Ladybug's own. */
export class LadybugError extends Error {}

/** Runs statements in a process of its own, in the folder of the database. Errors: LadybugError; infrastructure where Ladybug is missing. */
export async function runLadybug(folder: string, job: LadybugJob): Promise<FoundRows> {
  refuseMissing();
  const program = join(projectRoot(), 'dist', 'program', 'ladybug-process.cjs');
  const child = spawn(process.execPath, [program], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const complaint = text(child.stderr);
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(job));
  let columns: readonly string[] = [];
  let isDone = false;
  const rows: (readonly unknown[])[] = [];
  let error: string | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const answer = JSON.parse(line) as LadybugAnswer;
    if ('row' in answer) rows.push(answer.row);
    else if ('columns' in answer) columns = answer.columns;
    else if ('error' in answer) error = answer.error;
    else isDone = true;
  }
  const [code, signal] = await ended;
  if (error !== null) throw new LadybugError(withoutExpected(error).trim());
  if (!isDone) {
    const said = (await complaint).trim().split('\n').at(-1) ?? '';
    throw new LadybugError(`the process of Ladybug ended with ${signal ?? code}${said === '' ? '' : `: ${said}`}`);
  }
  return { columns, rows };
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
