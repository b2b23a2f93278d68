/** The rows of a table that a command printed, by the titles of its columns; columns stand two blanks apart at least. Errors: none has these titles. */
export function printedTable(text: string, titles: readonly string[]): Record<string, string>[] {
  const lines = text.split('\n');
  const words = (line: string): string[] => line.trim().split(/ {2,}/);
  const head = lines.findIndex((line) => titles.every((title) => words(line).includes(title)));
  if (head < 0) throw new Error(`no table has the columns ${titles.join(', ')}:\n${text}`);
  const names = words(lines[head] ?? '');
  const below = lines.slice(head + 1);
  const end = below.findIndex((line) => words(line).length < names.length);
  return below
    .slice(0, end < 0 ? below.length : end)
    .map((line) => Object.fromEntries(words(line).map((word, column) => [names[column] ?? '', word])));
}

const UNITS: Readonly<Record<string, number>> = { µs: 1e-6, ms: 1e-3, s: 1, min: 60 };

/** `+2.7 ms` in seconds. */
export function printedSeconds(text: string): number {
  const [, number, unit = ''] = /^([+-]?[\d.]+) (\S+)$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}
