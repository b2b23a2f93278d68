// Format: https://www.rfc-editor.org/rfc/rfc4180, with LF or CRLF, an optional BOM, and a header line.
import { at } from '../../base/at.ts';
import { badInput, csvFields, shortened } from '../../base/index.ts';
import { COLUMNS, columnProblem, emptyRows, type Rows } from '../rows.ts';
import { parseFinite } from './text.ts';

type Column = (typeof COLUMNS)[number];

/**
 * Reads measurements: columns scale, n (or nodes), bw (percent) and ct (seconds) in any order; others (rep) are ignored.
 * Errors name the source, the line and the value.
 */
export function parseRowsCsv(text: string, source: string): Rows {
  // Line by line: all lines at once would be a million texts.
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  const nextLine = (): string => {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end).trimEnd();
    from = end < 0 ? text.length : end + 1;
    return line;
  };
  const fieldsOf = (line: string, number: number): string[] => {
    const fields = csvFields(line);
    if (fields !== null) return fields;
    throw badInput(`${source}, line ${number}: '${shortened(line)}' has an unclosed or undoubled quote.`);
  };
  const places = findColumns(fieldsOf(nextLine(), 1), source);
  const needed = Math.max(...Object.values(places)) + 1;
  // A typed array cannot grow: as many places as lines of the shortest row, 1,1,1,1, could need; the rest is cut off.
  const all = emptyRows(Math.ceil((text.length - from) / 8));
  const seen = { scale: new Map<string, number>(), nodes: new Map<string, number>(), bw: new Map<string, number>() };
  let length = 0;
  for (let number = 2; from < text.length; number += 1) {
    const line = nextLine();
    if (line === '') continue;
    const fields = fieldsOf(line, number);
    if (fields.length < needed) {
      throw badInput(`${source}, line ${number}: '${line.trim()}' has ${fields.length} of ${needed} fields.`);
    }
    for (const column of COLUMNS) {
      const field = at(fields, places[column]);
      // Coordinates repeat from row to row, times do not.
      let value = column === 'ct' ? undefined : seen[column].get(field);
      if (value === undefined) {
        value = parseField(column, field, { source, number });
        if (column !== 'ct') seen[column].set(field, value);
      }
      all[column][length] = value;
    }
    length += 1;
  }
  if (length === 0)
    throw badInput(`${source} has a header but no rows: nothing was measured, or the file is truncated.`);
  const cut = (column: Column): Float64Array => all[column].subarray(0, length);
  return { length, scale: cut('scale'), nodes: cut('nodes'), bw: cut('bw'), ct: cut('ct') };
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

function parseField(
  column: Column,
  field: string,
  { source, number }: { readonly source: string; readonly number: number },
): number {
  const trimmed = field.trim();
  const value = parseFinite(trimmed) ?? Number.NaN;
  const problem = columnProblem(column, value);
  if (problem)
    throw badInput(`${source}, line ${number}: ${column === 'nodes' ? 'n' : column} is '${trimmed}': ${problem}.`);
  return value;
}
