import { join } from 'node:path';
import { parquet } from '../../../experiments/store/duckdb.ts';
import { type FoundRows, type LockedTables, queryLocked } from '../../../experiments/store/query-locked.ts';
import { checkedManifest, IMPORT_FILES, importFolders } from './import-folder.ts';

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
  const selects = {
    profiles: [] as string[],
    nodes: [] as string[],
    recursions: [] as string[],
    modes: [] as string[],
  };
  for (const folder of await importFolders(store)) {
    const manifest = await checkedManifest(folder);
    const table = (...names: readonly string[]): string => {
      const paths = names.map((name) => join(folder, name));
      files.push(...paths);
      return parquet(...paths);
    };
    const parts = Array.from({ length: manifest.parts }, (_, part) => part);
    const profiles = table(IMPORT_FILES.profiles);
    const names = table(IMPORT_FILES.names);
    selects.profiles.push(`SELECT * EXCLUDE (profile, part) FROM ${profiles}`);
    selects.nodes.push(`SELECT p.key, n.node, n.parent, coalesce(t.code_path, '') AS code_path, n.depth, n.own, n.total
      FROM ${table(...parts.map(IMPORT_FILES.nodes))} n JOIN ${profiles} p USING (profile) LEFT JOIN ${names} t USING (name)`);
    selects.recursions.push(`SELECT p.key, r."from", r."to", r.distance
      FROM ${table(...parts.map(IMPORT_FILES.recursions))} r JOIN ${profiles} p USING (profile)`);
    selects.modes.push(`SELECT p.key, t.code_path, m.mode, m.own
      FROM ${table(IMPORT_FILES.modes)} m JOIN ${profiles} p USING (profile) JOIN ${names} t USING (name)`);
  }
  const views = Object.entries(selects).map(
    ([name, imports]) => `CREATE OR REPLACE TEMP VIEW ${name} AS ${imports.join(' UNION ALL ')}`,
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
