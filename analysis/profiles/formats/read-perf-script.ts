// What `perf script` prints: a line on a sample, its frames from the innermost out, an empty line. https://man7.org/linux/man-pages/man1/perf-script.1.html
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { perfFrame } from '../../../experiments/stacks/perf-script.ts';
import type { ProfileFile } from './profile-file.ts';
import type { ReadOptions, Recording } from './recording.ts';
import { RecordingBuilder } from './recording-builder.ts';

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
/** Of a tracepoint it holds all that the event says. */
const LONGEST_HEAD = 1 << 16;
/** The kernel cuts off what is deeper (kernel.perf_event_max_stack). */
const DEEPEST = 127;

/** Samples of one event, by command: each counts 1. With several events in the file `value` must name one. */
export function readPerfScript(file: ProfileFile, { value }: ReadOptions): Recording | null {
  if (!looksLikePerf(file.bytes)) return null;
  if (!file.endsWithLine) throw file.refuse(file.lineAt(file.bytes.length - 1), 'the file is truncated in this line');
  const samples = new PerfSamples(file);
  for (const { text, line } of file.lines()) samples.read(text, line);
  samples.finish();
  return samples.recordingOf(value);
}

/** Whether the first line that is no comment is the head of a sample. */
export function looksLikePerf(bytes: Buffer): boolean {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(10, start);
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
  readonly #events = new Map<string, RecordingBuilder>();
  #open: { readonly head: Head; readonly line: number; readonly frames: string[] } | null = null;
  #lost = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;
  #line = 0;

  constructor(file: ProfileFile) {
    this.#file = file;
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
    if (lost !== null) this.#lost += Number(lost[1]);
    if (head.rest.includes('PERF_RECORD_') || head.event.startsWith('PERF_RECORD_')) return;
    if (head.seconds !== null) {
      this.#first = Math.min(this.#first, head.seconds);
      this.#last = Math.max(this.#last, head.seconds);
    }
    // A recording without call stacks has its only frame in the same line.
    const frame = /^[0-9a-f]+[ \t]/.test(head.rest) ? perfFrame(head.rest) : null;
    if (frame !== null) this.#add(head, [frame.symbol]);
    else this.#open = { head, line, frames: [] };
  }

  #close(): void {
    if (this.#open === null) return;
    const { head, line, frames } = this.#open;
    this.#open = null;
    if (frames.length === 0) this.#builderOf(head.event).problems.add('sample without a stack', line);
    this.#add(head, frames);
  }

  #add({ command, event }: Head, frames: readonly string[]): void {
    const builder = this.#builderOf(event);
    if (frames.length >= DEEPEST) builder.truncated += 1;
    builder.add([command, ...frames.toReversed()], 1);
  }

  #builderOf(event: string): RecordingBuilder {
    const builder = this.#events.get(event) ?? new RecordingBuilder();
    this.#events.set(event, builder);
    return builder;
  }

  finish(): void {
    if (this.#open !== null) throw this.#file.refuse(this.#line, 'the file is truncated within a stack');
  }

  recordingOf(wanted: string | undefined): Recording {
    const names = [...this.#events.keys()];
    const event = wanted === undefined && names.length === 1 ? names[0] : wanted;
    const builder = event === undefined ? undefined : this.#events.get(event);
    if (builder === undefined) {
      if (names.length === 0) throw badInput(`${this.#file.path} has no samples: record again, for longer.`);
      const all = names.map((name) => name || '(unnamed)').join(', ');
      throw badInput(`${this.#file.path} has samples of ${all}: choose one with --value.`);
    }
    builder.lost = this.#lost;
    const isTimed = this.#last >= this.#first;
    return builder.build('samples', { durationNs: isTimed ? Math.round((this.#last - this.#first) * 1e9) : null });
  }
}
