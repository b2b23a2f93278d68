// A frame as perf script prints it below a sample: address, symbol, and with some fields its offset and its file (perf-script(1),
// tools/perf/util/evsel_fprintf.c).

/** Without a symbol perf prints this; so do profiles that name no function. */
export const UNKNOWN_FRAME = '[unknown]';

export interface PerfFrame {
  /** In hex, without 0x. */
  readonly address: string;
  /** Without its offset; `[unknown]` where there is none. Its own parentheses stay. */
  readonly symbol: string;
  /** The file that it lies in, or what perf says in its place, such as `inlined`; null where it is not printed. */
  readonly place: string | null;
}

const FRAME = /^[ \t]*([0-9a-f]{1,16})(?:[ \t]+(.*))?$/s;
const OFFSET = /\+0x[0-9a-f]+/g;

/** Null for a line that is none. */
export function perfFrame(line: string): PerfFrame | null {
  const [, address, text = ''] = FRAME.exec(line) ?? [];
  if (address === undefined) return null;
  const { end, from } = withOffset(text) ?? withPlace(text) ?? { end: text.length, from: text.length };
  const symbol = text.slice(0, end);
  const place = from < text.length ? text.slice(from, -1) : null;
  return { address, symbol: symbol.trim() === '' ? UNKNOWN_FRAME : symbol, place };
}

/** Where a symbol ends, and where what stands in parentheses behind it begins. */
interface Ends {
  readonly end: number;
  readonly from: number;
}

/** Behind an offset, whatever stands there. */
function withOffset(text: string): Ends | null {
  for (const { 0: offset, index } of text.matchAll(OFFSET)) {
    const after = index + offset.length;
    if (after === text.length) return { end: index, from: after };
    if (text.startsWith(' (', after) && text.endsWith(')') && text.length > after + 2)
      return { end: index, from: after + 2 };
  }
  return null;
}

/** Paths, and what stands for one, may have blanks and parentheses themselves. */
function withPlace(text: string): Ends | null {
  if (!text.endsWith(')')) return null;
  for (let end = text.indexOf(' ('); end >= 0; end = text.indexOf(' (', end + 1)) {
    const from = end + 2;
    const isPath = ['/', 'anon_inode:', 'memfd:'].some((beginning) => text.startsWith(beginning, from));
    const isKind = text.startsWith('[', from) && text.endsWith('])') && text.length >= from + 3;
    if (isPath || isKind || (text.startsWith('inlined)', from) && text.length === from + 8)) return { end, from };
  }
  return null;
}

/** A name as a frame of collapsed text may have it, where `;` and ends of lines have a meaning. */
export function collapsible(name: string): string {
  const text = name.replaceAll(';', ':').replace(/[\r\n]+/g, ' ');
  return text.trim() === '' ? UNKNOWN_FRAME : text;
}
