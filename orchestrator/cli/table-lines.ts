/** One column: its title and its cells, words (`padEnd`) or numbers. */
export interface TextColumn {
  readonly pad: 'padStart' | 'padEnd';
  readonly texts: readonly string[];
}

const GAP = '  ';
/** A column of words gets no narrower. */
const NARROWEST = 12;

/**
 * The lines of a table that is at most `width` wide: columns of words are folded where that is enough; else each row becomes lines of
 * `title  cell`.
 */
export function tableLines(columns: readonly TextColumn[], width: number): readonly string[] {
  const widths = columns.map(({ texts }) => Math.max(0, ...texts.map(({ length }) => length)));
  const excess = (): number => widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - width;
  while (excess() > 0) {
    const words = columns.flatMap(({ pad }, index) => (pad === 'padEnd' ? [index] : []));
    const widest = words.reduce(
      (best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
      words[0] ?? -1,
    );
    const now = widths[widest] ?? 0;
    if (now <= NARROWEST) return stacked(columns, width);
    widths[widest] = Math.max(NARROWEST, now - excess());
  }
  const count = columns[0]?.texts.length ?? 0;
  return Array.from({ length: count }, (_, row) => {
    const cells = columns.map(({ texts }, index) => fold(texts[row] ?? '', widths[index] ?? 0));
    const height = Math.max(1, ...cells.map(({ length }) => length));
    return Array.from({ length: height }, (__, line) =>
      columns
        .map(({ pad }, index) => (cells[index]?.[line] ?? '')[pad](widths[index] ?? 0))
        .join(GAP)
        .trimEnd(),
    );
  }).flat();
}

function stacked(columns: readonly TextColumn[], width: number): readonly string[] {
  const titles = columns.map(({ texts }) => texts[0] ?? '');
  const wide = Math.max(...titles.map(({ length }) => length));
  const rows = (columns[0]?.texts.length ?? 1) - 1;
  return Array.from({ length: rows }, (_, row) => [
    ...(row === 0 ? [] : ['']),
    ...columns.flatMap(({ texts }, index) => {
      const [first = '', ...more] = fold(texts[row + 1] ?? '', Math.max(NARROWEST, width - wide - GAP.length));
      const indent = ' '.repeat(wide + GAP.length);
      return [`${(titles[index] ?? '').padEnd(wide)}${GAP}${first}`.trimEnd(), ...more.map((line) => indent + line)];
    }),
  ]).flat();
}

/** Folds at spaces, and inside words that are too long. */
function fold(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const cut = space > 0 ? space : width;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...lines, rest];
}
