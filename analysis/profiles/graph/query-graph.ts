import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { badInput, infrastructure, messageOf } from '../../../base/errors.ts';
import { askProcess } from '../../../experiments/store/ask-process.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';
import { buildStatements, writeGraphTables } from './graph-tables.ts';
import { readingCypher } from './reading-cypher.ts';

/**
 * What a statement in Cypher finds in a store. The graph is built for it in a temporary folder, which takes seconds where a store is
 * large. Errors: badInput for a statement that does not only read, and with what Ladybug says of it; infrastructure where Ladybug is
 * missing.
 */
export async function queryGraph(store: string, statement: string): Promise<FoundRows> {
  const reading = readingCypher(statement);
  const module = ladybugModule();
  const folder = await mkdtemp(join(tmpdir(), 'predict-graph-'));
  try {
    await writeGraphTables(folder, store);
    const found = await runLadybug(folder, { module, build: buildStatements(), built: BUILT, reading });
    if ('unbuilt' in found) {
      throw infrastructure(
        `The graph of ${store} cannot be built (${found.unbuilt}): query the store with --sql instead.`,
      );
    }
    if ('refused' in found) throw badInput(`Ladybug rejects the statement: ${found.refused}`);
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The version whose files and statements are known. */
const LADYBUG_VERSION = '0.19.1';

/** The package that holds all of Ladybug for this kind of machine, without a script that runs when it is installed. */
function ladybugModule(): string {
  const name = `@ladybugdb/core-${process.platform}-${process.arch}`;
  try {
    createRequire(import.meta.url).resolve(name);
    return name;
  } catch (error) {
    throw infrastructure(
      `Cypher needs Ladybug, which is not installed (${messageOf(error).split('\n')[0]}). Install it with 'npm install ${name}@${LADYBUG_VERSION}', or query the store with --sql.`,
      { cause: error },
    );
  }
}

/** What the process (ladybug-process.ts) is told, and what it answers. */
export interface LadybugJob {
  /** The package of Ladybug. */
  readonly module: string;
  /** They make the database. */
  readonly build: readonly string[];
  /** The file that is written then. */
  readonly built: string;
  /** It is asked of the database once that is read-only: its last result is the answer. */
  readonly reading: string;
}
/** Rows, or Ladybug's own words for a database that it cannot make or a statement that it refuses. */
export type LadybugAnswer = FoundRows | { readonly unbuilt: string } | { readonly refused: string };

/** The name of the file that says that the database is made. */
const BUILT = 'built';

/** Makes a database in a folder and asks it, in a process of its own. */
async function runLadybug(folder: string, job: LadybugJob): Promise<LadybugAnswer> {
  const found = await askProcess<LadybugAnswer>('ladybug-process', job, folder);
  if ('ended' in found) {
    const said = `the process of Ladybug ended with ${found.ended}`;
    return existsSync(join(folder, BUILT)) ? { refused: said } : { unbuilt: said };
  }
  const { answer } = found;
  if ('unbuilt' in answer) return { unbuilt: withoutExpected(answer.unbuilt).trim() };
  return 'refused' in answer ? { refused: withoutExpected(answer.refused).trim() } : answer;
}

/** What a parser would have taken instead are dozens of words. */
function withoutExpected(error: string): string {
  const from = error.indexOf(' expecting {');
  const to = from < 0 ? -1 : error.indexOf('}', from);
  return to < 0 ? error : error.slice(0, from) + error.slice(to + 1);
}
