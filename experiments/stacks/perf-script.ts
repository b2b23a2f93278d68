import { basename } from 'node:path';
import { linesIn } from '../../base/line-reader.ts';

// `perf script --ns -F pid,tid,time,event,ip,sym,dso --show-switch-events --show-lost-events`: a line per event, the frames of a
// sample below it from the innermost out, a blank line behind them (perf-script(1), tools/perf/builtin-script.c).

/** Times are ns since `baseS`, a whole second of the clock that was recorded by. */
export type PerfEvent =
  | { readonly kind: 'sample'; readonly event: string; readonly frames: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'out'; readonly preempted: boolean }
  | { readonly kind: 'in' }
  | { readonly kind: 'lost'; readonly count: number };

export interface PerfLine {
  readonly pid: number;
  readonly tid: number;
  readonly timeNs: number;
  readonly what: PerfEvent;
}

const HEAD = /^\s*(\d{1,10})\/(\d{1,10})\s+(\d{1,12})\.(\d{9}):\s*(.*)$/s;
/** The address of a frame that the unwinder could not go beyond. */
const NOWHERE = 'ffffffffffffffff';
/** What starts a program's main function. */
const BEFORE_MAIN = /^(_start|__libc_start_.*)$/;
/** No line is so long, bytes. */
const LONGEST_LINE = 65_536;

/**
 * Reads events in the order of their text, from its pieces. `strange` is told of lines that are none of perf's; an event that was
 * cut off at the end of the text is let go.
 */
export async function* readPerfEvents(
  pieces: Iterable<string> | AsyncIterable<string>,
  { baseS, strange }: { readonly baseS: number; readonly strange: (line: string) => void },
): AsyncGenerator<PerfLine> {
  let head: RegExpExecArray | null = null;
  let frames: { name: string; isEnd: boolean }[] = [];
  const sample = (): PerfLine | null => {
    const ended = head && sampleOf(head, frames, baseS);
    head = null;
    frames = [];
    return ended;
  };
  for await (const line of linesOf(pieces)) {
    if (line === '') {
      const ended = sample();
      if (ended !== null) yield ended;
      continue;
    }
    const frame = head === null || !/^\s/.test(line) ? null : perfFrame(line);
    if (frame !== null) {
      frames.push(nameOf(frame));
      continue;
    }
    const ended = sample();
    if (ended !== null) yield ended;
    const found = HEAD.exec(line.trimEnd());
    const other = found && otherEvent(found, baseS);
    if (other) yield other;
    else if (found && /:$/.test(found[5] ?? '')) head = found;
    else if (found === null) strange(line);
  }
}

async function* linesOf(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of linesIn(pieces, LONGEST_LINE)) yield* lines;
}

function placeOf([, pid, tid, seconds, ns]: RegExpExecArray, baseS: number): Omit<PerfLine, 'what'> {
  return { pid: Number(pid), tid: Number(tid), timeNs: (Number(seconds) - baseS) * 1e9 + Number(ns) };
}

/** Switches and losses have no frames. */
function otherEvent(head: RegExpExecArray, baseS: number): PerfLine | null {
  const found = /^PERF_RECORD_(SWITCH IN|SWITCH OUT|LOST)\S*(.*)$/s.exec(head[5] ?? '');
  if (found === null) return null;
  const [, name, rest = ''] = found;
  const what: PerfEvent =
    name === 'SWITCH IN'
      ? { kind: 'in' }
      : name === 'SWITCH OUT'
        ? { kind: 'out', preempted: rest.includes('preempt') }
        : { kind: 'lost', count: Number(/lost (\d{1,15})/.exec(rest)?.[1] ?? 1) };
  return { ...placeOf(head, baseS), what };
}

function sampleOf(
  head: RegExpExecArray,
  found: readonly { readonly name: string; readonly isEnd: boolean }[],
  baseS: number,
): PerfLine {
  const isOpen = found.at(-1)?.isEnd === true;
  const frames = found.flatMap(({ name, isEnd }) => (isEnd ? [] : [name])).reverse();
  const main = frames.indexOf('main');
  const started = main > 0 && frames.slice(0, main).every((name) => BEFORE_MAIN.test(name));
  const event = (head[5] ?? '').replace(/:$/, '').replace(/^\d+\s+/, '');
  return {
    ...placeOf(head, baseS),
    what: {
      kind: 'sample',
      event,
      frames: started ? frames.slice(main) : frames,
      isCut: isOpen && main < 0,
    },
  };
}

/** A frame without a symbol is named for the file that it lies in. */
function nameOf({ address, symbol, place }: PerfFrame): { name: string; isEnd: boolean } {
  if (symbol !== UNKNOWN_FRAME) return { name: collapsible(symbol), isEnd: false };
  const file = basename((place ?? UNKNOWN_FRAME).replace(/ \(deleted\)$/, ''));
  return { name: file === UNKNOWN_FRAME ? symbol : collapsible(`[${file}]`), isEnd: address === NOWHERE };
}

// A frame as perf script prints it below a sample: address, symbol, and with some fields its offset and its file (perf-script(1),
// tools/perf/util/evsel_fprintf.c).

/** Without a symbol perf prints this; so do profiles that name no function. */
export const UNKNOWN_FRAME = '[unknown]';

interface PerfFrame {
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
