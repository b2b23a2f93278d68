import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, infrastructure, messageOf, unwritable } from '../../../base/errors.ts';
import { closeLocked } from '../../../base/lock-file.ts';
import { askProcess } from '../../../experiments/store/ask-process.ts';
import { isSealed, knownDigest, seal } from '../../../experiments/store/digest.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';
import { readRegular } from '../../../experiments/store/regular.ts';
import { writeFileWhole, writeFolderWhole } from '../../../experiments/store/whole.ts';
import { importFolders, lockOfStore, MANIFEST } from '../store/manifest.ts';
import { buildStatements, GRAPH_FILES, GRAPH_SCHEMA, writeGraphTables } from './graph-tables.ts';
import { readingCypher } from './reading-cypher.ts';

const DATABASE = 'graph.lbug';
const VIEW = 'view.json';
const viewSchema = z.object({ of: z.string(), bytes: z.int(), sha256: z.string() });
/** Building waits so long for another command that builds the same view. */
const WAIT_S = 600;

/**
 * What a statement in Cypher finds in a store. The graph is built first where it is missing, damaged, or of another state of the store. Errors:
 * badInput for a statement that does not only read, and with what Ladybug says of it; infrastructure where Ladybug is missing.
 */
export async function queryGraph(store: string, statement: string): Promise<FoundRows> {
  const reading = readingCypher(statement);
  const folder = await ensureGraph(store);
  const found = await runLadybug(folder, { database: DATABASE, readOnly: true, statements: [reading] });
  if ('refused' in found) throw badInput(`Ladybug rejects the statement: ${found.refused}`);
  return found;
}

/** The folder of the graph of a store as it stands. Errors: infrastructure where it cannot be built. */
export async function ensureGraph(store: string): Promise<string> {
  const folder = join(store, 'graph');
  const of = await stateOf(store);
  if (await isCurrent(folder, of)) return folder;
  const lock = await lockOfStore(store, '.graph.lock', { name: `The graph of ${store}`, waitS: WAIT_S });
  if (lock === null) {
    throw infrastructure(
      `Another command has been building the graph of ${store} for ${WAIT_S / 60} minutes: end it and retry.`,
    );
  }
  try {
    // Another command may have built it meanwhile.
    if (!(await isCurrent(folder, of))) await buildGraph(store, folder, of);
    return folder;
  } finally {
    closeLocked(lock);
  }
}

async function buildGraph(store: string, folder: string, of: string): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch((error) => {
    throw unwritable(folder, error);
  });
  await writeFolderWhole(folder, async (partial) => {
    await writeGraphTables(partial, store);
    const built = await runLadybug(partial, { database: DATABASE, readOnly: false, statements: buildStatements() });
    if ('refused' in built) {
      throw infrastructure(
        `The graph of ${store} cannot be built (${built.refused}): query the store with --sql instead.`,
      );
    }
    for (const table of GRAPH_FILES) await rm(join(partial, table));
    const digest = await knownDigest(join(partial, DATABASE));
    await writeFileWhole(join(partial, VIEW), `${JSON.stringify(seal({ of, ...digest }), null, 2)}\n`);
  });
}

/** What a view is built of: the imports of the store, the schema and the version of the database. */
async function stateOf(store: string): Promise<string> {
  const hash = createHash('sha256').update(`${GRAPH_SCHEMA} ${LADYBUG_VERSION}\n`);
  for (const folder of await importFolders(store)) {
    const { sha256 } = await knownDigest(join(folder, MANIFEST));
    hash.update(`${folder.slice(store.length)} ${sha256}\n`);
  }
  return hash.digest('hex');
}

/** Whether the graph is of this state of the store, and is as it was written. */
async function isCurrent(folder: string, of: string): Promise<boolean> {
  try {
    const data: unknown = JSON.parse((await readRegular(join(folder, VIEW))).toString('utf8'));
    const view = viewSchema.safeParse(data).data;
    if (view === undefined || !isSealed(data) || view.of !== of) return false;
    const { bytes, sha256 } = await knownDigest(join(folder, DATABASE));
    return bytes === view.bytes && sha256 === view.sha256;
  } catch {
    return false;
  }
}

/** The version whose files and statements are known. */
const LADYBUG_VERSION = '0.19.1';

/** What the process (ladybug-process.ts) is told, and what it answers. */
export interface LadybugJob {
  /** The package that holds all of Ladybug for this kind of machine, without a script that runs when it is installed. */
  readonly module: string;
  /** Name of the database in its folder. */
  readonly database: string;
  readonly readOnly: boolean;
  /** The last one's result is the answer. */
  readonly statements: readonly string[];
}
/** Rows, or Ladybug's own words for a statement that it refuses or a database that it cannot read. */
export type LadybugAnswer = FoundRows | { readonly refused: string };

/** Runs statements in a process of its own, in the folder of the database. Errors: infrastructure where Ladybug is missing. */
export async function runLadybug(folder: string, job: Omit<LadybugJob, 'module'>): Promise<LadybugAnswer> {
  const module = ladybugModule();
  const found = await askProcess<LadybugAnswer>('ladybug-process', { ...job, module }, folder);
  if ('ended' in found) return { refused: `the process of Ladybug ended with ${found.ended}` };
  return 'refused' in found.answer ? { refused: withoutExpected(found.answer.refused).trim() } : found.answer;
}

/** What a parser would have taken instead are dozens of words. */
function withoutExpected(error: string): string {
  const from = error.indexOf(' expecting {');
  const to = from < 0 ? -1 : error.indexOf('}', from);
  return to < 0 ? error : error.slice(0, from) + error.slice(to + 1);
}

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
