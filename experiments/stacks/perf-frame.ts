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

const FRAME = /^[ \t]*([0-9a-f]{1,16})(?:[ \t]+(.*))?$/;
/** Behind an offset, whatever stands there. */
const WITH_OFFSET = /^(.*?)\+0x[0-9a-f]+(?: \((.*)\))?$/;
/** Paths, and what stands for one, may have blanks and parentheses themselves. */
const WITHOUT = /^(.*?)(?: \((\/.*|\[.*\]|inlined|anon_inode:.*|memfd:.*)\))?$/;

/** Null for a line that is none. */
export function perfFrame(line: string): PerfFrame | null {
  const [, address, text = ''] = FRAME.exec(line) ?? [];
  if (address === undefined) return null;
  const [, symbol = text, place = null] = WITH_OFFSET.exec(text) ?? WITHOUT.exec(text) ?? [];
  return { address, symbol: symbol.trim() === '' ? UNKNOWN_FRAME : symbol, place };
}

/** A name as a frame of collapsed text may have it, where `;` and ends of lines have a meaning. */
export function collapsible(name: string): string {
  const text = name.replaceAll(';', ':').replace(/[\r\n]+/g, ' ');
  return text.trim() === '' ? UNKNOWN_FRAME : text;
}
