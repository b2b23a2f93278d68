import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { badInput, infrastructure, unwritable } from '../../../base/errors.ts';
import { closeLocked, lockFile } from '../../../base/lock-file.ts';
import { isSealed, knownDigest, seal } from '../../../experiments/store/digest.ts';
import type { FoundRows } from '../../../experiments/store/query-locked.ts';
import { openToWriteSync, readRegular } from '../../../experiments/store/regular.ts';
import { writeFileWhole, writeFolderWhole } from '../../../experiments/store/whole.ts';
import { importFolders, MANIFEST } from '../store/manifest.ts';
import { buildStatements, GRAPH_FILES, GRAPH_SCHEMA, writeGraphTables } from './graph-tables.ts';
import { LADYBUG_VERSION, LadybugError, runLadybug } from './ladybug.ts';
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
  try {
    return await runLadybug(folder, { database: DATABASE, readOnly: true, statements: [reading] });
  } catch (error) {
    if (!(error instanceof LadybugError)) throw error;
    throw badInput(`Ladybug rejects the statement: ${error.message}`, error);
  }
}

/** The folder of the graph of a store as it stands. Errors: infrastructure where it cannot be built. */
export async function ensureGraph(store: string): Promise<string> {
  const folder = join(store, 'graph');
  const of = await stateOf(store);
  if (await isCurrent(folder, of)) return folder;
  const lock = await lockGraph(store);
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
    try {
      await runLadybug(partial, { database: DATABASE, readOnly: false, statements: buildStatements() });
    } catch (error) {
      if (!(error instanceof LadybugError)) throw error;
      throw infrastructure(
        `The graph of ${store} cannot be built (${error.message}): query the store with --sql instead.`,
        { cause: error },
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

async function lockGraph(store: string): Promise<number> {
  const path = join(store, '.graph.lock');
  try {
    const file = openToWriteSync(path);
    if (await lockFile(file, path, { name: `The graph of ${store}`, waitS: WAIT_S })) return file;
    closeLocked(file);
  } catch (error) {
    throw unwritable(store, error);
  }
  throw infrastructure(
    `Another command has been building the graph of ${store} for ${WAIT_S / 60} minutes: end it and retry.`,
  );
}
