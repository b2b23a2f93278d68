import { badInput, messageOf } from '../../../base/index.ts';
import { duckdb } from '../../../experiments/index.ts';
import { storeViews } from '../store/sql.ts';
import type { GraphRows } from './ladybug.ts';
import { plainValue } from './ladybug-module.ts';

/** What a statement in SQL finds in the tables of a store: profiles, nodes, recursions, modes. Errors: badInput with what DuckDB says. */
export async function querySql(store: string, statement: string): Promise<GraphRows> {
  const views = await storeViews(store);
  const connection = await duckdb();
  for (const view of views) await connection.run(view);
  try {
    const result = await connection.runAndReadAll(statement);
    return { columns: result.columnNames(), rows: result.getRowsJS().map((row) => row.map(plainValue)) };
  } catch (error) {
    throw badInput(`DuckDB refuses the statement: ${messageOf(error).split('\n')[0]}`, error);
  }
}
