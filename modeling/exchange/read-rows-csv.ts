// Format: https://www.rfc-editor.org/rfc/rfc4180, with LF or CRLF, an optional BOM, and a header line.
import { readFile } from 'node:fs/promises';
import { badInput, csvFields, messageOf } from '../../base/index.ts';
import { columnProblem, emptyRows, type Rows } from '../rows.ts';

const COLUMNS = ['scale', 'nodes', 'bw', 'ct'] as const;
type Column = (typeof COLUMNS)[number];

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Reads measurements: columns scale, n (or nodes), bw (percent) and ct (seconds) in any order; others (rep) are ignored.
 * Errors name the file, the line and the value.
 */
export async function readRowsCsv(path: string): Promise<Rows> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw badInput(`${path} cannot be read: ${messageOf(error)}.`, error);
  }
  return parseRowsCsv(text, path);
}

/** As `readRowsCsv`, from text; `source` names it in errors. */
export function parseRowsCsv(text: string, source: string): Rows {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const places = findColumns(csvFields((lines[0] ?? '').trimEnd()), source);
  const needed = Math.max(...Object.values(places)) + 1;
  // The exact size first: a typed array cannot grow.
  const rows = emptyRows(lines.reduce((count, line, index) => count + (index > 0 && !isBlank(line) ? 1 : 0), 0));
  if (rows.length === 0) throw badInput(`${source} has a header but no rows: nothing was measured, or it was cut off.`);
  const seen: Record<Column, Map<string, number>> = {
    scale: new Map(),
    nodes: new Map(),
    bw: new Map(),
    ct: new Map(),
  };
  let row = 0;
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (isBlank(line)) continue;
    const fields = csvFields(line.trimEnd());
    if (fields.length < needed) {
      throw badInput(`${source}, line ${index + 1}: '${line.trim()}' has ${fields.length} of ${needed} fields.`);
    }
    for (const column of COLUMNS) {
      const field = fields[places[column]] ?? '';
      // Coordinates repeat from row to row, times do not.
      let value = column === 'ct' ? undefined : seen[column].get(field);
      if (value === undefined) {
        value = parseField(column, field, `${source}, line ${index + 1}`);
        if (column !== 'ct') seen[column].set(field, value);
      }
      rows[column][row] = value;
    }
    row += 1;
  }
  return rows;
}

function findColumns(header: readonly string[], source: string): Record<Column, number> {
  const names = header.map((name) => name.trim().toLowerCase()).map((name) => (name === 'n' ? 'nodes' : name));
  if (names.every((name) => name === '')) {
    throw badInput(`${source} is empty: its first line must name the columns, such as scale,n,bw,rep,ct.`);
  }
  const place = (column: Column): number => {
    const label = column === 'nodes' ? 'n (or nodes)' : column;
    const index = names.indexOf(column);
    if (index < 0) {
      throw badInput(`${source}, line 1: no column ${label} in '${header.join(',').trim()}': add it to the header.`);
    }
    if (names.indexOf(column, index + 1) >= 0) {
      throw badInput(`${source}, line 1: two columns ${label} in '${header.join(',').trim()}': keep one.`);
    }
    return index;
  };
  return { scale: place('scale'), nodes: place('nodes'), bw: place('bw'), ct: place('ct') };
}

function parseField(column: Column, field: string, where: string): number {
  const trimmed = field.trim();
  const value = NUMBER.test(trimmed) ? Number(trimmed) : Number.NaN;
  const problem = columnProblem(column, value);
  if (problem) throw badInput(`${where}: ${column === 'nodes' ? 'n' : column} is '${trimmed}': ${problem}.`);
  return value;
}

function isBlank(line: string): boolean {
  return line === '' || line === '\r' || line.trim() === '';
}
