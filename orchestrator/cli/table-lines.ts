/** One column: its title and its cells, words (`padEnd`) or numbers. */
export interface TextColumn {
  readonly pad: 'padStart' | 'padEnd';
  readonly texts: readonly string[];
}

const GAP = '  ';
/** A column of words gets no narrower. */
const NARROWEST = 12;

/**
 * The lines of a table that is at most `width` wide: titles of numbers are folded, then columns of words, last inside words, where that is enough; else each row
 * becomes lines of `title  cell`.
 */
export function tableLines(columns: readonly TextColumn[], width: number): readonly string[] {
  const widths = columns.map(({ texts }) => longestOf(texts));
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1) - width;
  for (const leastOf of [asTitles, asWords, asPieces]) {
    const spare = columns.map((column, index) =>
      Math.max(0, (widths[index] ?? 0) - (leastOf(column) ?? Number.POSITIVE_INFINITY)),
    );
    while (excess > 0 && spare.some((each) => each > 0)) {
      const widest = widestOf(widths, spare);
      const taken = Math.min(spare[widest] ?? 0, excess);
      widths[widest] = (widths[widest] ?? 0) - taken;
      spare[widest] = 0;
      excess -= taken;
    }
  }
  if (excess > 0) return stacked(columns, width);
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

/** How narrow a column may become: numbers are never folded, their titles between words; null for a column that stays. */
function asTitles({ pad, texts: [title = '', ...cells] }: TextColumn): number | null {
  return pad === 'padEnd' ? null : Math.max(longestOf(cells), longestOf(title.split(' ')));
}

function asWords({ pad, texts }: TextColumn): number | null {
  return pad === 'padEnd' ? Math.max(NARROWEST, longestOf(texts.flatMap((text) => text.split(' ')))) : null;
}

function asPieces({ pad }: TextColumn): number | null {
  return pad === 'padEnd' ? NARROWEST : null;
}

function longestOf(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

/** The widest column that has something to spare. */
function widestOf(widths: readonly number[], spare: readonly number[]): number {
  return widths.reduce((best, wide, index) => {
    return (spare[index] ?? 0) > 0 && (best < 0 || wide > (widths[best] ?? 0)) ? index : best;
  }, -1);
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

/**
 * Text whose lines are at most `width` wide, folded at spaces, each below its own beginning; a longer word stays whole, so that paths can
 * be copied.
 */
export function foldText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ *(?:- )?/.exec(line)?.[0].length ?? 0;
      const room = Math.max(1, width - indent);
      const [first = '', ...more] = line.length <= width ? [line.slice(indent)] : wordsIn(line.slice(indent), room);
      return [line.slice(0, indent) + first, ...more.map((each) => ' '.repeat(indent) + each)];
    })
    .join('\n');
}

function wordsIn(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
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
