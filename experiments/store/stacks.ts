import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at } from '../../base/lists.ts';
import { STACK_COLUMNS, STACK_KINDS, type StackRow, type StackTable } from '../stacks/stack-columns.ts';
import { cellFolder, FILES } from './campaign-folders.ts';
import { copyTo, literal, parquet, pathLiteral, query, unreadable } from './duckdb.ts';

/** stacks.parquet: the rows of a table (`STACK_COLUMNS`), each with its stack as text. */
export async function writeStacks(
  folder: string,
  { cell, table }: { readonly cell: string; readonly table: StackTable },
): Promise<void> {
  const [stacks, rows] = [join(folder, 'stacks.tmp'), join(folder, 'stack-rows.tmp')];
  await writeFile(stacks, `${table.stacks.map((stack, id) => JSON.stringify({ id, stack })).join('\n')}\n`);
  await writeFile(rows, `${table.rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  const columns = STACK_COLUMNS.map(
    ({ name, type }) => `${name === 'stack' ? 's.stack' : `r.${name}`}::${type} AS ${name}`,
  );
  const types = STACK_COLUMNS.map(({ name, type }) => `${name}: ${literal(name === 'stack' ? 'INTEGER' : type)}`);
  const json = (path: string, of: string): string =>
    `read_json(${pathLiteral(path)}, format = 'newline_delimited', columns = {${of}})`;
  await copyTo(
    join(folder, FILES.stacks),
    `(SELECT ${literal(cell)} AS cell, ${columns.join(', ')} FROM ${json(rows, types.join(', '))} r
      JOIN ${json(stacks, "id: 'INTEGER', stack: 'VARCHAR'")} s ON r.stack = s.id ORDER BY host, rank, search, phase, kind, s.stack)`,
  );
  await Promise.all([rm(stacks), rm(rows)]);
}

/** The call stacks of a profiled cell; null for one that has none. */
export async function readStacks(dir: string, id: string): Promise<StackTable | null> {
  const folder = cellFolder(dir, id);
  const path = join(folder, FILES.stacks);
  if (!existsSync(path)) return null;
  try {
    const names = STACK_COLUMNS.map(({ name, type }) => (type === 'BIGINT' ? `${name}::DOUBLE` : name));
    const found = await query(`SELECT ${names.join(', ')} FROM ${parquet(path)}`);
    return tableOf(found);
  } catch (error) {
    throw await unreadable(folder, error);
  }
}

function tableOf(columns: readonly (readonly unknown[])[]): StackTable {
  const [host = [], rank = [], search = [], phase = [], kind = [], stack = [], samples = [], seconds = []] = columns;
  const ids = new Map<string, number>();
  const idOf = (text: string): number => {
    const known = ids.get(text) ?? ids.size;
    ids.set(text, known);
    return known;
  };
  const rows = host.map((name, row): StackRow => {
    const said = String(at(kind, row));
    return {
      host: String(name),
      rank: Number(at(rank, row)),
      search: at(search, row) === null ? null : Number(at(search, row)),
      phase: at(phase, row) === null ? null : String(at(phase, row)),
      kind: STACK_KINDS.find((known) => known === said) ?? 'cpu',
      stack: idOf(String(at(stack, row))),
      samples: Number(at(samples, row)),
      seconds: Number(at(seconds, row)),
    };
  });
  return { stacks: [...ids.keys()], rows };
}
