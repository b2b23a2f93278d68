// `perf script --ns -F pid,tid,time,event,ip,sym,dso --show-switch-events --show-lost-events`: a line per event, the frames of a
// sample below it from the innermost out, a blank line behind them (perf-script(1), tools/perf/builtin-script.c).
import { basename } from 'node:path';
import { linesIn } from '../../base/line-reader.ts';
import { collapsible, type PerfFrame, perfFrame, UNKNOWN_FRAME } from './perf-frame.ts';

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
