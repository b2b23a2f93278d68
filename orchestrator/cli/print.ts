import { once } from 'node:events';
import { groupAlike } from '../../base/index.ts';

/** Results go to stdout; progress and warnings to stderr. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** JSON that is made piece by piece: each is written before the next is made. */
export async function printPieces(pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
  process.stdout.write('\n');
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Warnings, those that are alike once. */
export function noteAlike(warnings: readonly string[]): void {
  for (const warning of groupAlike(warnings)) note(`predict: ${warning}`);
}

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

/** A plain table: columns as wide as their widest cell. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) =>
          columns[index]?.align === 'right' ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
