import { join } from 'node:path';
import { badInput, messageOf, PredictError } from '../../../base/errors.ts';
import { at, groupBy } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { parquet, query, queryNumbers } from '../../../experiments/store/duckdb.ts';
import type { ModeSamples, ProfileSelection, StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { type CallTree, completeTree, NameTable } from '../tree/call-tree.ts';
import { checkedManifest, damagedImport, IMPORT_FILES, importFolders } from './import-folder.ts';
import { type ProfileRow, readRows } from './profile-rows.ts';

/**
 * The profiles of a store with their trees, of one benchmark where it is named, in the order of their import, names in one table. Errors: badInput
 * where there is no store, and where one of its files is not as it was written.
 */
export async function readStore(
  store: string,
  { benchmark = null }: { readonly benchmark?: string | null } = {},
): Promise<ProfileSelection> {
  const names = new NameTable();
  const profiles: StoredProfile[] = [];
  for (const folder of await importFolders(store)) {
    await checkedManifest(folder);
    await guarded(folder, async () => {
      const rows = (await readRows(folder)).filter((row) => benchmark === null || row.benchmark === benchmark);
      if (rows.length > 0) for (const one of await readTrees(folder, rows, names)) profiles.push(one);
    });
  }
  return { names, profiles };
}

/** The same, where there are any. Errors: badInput where there is none. */
export async function openStore(store: string, benchmark: string | null = null): Promise<ProfileSelection> {
  const selection = await readStore(store, { benchmark });
  if (selection.profiles.length > 0) return selection;
  const what = benchmark === null ? 'no profile' : `no profile of the benchmark '${shortened(benchmark)}'`;
  throw badInput(`${store} has ${what}: 'predict profiles query ${store}' shows its profiles.`);
}

/** What is known of the profiles of a store, without their trees. */
export async function listStore(store: string): Promise<readonly StoredFacts[]> {
  const all: StoredFacts[] = [];
  for (const folder of await importFolders(store)) {
    await checkedManifest(folder, IMPORT_FILES.profiles);
    for (const row of await guarded(folder, () => readRows(folder))) all.push(factsOf(row));
  }
  return all;
}

/** Without where its tree is. */
function factsOf({ profile, total, depth, nodes, part, ...facts }: ProfileRow): StoredFacts {
  return facts;
}

/** The profiles of rows of one import, in their order. */
async function readTrees(
  folder: string,
  rows: readonly ProfileRow[],
  names: NameTable,
): Promise<readonly StoredProfile[]> {
  const [texts = []] = await query(`SELECT code_path FROM ${parquet(join(folder, IMPORT_FILES.names))}`);
  const ids = Int32Array.from(texts, (text) => names.id(String(text)));
  const modes = await readModes(folder, ids);
  const profiles: StoredProfile[] = [];
  const wanted = rows.map(({ profile }) => profile).join(', ');
  for (const inPart of groupBy(rows, ({ part }) => String(part))) {
    const file = join(folder, IMPORT_FILES.nodes(at(inPart, 0).part));
    const [name = NOTHING, parent = NOTHING, own = NOTHING] = await queryNumbers(
      `SELECT name, parent, own FROM ${parquet(file)} WHERE profile IN (${wanted})`,
    );
    const count = inPart.reduce((sum, { nodes }) => sum + nodes, 0);
    if (count !== name.length) throw damagedImport(file, `has ${name.length} nodes instead of ${count}`, folder);
    let from = 0;
    for (const row of inPart) {
      const rowOf = (column: Float64Array): Float64Array => column.slice(from, from + row.nodes);
      const tree = treeOf({ name: rowOf(name), parent: rowOf(parent), own: rowOf(own) }, ids);
      profiles.push({ ...factsOf(row), tree, modes: modes.get(row.profile) ?? [] });
      from += row.nodes;
    }
  }
  return profiles;
}

const NOTHING = new Float64Array(0);

/** `ids` are the numbers that the import's names have here. */
function treeOf(
  { name, parent, own }: Readonly<Record<'name' | 'parent' | 'own', Float64Array>>,
  ids: Int32Array,
): CallTree {
  const node = parent.findIndex((above, row) => !(above >= -1 && above < row));
  if (node >= 0) throw new Error(`node ${node} lies below node ${at(parent, node)}, which is listed later`);
  const names = Int32Array.from(name, (id) => (id < 0 ? -1 : at(ids, id)));
  return completeTree({ name: names, parent: Int32Array.from(parent), own });
}

async function readModes(folder: string, ids: Int32Array): Promise<ReadonlyMap<number, readonly ModeSamples[]>> {
  const [profiles = [], names = [], modes = [], owns = []] = await query(
    `SELECT profile, name, mode, own FROM ${parquet(join(folder, IMPORT_FILES.modes))}`,
  );
  const found = new Map<number, ModeSamples[]>();
  for (const [row, profile] of profiles.entries()) {
    const ofProfile = found.get(Number(profile)) ?? [];
    found.set(Number(profile), ofProfile);
    ofProfile.push({ name: at(ids, Number(names[row])), mode: String(modes[row]), own: Number(owns[row]) });
  }
  return found;
}

async function guarded<T>(folder: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PredictError) throw error;
    throw damagedImport(folder, `cannot be read (${messageOf(error).split('\n')[0]})`, folder, error);
  }
}
