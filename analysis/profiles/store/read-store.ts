import { join } from 'node:path';
import { messageOf, PredictError } from '../../../base/errors.ts';
import { parquet, query, queryNumbers } from '../../../experiments/store/duckdb.ts';
import { type FoundRows, type LockedTables, queryLocked } from '../../../experiments/store/query-locked.ts';
import type { ModeSamples, ProfileSelection, StoredFacts, StoredProfile } from '../tree/call-profile.ts';
import { type CallTree, completeTree, NameTable } from '../tree/call-tree.ts';
import {
  checkedManifest,
  damagedImport,
  importFolders,
  MODES,
  NAMES,
  nodesFile,
  PROFILES,
  recursionsFile,
} from './manifest.ts';
import { type ProfileRow, readRows } from './profile-rows.ts';

/** What of a store is read. */
interface StoreFilter {
  /** Profiles of this benchmark alone; null for all. */
  readonly benchmark: string | null;
}

/**
 * The profiles of a store with their trees, in the order of their import, names in one table. Errors: badInput where there is no store, and
 * where one of its files is not as it was written.
 */
export async function readStore(
  store: string,
  { benchmark }: StoreFilter = { benchmark: null },
): Promise<ProfileSelection<StoredProfile>> {
  const names = new NameTable();
  const profiles: StoredProfile[] = [];
  for (const folder of await importFolders(store)) {
    await checkedManifest(folder);
    for (const one of await guarded(folder, () => readImport(folder, { names, benchmark }))) profiles.push(one);
  }
  return { names, profiles };
}

/** What is known of the profiles of a store, without their trees. */
export async function listStore(store: string): Promise<readonly StoredFacts[]> {
  const all: StoredFacts[] = [];
  for (const folder of await importFolders(store)) {
    await checkedManifest(folder, PROFILES);
    for (const row of await guarded(folder, () => readRows(folder))) all.push(factsOf(row));
  }
  return all;
}

/** Without where its tree is. */
function factsOf({ profile, total, depth, nodes, part, ...facts }: ProfileRow): StoredFacts {
  return facts;
}

async function readImport(
  folder: string,
  { names, benchmark }: StoreFilter & { readonly names: NameTable },
): Promise<readonly StoredProfile[]> {
  const rows = (await readRows(folder)).filter((row) => benchmark === null || row.benchmark === benchmark);
  if (rows.length === 0) return [];
  const [texts = []] = await query(`SELECT code_path FROM ${parquet(join(folder, NAMES))}`);
  const ids = Int32Array.from(texts, (text) => names.id(String(text)));
  const modes = await readModes(folder, ids);
  const profiles: StoredProfile[] = [];
  const wanted = rows.map(({ profile }) => profile).join(', ');
  for (const part of new Set(rows.map((row) => row.part))) {
    const [name = NOTHING, parent = NOTHING, own = NOTHING] = await queryNumbers(
      `SELECT name, parent, own FROM ${parquet(join(folder, nodesFile(part)))} WHERE profile IN (${wanted})`,
    );
    const inPart = rows.reduce((sum, row) => sum + (row.part === part ? row.nodes : 0), 0);
    if (inPart !== name.length)
      throw damagedImport(join(folder, nodesFile(part)), `has ${name.length} nodes instead of ${inPart}`, folder);
    let from = 0;
    for (const row of rows.filter((one) => one.part === part)) {
      const tree = treeOf(from, { nodes: row.nodes, ids, name, parent, own });
      profiles.push({ ...factsOf(row), tree, modes: modes.get(row.profile) ?? [] });
      from += row.nodes;
    }
  }
  return profiles;
}

const NOTHING = new Float64Array(0);

function treeOf(
  from: number,
  {
    nodes,
    ids,
    name,
    parent,
    own,
  }: { nodes: number; ids: Int32Array; name: Float64Array; parent: Float64Array; own: Float64Array },
): CallTree {
  const tree = { name: new Int32Array(nodes), parent: new Int32Array(nodes), own: own.slice(from, from + nodes) };
  for (let node = 0; node < nodes; node += 1) {
    const id = name[from + node] ?? -1;
    tree.name[node] = id < 0 ? -1 : (ids[id] ?? -1);
    const above = parent[from + node] ?? -1;
    if (!(above >= -1 && above < node)) throw new Error(`node ${node} lies below node ${above}, which is listed later`);
    tree.parent[node] = above;
  }
  return completeTree(tree);
}

async function readModes(folder: string, ids: Int32Array): Promise<ReadonlyMap<number, readonly ModeSamples[]>> {
  const [profile, name, mode, own] = await query(
    `SELECT profile, name, mode, own FROM ${parquet(join(folder, MODES))}`,
  );
  const found = new Map<number, ModeSamples[]>();
  for (const [row, each] of (profile ?? []).entries()) {
    const of = found.get(Number(each)) ?? [];
    found.set(Number(each), of);
    of.push({ name: ids[Number(name?.[row])] ?? -1, mode: String(mode?.[row]), own: Number(own?.[row]) });
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

/** What a statement in SQL finds in the tables of a store: profiles, nodes, recursions, modes. Errors: badInput with what DuckDB says. */
export async function querySql(store: string, statement: string): Promise<FoundRows> {
  const { columns, rows } = await queryLocked(statement, await storeTables(store));
  return { columns, rows: rows.map((row) => row.map(plainValue)) };
}

/**
 * The tables of a store for DuckDB, as views, and the files that they read: `profiles`, `nodes` (a row a node of a profile's tree, in preorder, with its
 * code path), `recursions` and `modes`; `key` joins them. Errors: badInput where a file of the store is not as it was written.
 */
export async function storeTables(store: string): Promise<LockedTables> {
  const files: string[] = [];
  const selects: Record<'profiles' | 'nodes' | 'recursions' | 'modes', string[]> = {
    profiles: [],
    nodes: [],
    recursions: [],
    modes: [],
  };
  for (const folder of await importFolders(store)) {
    const manifest = await checkedManifest(folder);
    const table = (...names: readonly string[]): string => {
      const paths = names.map((name) => join(folder, name));
      for (const path of paths) files.push(path);
      return parquet(...paths);
    };
    const parts = (fileOf: (part: number) => string): string => {
      return table(...Array.from({ length: manifest.parts }, (_, part) => fileOf(part)));
    };
    const profiles = table(PROFILES);
    const names = table(NAMES);
    selects.profiles.push(`SELECT * EXCLUDE (profile, part) FROM ${profiles}`);
    selects.nodes.push(`SELECT p.key, n.node, n.parent, coalesce(t.code_path, '') AS code_path, n.depth, n.own, n.total
      FROM ${parts(nodesFile)} n JOIN ${profiles} p USING (profile) LEFT JOIN ${names} t USING (name)`);
    selects.recursions.push(
      `SELECT p.key, r."from", r."to", r.distance FROM ${parts(recursionsFile)} r JOIN ${profiles} p USING (profile)`,
    );
    selects.modes.push(
      `SELECT p.key, t.code_path, m.mode, m.own FROM ${table(MODES)} m JOIN ${profiles} p USING (profile) JOIN ${names} t USING (name)`,
    );
  }
  const views = Object.entries(selects).map(
    ([name, parts]) => `CREATE OR REPLACE TEMP VIEW ${name} AS ${parts.join(' UNION ALL ')}`,
  );
  return { views, files };
}

/** A value of a result as JSON has it: whole numbers beyond 2^53 as text, no internal ids. */
export function plainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plainValue);
  const entries: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.filter(([name]) => !INNER.has(name)).map(([name, part]) => [name, plainValue(part)]),
  );
}

/** Ladybug's ids of nodes and edges. */
const INNER: ReadonlySet<string> = new Set(['_id', '_src', '_dst']);
