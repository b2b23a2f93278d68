// What `perf script` prints: a line on a sample, its frames from the innermost out, an empty line. https://man7.org/linux/man-pages/man1/perf-script.1.html
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { perfFrame } from '../../../experiments/stacks/perf-script.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import type { ProfileFile } from './profile-file.ts';

/**
 * `comm pid/tid [cpu] time:`, then what `rest` takes apart. A command has 16 characters, of a kernel thread up to 64; what fills the
 * columns is no longer.
 */
const TIMED =
  /^[ \t]*(\S.{0,63}?)[ \t]{1,99}-?\d+(?:\/-?\d+)?(?:[ \t]{1,99}\[\d+\])?[ \t]{1,99}(\d{1,12}\.\d{1,9}):(.*)$/s;
/** The same without a time: then the event must be there, and no `;` as in collapsed text. */
const UNTIMED =
  /^[ \t]*([^\s;][^;]{0,63}?)[ \t]{1,99}-?\d+(?:\/-?\d+)?(?:[ \t]{1,99}\[\d+\])?()[ \t]{1,99}((?:\d+[ \t]{1,99})?[^ \t;]+:.*)$/s;
/** Neither: then a frame must follow, or it is a line of collapsed text. */
const BARE = /^[ \t]*([^\s;][^;]{0,63}?)[ \t]{1,99}-?\d+(?:\/-?\d+)?(?:[ \t]{1,99}\[\d+\])?[ \t]*$/;
/** `period event: rest`; each may be missing. */
const EVENT = /^[ \t]*(?:\d+[ \t]+)?([^ \t]+):(?:[ \t]+(.*))?$/s;
/** `-F +srcline` writes it below its frame. */
const SOURCE_LINE = /^[ \t]+\S+:\d+$/;
const LOST = /PERF_RECORD_LOST(?:_SAMPLES)?:? lost:? (\d+)/;
/** Modifiers of an event, such as the `:ppp` in `cycles:ppp`. */
const MODIFIERS = /(?<=.):[ukhGHIpPSDeW]+$/;
const LF = 10;
/** Of a tracepoint it holds all that the event says. */
const LONGEST_HEAD = 1 << 16;
/** The kernel cuts off what is deeper (kernel.perf_event_max_stack). */
const DEEPEST = 127;

/** Samples of one event, by command: each counts 1. With several events in the file `value` must name one. */
export function readPerfScript(file: ProfileFile, options: ReadOptions): ReadProfile {
  const end = file.bytes.length - 1;
  if (file.bytes[end] !== LF) throw file.refuse(file.lineAt(end), 'the file is truncated in this line');
  const samples = new PerfSamples(file, options);
  for (const { text, line } of file.lines()) samples.read(text, line);
  return samples.finish();
}

/** Whether the first line that is no comment is the head of a sample. */
export function looksLikePerf({ bytes }: ProfileFile): boolean {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found < 0 ? bytes.length : found;
    const text = bytes.toString('latin1', start, Math.min(end, start + LONGEST_HEAD)).trimEnd();
    if (text !== '' && !text.startsWith('#')) {
      const isBare =
        BARE.test(text) && /^[ \t]+[0-9a-f]+(?:[ \t]|\r?\n)/.test(bytes.toString('latin1', end + 1, end + 81));
      return isBare || (!BARE.test(text) && headOf(text) !== null);
    }
    start = end + 1;
  }
  return false;
}

interface Head {
  readonly command: string;
  readonly seconds: number | null;
  readonly event: string;
  /** What follows the event on the same line. */
  readonly rest: string;
}

function headOf(text: string): Head | null {
  if (text.length > LONGEST_HEAD) return null;
  const match = TIMED.exec(text) ?? UNTIMED.exec(text) ?? BARE.exec(text);
  if (match === null) return null;
  const [, command = '', time = '', after = ''] = match;
  const event = EVENT.exec(after);
  if (event === null && after.trim() !== '' && !after.includes('PERF_RECORD_')) return null;
  return {
    command,
    seconds: time === '' ? null : Number(time),
    event: (event?.[1] ?? '').replace(MODIFIERS, ''),
    rest: event?.[2] ?? after,
  };
}

/** Follows the lines: a head, its frames, an empty line. */
class PerfSamples {
  readonly #file: ProfileFile;
  readonly #options: ReadOptions;
  readonly #builder: ProfileBuilder;
  readonly #events = new Set<string>();
  #open: { readonly head: Head; readonly line: number; readonly frames: string[] } | null = null;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #line = 0;

  constructor(file: ProfileFile, options: ReadOptions) {
    this.#file = file;
    this.#options = options;
    this.#builder = new ProfileBuilder(options);
  }

  read(text: string, line: number): void {
    this.#line = line;
    if (text.trim() === '') {
      this.#close();
      return;
    }
    if (text.startsWith('#')) return;
    if (this.#open !== null && /^[ \t]/.test(text)) {
      const frame = perfFrame(text);
      if (frame !== null) this.#open.frames.push(frame.symbol);
      else if (!SOURCE_LINE.test(text)) {
        throw this.#file.refuse(line, `'${shortened(text.trim())}' is neither a frame nor a sample header`);
      }
      return;
    }
    if (this.#open !== null)
      throw this.#file.refuse(line, 'a sample begins before the empty line that ends the last one');
    this.#begin(text, line);
  }

  #begin(text: string, line: number): void {
    const head = headOf(text);
    if (head === null) {
      throw this.#file.refuse(line, `'${shortened(text.trim())}' is not a sample header`);
    }
    const lost = LOST.exec(head.rest);
    if (lost !== null) this.#builder.lost += Number(lost[1]);
    if (head.rest.includes('PERF_RECORD_') || head.event.startsWith('PERF_RECORD_')) return;
    if (head.seconds !== null) {
      this.#first = Math.min(this.#first, head.seconds);
      this.#last = Math.max(this.#last, head.seconds);
    }
    // A recording without call stacks has its only frame in the same line.
    const frame = /^[0-9a-f]+[ \t]/.test(head.rest) ? perfFrame(head.rest) : null;
    if (frame !== null) this.#add(head, [frame.symbol], line);
    else this.#open = { head, line, frames: [] };
  }

  #close(): void {
    if (this.#open === null) return;
    const { head, line, frames } = this.#open;
    this.#open = null;
    this.#add(head, frames, line);
  }

  #add({ command, event }: Head, frames: readonly string[], line: number): void {
    this.#events.add(event);
    if (event !== (this.#options.value ?? event)) return;
    if (frames.length === 0) this.#builder.problems.add('sample without a stack', line);
    if (frames.length >= DEEPEST) this.#builder.truncated += 1;
    this.#builder.add([command, ...frames.toReversed()], 1);
  }

  /** Errors: badInput where the text ends within a stack, and where one of several events has to be chosen. */
  finish(): ReadProfile {
    const { path } = this.#file;
    const { value } = this.#options;
    if (this.#open !== null) throw this.#file.refuse(this.#line, 'the file is truncated within a stack');
    const events = [...this.#events];
    if (events.length === 0) throw badInput(`${path} has no samples: record again, for longer.`);
    if (value === undefined ? events.length > 1 : !this.#events.has(value)) {
      const all = events.map((name) => name || '(unnamed)').join(', ');
      throw badInput(`${path} has samples of ${all}: choose one with --value.`);
    }
    const durationNs = this.#last < this.#first ? null : Math.round((this.#last - this.#first) * 1e9);
    return this.#builder.build(path, 'samples', { durationNs });
  }
}
