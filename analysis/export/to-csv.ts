import type { Table } from './create-table.ts';

/** A table as CSV (RFC 4180): a line of column names, then a line per row, each ended by a newline; NaN is empty. */
export function toCsv({ columns }: Table): string {
  const rows = columns[0]?.values.length ?? 0;
  const lines = [columns.map(({ name }) => cell(name)).join(',')];
  for (let row = 0; row < rows; row += 1) lines.push(columns.map(({ values }) => cell(values[row])).join(','));
  return `${lines.join('\n')}\n`;
}

function cell(value: string | number | undefined): string {
  if (typeof value === 'number') return Number.isNaN(value) ? '' : String(value);
  const text = value ?? '';
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
