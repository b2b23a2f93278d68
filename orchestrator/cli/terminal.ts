import { printable } from '../../base/text.ts';

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

const INKS = { warning: '\u001b[33m', failed: '\u001b[31m' } as const;
const PLAIN = '\u001b[0m';

/** Characters of a line: of the terminal, or as COLUMNS says; without end where neither is known. */
export function widthOf({ isTTY, columns }: Stream, { COLUMNS }: Readonly<NodeJS.ProcessEnv> = process.env): number {
  const said = Number(COLUMNS);
  if (Number.isInteger(said) && said > 0) return said;
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}

/** Text in the colour of its meaning, on terminals alone and not where NO_COLOR is set (no-color.org). */
export function paint(
  text: string,
  ink: keyof typeof INKS,
  { isTTY }: Pick<Stream, 'isTTY'> = process.stderr,
  { NO_COLOR = '', TERM }: Readonly<NodeJS.ProcessEnv> = process.env,
): string {
  const safe = printable(text);
  return isTTY && NO_COLOR === '' && TERM !== 'dumb' ? `${INKS[ink]}${safe}${PLAIN}` : safe;
}
