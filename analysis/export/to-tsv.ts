import type { Table } from './create-table.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * A table as tab-separated text: a line of column names, then a line per row, each ended by a newline. In text, backslash,
 * tab, newline and carriage return are `\\`, `\t`, `\n` and `\r`; numbers read back as the same double, NaN is empty.
 */
export function toTsv({ columns }: Table): string {
  const rows = columns[0]?.values.length ?? 0;
  const lines = [columns.map(({ name }) => cell(name)).join('\t')];
  for (let row = 0; row < rows; row += 1) lines.push(columns.map(({ values }) => cell(values[row])).join('\t'));
  return `${lines.join('\n')}\n`;
}

function cell(value: string | number | undefined): string {
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? found);
  return value === undefined || Number.isNaN(value) ? '' : String(value);
}
