import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CellRecord } from '../records.ts';
import { headerOf, keysOf, type TraceColumn } from '../trace.ts';
import { FILES } from './campaign-folders.ts';
import { copyTo, identifier, literal, pathLiteral } from './duckdb.ts';

/** What the sampler of one host wrote (TAB lines `t_ns metric instance value`, `#` lines around them), or its file. */
export type HostSamples =
  | { readonly host: string; readonly text: string }
  | { readonly host: string; readonly file: string };

/** roots.parquet: one row per timed run; ct and validate_s in seconds. */
export async function writeRuns(folder: string, { cell, runs }: CellRecord): Promise<void> {
  const lines = runs.map(({ index, ct, teps, nedge, validateS }) =>
    [index, ct, teps ?? '', nedge ?? '', validateS ?? ''].join(','),
  );
  const { id, role, scale, nodes, ranks, bw, rep } = cell;
  await copyText(folder, {
    file: FILES.runs,
    text: lines.join('\n'),
    columns: { root: 'INTEGER', ct: 'DOUBLE', teps: 'DOUBLE', nedge: 'DOUBLE', validate_s: 'DOUBLE' },
    select: `${literal(id)} AS cell, ${literal(role)} AS "role", ${scale}::INTEGER AS scale, ${nodes}::INTEGER AS nodes,
      ${ranks}::INTEGER AS ranks, ${bw}::DOUBLE AS bw, ${rep}::INTEGER AS rep, root, ct, teps, nedge, validate_s`,
  });
}

/** phases.parquet or messages.parquet from CSV with a header: the columns of the table, NULL where not given, then the keys. */
export async function writeTrace(
  folder: string,
  { cell, csv, file, columns }: { cell: string; csv: string; file: string; columns: readonly TraceColumn[] },
): Promise<void> {
  const names = headerOf(csv);
  const end = csv.indexOf('\n');
  const typeOf = (name: string): string => columns.find((known) => known.name === name)?.type ?? 'BIGINT';
  const given = columns.map(({ name, type }) => (names.includes(name) ? identifier(name) : `NULL::${type} AS ${name}`));
  await copyText(folder, {
    file,
    text: end < 0 ? '' : csv.slice(end + 1),
    columns: Object.fromEntries(names.map((name) => [name, typeOf(name)])),
    select: [`${literal(cell)} AS cell`, ...given, ...keysOf(names, columns).map(identifier)].join(', '),
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
      await writeFile(path, host.text.slice(0, host.text.lastIndexOf('\n') + 1));
      written.push(path);
    }
    // A killed sampler may leave half a line: a line without four columns is skipped, not an error.
    const source = readCsv(path, { columns, separator: '\t', tolerant: true });
    parts.push(
      `SELECT ${literal(cell)} AS cell, ${literal(host.host)} AS host, * FROM ${source} WHERE isfinite(value)`,
    );
  }
  if (parts.length > 0) await copyTo(join(folder, FILES.samples), `(${parts.join(' UNION ALL ')})`);
  await Promise.all(written.map((path) => rm(path)));
}

interface TextTable {
  /** The Parquet file. */
  readonly file: string;
  readonly text: string;
  /** Name -> SQL type, in the text's order. */
  readonly columns: Readonly<Record<string, string>>;
  readonly select: string;
}

async function copyText(folder: string, { file, text, columns, select }: TextTable): Promise<void> {
  const path = join(folder, `${file}.tmp`);
  await writeFile(path, text);
  await copyTo(join(folder, file), `(SELECT ${select} FROM ${readCsv(path, { columns, separator: ',' })})`);
  await rm(path);
}

function readCsv(
  path: string,
  {
    columns,
    separator,
    tolerant = false,
  }: Pick<TextTable, 'columns'> & { readonly separator: string; readonly tolerant?: boolean },
): string {
  const types = Object.entries(columns).map(([name, type]) => `${literal(name)}: ${literal(type)}`);
  const lenient = tolerant ? ", comment = '#', ignore_errors = true, strict_mode = false, new_line = '\\n'" : '';
  return `read_csv(${pathLiteral(path)}, auto_detect = false, header = false, hive_partitioning = false, quote = '', escape = '',
    delim = ${literal(separator)}, columns = {${types.join(', ')}}${lenient})`;
}
