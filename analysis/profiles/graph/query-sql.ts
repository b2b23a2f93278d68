import { type FoundRows, queryLocked } from '../../../experiments/store/query-locked.ts';
import { storeTables } from '../store/sql.ts';
import { plainValue } from './ladybug-module.ts';

/** What a statement in SQL finds in the tables of a store: profiles, nodes, recursions, modes. Errors: badInput with what DuckDB says. */
export async function querySql(store: string, statement: string): Promise<FoundRows> {
  const { columns, rows } = await queryLocked(statement, await storeTables(store));
  return { columns, rows: rows.map((row) => row.map(plainValue)) };
}
