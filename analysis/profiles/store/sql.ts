import { join } from 'node:path';
import { parquet } from '../../../experiments/index.ts';
import { MODES, NAMES, nodesFile, PROFILES, recursionsFile } from './layout.ts';
import { checkedManifest, importFolders } from './manifest.ts';

/**
 * Statements that make the tables of a store known to DuckDB, as views: `profiles`, `nodes` (a row a node of a profile's tree, in preorder, with its
 * code path), `recursions` and `modes`; `key` joins them. Errors: badInput where a file of the store is not as it was written.
 */
export async function storeViews(store: string): Promise<readonly string[]> {
  const parts: Record<'profiles' | 'nodes' | 'recursions' | 'modes', string[]> = {
    profiles: [],
    nodes: [],
    recursions: [],
    modes: [],
  };
  for (const folder of await importFolders(store)) {
    const manifest = await checkedManifest(folder);
    const profiles = parquet(join(folder, PROFILES));
    const names = parquet(join(folder, NAMES));
    const files = (fileOf: (part: number) => string): string => {
      return parquet(...Array.from({ length: manifest.parts }, (_, part) => join(folder, fileOf(part))));
    };
    parts.profiles.push(`SELECT * EXCLUDE (profile, part) FROM ${profiles}`);
    parts.nodes.push(`SELECT p.key, n.node, n.parent, coalesce(t.code_path, '') AS code_path, n.depth, n.own, n.total
      FROM ${files(nodesFile)} n JOIN ${profiles} p USING (profile) LEFT JOIN ${names} t USING (name)`);
    parts.recursions.push(
      `SELECT p.key, r."from", r."to", r.distance FROM ${files(recursionsFile)} r JOIN ${profiles} p USING (profile)`,
    );
    parts.modes.push(
      `SELECT p.key, t.code_path, m.mode, m.own FROM ${parquet(join(folder, MODES))} m JOIN ${profiles} p USING (profile) JOIN ${names} t USING (name)`,
    );
  }
  return Object.entries(parts).map(
    ([name, selects]) => `CREATE OR REPLACE TEMP VIEW ${name} AS ${selects.join(' UNION ALL ')}`,
  );
}
