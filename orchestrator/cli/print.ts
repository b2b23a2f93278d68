import { once } from 'node:events';

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

/** Warnings that differ only in their host and numbers, once, with how many there are. */
export function noteAlike(warnings: readonly string[]): void {
  const groups = new Map<string, string[]>();
  for (const warning of warnings) {
    const key = warning.replace(/\[[^\]]*\]|\d[\d.]*/g, '');
    groups.set(key, [...(groups.get(key) ?? []), warning]);
  }
  for (const [first, ...others] of groups.values()) {
    note(`predict: ${first}${others.length > 0 ? ` (And ${others.length} more like it.)` : ''}`);
  }
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
