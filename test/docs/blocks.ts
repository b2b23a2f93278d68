/** A code block of a page (https://spec.commonmark.org/0.31.2/#code-spans and the sections on indented and fenced blocks). */
export interface Block {
  readonly page: string;
  /** Of its first line of text, from 1. */
  readonly line: number;
  /** What stands behind the fence: sh, yaml, sql, cypher or text; indented blocks are commands too. */
  readonly language: string;
  readonly lines: readonly string[];
  /** From comments before it, `<!-- not run (WHY): BEGINNING; BEGINNING -->`. */
  readonly marks: readonly NotRun[];
}

/** Lines that begin so are read, and not run. */
export interface NotRun {
  readonly why: string;
  readonly beginnings: readonly string[];
}

const MARK = /^<!-- not run \(([^)]+)\): (.+) -->$/;

/** All code blocks of a page in Markdown. */
export function blocksOf(page: string, markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let marks: NotRun[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const mark = MARK.exec(line);
    if (mark !== null) marks.push({ why: mark[1] ?? '', beginnings: (mark[2] ?? '').split('; ') });
    const fence = /^( *)```(\w*)$/.exec(line);
    const isIndented = /^ {4}/.test(line) && (lines[at - 1] ?? '') === '';
    if (fence === null && !isIndented) {
      if (mark === null && line !== '') marks = [];
      continue;
    }
    const first = fence === null ? at : at + 1;
    const end = fence === null ? endOfIndented(lines, at) : lines.indexOf(`${fence[1]}\`\`\``, first);
    if (end < 0) throw new Error(`${page}:${at + 1}: a block without an end`);
    const text = lines.slice(first, end);
    const indent = Math.min(...text.filter((each) => each !== '').map((each) => each.search(/\S/)));
    blocks.push({
      ...{ page, line: first + 1, language: fence === null ? 'sh' : (fence[2] ?? ''), marks },
      lines: text.map((each) => each.slice(indent)),
    });
    marks = [];
    at = end;
  }
  return blocks;
}

function endOfIndented(lines: readonly string[], start: number): number {
  let end = start;
  for (let at = start; /^ {4}|^$/.test(lines[at] ?? 'x'); at += 1) if (lines[at] !== '') end = at + 1;
  return end;
}

/** The targets of a page's links and pictures, with their lines. */
export function linksOf(markdown: string): readonly { readonly line: number; readonly target: string }[] {
  return markdown.split('\n').flatMap((text, index) => {
    const links = text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g);
    return [...links].map(([, target = '']) => ({ line: index + 1, target }));
  });
}

/** The fragment by which a heading is linked to, as GitHub makes it. */
export function fragmentsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
