import { queryGraph, querySql } from '../../../analysis/profiles/index.ts';
import { left, print, printJson, printTable } from '../print.ts';

interface Flags {
  readonly sql?: boolean;
  readonly json?: boolean;
}

export async function queryCommand(store: string, statement: string, { sql = false, json }: Flags): Promise<void> {
  const found = await (sql ? querySql : queryGraph)(store, statement);
  if (json) return printJson(found);
  const { columns, rows } = found;
  if (rows.length === 0) return print('No rows.');
  printTable(
    rows,
    columns.map((name, index) => left(name, (row: readonly unknown[]) => textOf(row[index]))),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
