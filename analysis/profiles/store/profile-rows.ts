import { join } from 'node:path';
import { identifier, parquet, query } from '../../../experiments/store/duckdb.ts';
import type { ParquetColumn } from '../../../experiments/store/write-table.ts';
import type { StoredFacts } from '../tree/call-profile.ts';
import { IMPORT_FILES } from './import-folder.ts';

/** A row of profiles.parquet: a profile, and where its tree is. */
export interface ProfileRow extends StoredFacts {
  /** Number of the profile in its import. */
  readonly profile: number;
  /** All that it sampled. */
  readonly total: number;
  /** Of its tree: calls from the root to the deepest node, nodes, and the part whose file they are in. */
  readonly depth: number;
  readonly nodes: number;
  readonly part: number;
}

/** The table's columns, in their order; docs/profiles.md names them. */
const COLUMNS = {
  profile: ['profile', 'small'],
  key: ['key', 'text'],
  benchmark: ['benchmark', 'text'],
  testRun: ['test_run', 'text'],
  timeNs: ['time_ns', 'integer'],
  metricMean: ['metric_mean', 'real'],
  unit: ['unit', 'text'],
  total: ['total', 'real'],
  depth: ['depth', 'small'],
  nodes: ['nodes', 'small'],
  part: ['part', 'small'],
  source: ['source', 'text'],
  format: ['format', 'text'],
  lost: ['lost', 'real'],
  unknown: ['unknown', 'real'],
  truncated: ['truncated', 'real'],
} as const satisfies Readonly<Record<keyof ProfileRow, readonly [string, ParquetColumn['type']]>>;

const FIELDS = Object.entries(COLUMNS) as [keyof ProfileRow, readonly [string, ParquetColumn['type']]][];

export function columnsOfRows(rows: readonly ProfileRow[]): readonly ParquetColumn[] {
  return FIELDS.map(([field, [name, type]]) => {
    return { name, type, values: rows.map((row) => row[field] ?? Number.NaN) } as ParquetColumn;
  });
}

/** The rows of an import's folder, in their order. */
export async function readRows(folder: string): Promise<readonly ProfileRow[]> {
  const names = FIELDS.map(([, [name]]) => identifier(name));
  const columns = await query(`SELECT ${names.join(', ')} FROM ${parquet(join(folder, IMPORT_FILES.profiles))}`);
  return (columns[0] ?? []).map((_, row) => {
    const values = FIELDS.map(([field, [, type]], column) => [field, cellValue(columns[column]?.[row] ?? null, type)]);
    return Object.fromEntries(values) as ProfileRow;
  });
}

function cellValue(value: unknown, type: ParquetColumn['type']): string | number | bigint | null {
  if (type === 'integer') return BigInt(String(value));
  if (type === 'text') return String(value);
  return value === null ? null : Number(value);
}
