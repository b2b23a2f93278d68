import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CellRecord } from '../records.ts';
import { duckdb, literal, pathLiteral } from './duckdb.ts';
import { writeAndSync } from './whole.ts';

/** What the sampler of one host wrote (TAB lines `t_ns metric instance value`, `#` lines around them), or its file. */
export type HostSamples =
  | { readonly host: string; readonly text: string }
  | { readonly host: string; readonly file: string };

/** roots.parquet: one row per timed search; ct and validate_s in seconds. */
export async function writeRoots(folder: string, { cell, roots }: CellRecord): Promise<void> {
  const lines = roots.map(({ root, ct, teps, nedge, validateS }) =>
    [root, ct, teps ?? '', nedge ?? '', validateS ?? ''].join(','),
  );
  const { id, role, scale, nodes, ranks, bw, rep } = cell;
  await copyText(folder, {
    name: 'roots',
    text: lines.join('\n'),
    separator: ',',
    columns: { root: 'INTEGER', ct: 'DOUBLE', teps: 'DOUBLE', nedge: 'DOUBLE', validate_s: 'DOUBLE' },
    select: `${literal(id)} AS cell, ${literal(role)} AS "role", ${scale}::INTEGER AS scale, ${nodes}::INTEGER AS nodes,
      ${ranks}::INTEGER AS ranks, ${bw}::DOUBLE AS bw, ${rep}::INTEGER AS rep, root, ct, teps, nedge, validate_s`,
  });
}

/**
 * phases.parquet from `rank,root,level,phase,start_ns,end_ns,bytes_sent[,asleep_ns]`; times are int64 ns, asleep_ns is NULL
 * where it is not known.
 */
export async function writePhases(folder: string, { cell, csv }: { cell: string; csv: string }): Promise<void> {
  const end = csv.indexOf('\n');
  const measured = csv.slice(0, end).split(',').includes('asleep_ns');
  await copyText(folder, {
    name: 'phases',
    text: csv.slice(end + 1),
    separator: ',',
    columns: {
      rank: 'INTEGER',
      root: 'INTEGER',
      level: 'INTEGER',
      phase: 'VARCHAR',
      start_ns: 'BIGINT',
      end_ns: 'BIGINT',
      bytes_sent: 'BIGINT',
      ...(measured ? { asleep_ns: 'BIGINT' } : {}),
    },
    select: `${literal(cell)} AS cell, *${measured ? '' : ', NULL::BIGINT AS asleep_ns'}`,
  });
}

/** samples.parquet from the samplers of all hosts; a last line that was cut off is left out. */
export async function writeSamples(
  folder: string,
  { cell, samples }: { cell: string; samples: readonly HostSamples[] },
): Promise<void> {
  const written: string[] = [];
  const parts: string[] = [];
  const columns = { t_ns: 'BIGINT', metric: 'VARCHAR', instance: 'VARCHAR', value: 'DOUBLE' };
  for (const [index, host] of samples.entries()) {
    const path = 'file' in host ? host.file : join(folder, `samples-${index}.tmp`);
    if ('text' in host) {
      await writeAndSync(path, host.text.slice(0, host.text.lastIndexOf('\n') + 1));
      written.push(path);
    }
    // A killed sampler may leave half a line: a line without four columns is skipped, not an error.
    const source = readCsv(path, { columns, separator: '\t', tolerant: true });
    parts.push(`SELECT ${literal(cell)} AS cell, ${literal(host.host)} AS host, * FROM ${source}`);
  }
  if (parts.length > 0) await copyQuery(parts.join(' UNION ALL '), join(folder, 'samples.parquet'));
  await Promise.all(written.map((path) => rm(path)));
}

interface TextTable {
  readonly name: string;
  readonly text: string;
  readonly separator: string;
  /** Name -> SQL type, in the text's order. */
  readonly columns: Readonly<Record<string, string>>;
  readonly select: string;
}

async function copyText(folder: string, { name, text, separator, columns, select }: TextTable): Promise<void> {
  const path = join(folder, `${name}.tmp`);
  await writeAndSync(path, text);
  await copyQuery(`SELECT ${select} FROM ${readCsv(path, { columns, separator })}`, join(folder, `${name}.parquet`));
  await rm(path);
}

function readCsv(
  path: string,
  { columns, separator, tolerant = false }: Pick<TextTable, 'columns' | 'separator'> & { readonly tolerant?: boolean },
): string {
  const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
  const lenient = tolerant ? ", comment = '#', ignore_errors = true" : '';
  return `read_csv(${pathLiteral(path)}, auto_detect = false, header = false, quote = '', escape = '',
    delim = ${literal(separator)}, columns = {${types.join(', ')}}${lenient})`;
}

async function copyQuery(query: string, path: string): Promise<void> {
  const connection = await duckdb();
  await connection.run(`COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`);
}
