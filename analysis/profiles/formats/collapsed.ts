// Collapsed stacks (Brendan Gregg's stackcollapse, async-profiler `-o collapsed`): a line a stack, frames from the outermost in with `;`
// between, then a space and the samples.
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { openBytes } from '../../path/formats/open-bytes.ts';
import { CallTreeBuilder } from '../tree/builder.ts';
import { type ModeSamples, ROOT, type SampledTree, totalOf } from '../tree/call-tree.ts';
import { type Bytes, type FrameTable, memory, SEMICOLON, sameBytes } from './frame-table.ts';
import { MOST_UNPACKED } from './profile-file.ts';

const [NEWLINE, RETURN, SPACE, ZERO, NINE] = [0x0a, 0x0d, 0x20, 0x30, 0x39];
/** So many digits are a whole number without doubt. */
const SAFE_DIGITS = 15;
/** A longer line is damage: a stack of 100,000 frames with long names is a fifth of it. */
const LONGEST_STACK = 1 << 26;

/** Reads a file, `-` for standard input. Errors: badInput names the file and the line. */
export async function readCollapsed(path: string, frames: FrameTable): Promise<SampledTree> {
  const parser = new CollapsedParser(path, frames);
  for await (const piece of openBytes(path, { mostUnpacked: MOST_UNPACKED })) parser.push(piece);
  return parser.end();
}

/** Takes collapsed text piece by piece. */
export class CollapsedParser {
  readonly #what: string;
  readonly #frames: FrameTable;
  readonly #builder = new CallTreeBuilder();
  #text: Bytes = memory(1 << 12);
  /** Bytes of the line that the last piece did not end. */
  #rest = 0;
  #line = 0;
  /** What was sampled in innermost frames that told a compile mode, by frame. */
  readonly #byFrame = new Map<number, number>();

  constructor(what: string, frames: FrameTable) {
    this.#what = what;
    this.#frames = frames;
  }

  push(piece: Uint8Array): void {
    const length = this.#rest + piece.length;
    if (length > this.#text.bytes.length - 8) {
      const larger = memory(2 * length + 8);
      larger.bytes.set(this.#text.bytes.subarray(0, this.#rest));
      this.#text = larger;
    }
    this.#text.bytes.set(piece, this.#rest);
    const { bytes } = this.#text;
    // A Buffer looks for a byte many times as fast as other arrays.
    const filled = Buffer.from(bytes.buffer, 0, length);
    let start = 0;
    for (let end = filled.indexOf(NEWLINE, this.#rest); end >= 0; end = filled.indexOf(NEWLINE, start)) {
      this.#takeLine(start, end);
      start = end + 1;
    }
    this.#rest = length - start;
    if (this.#rest > LONGEST_STACK) throw this.#refused(`longer than ${LONGEST_STACK} bytes`, this.#line + 1);
    bytes.copyWithin(0, start, length);
  }

  end(): SampledTree {
    if (this.#rest > 0) this.#takeLine(0, this.#rest);
    const tree = this.#builder.finish();
    if (totalOf(tree) === 0) throw badInput(`${this.#what} has no samples: record the profile again.`);
    return { tree, modes: this.#modes() };
  }

  #takeLine(start: number, newline: number): void {
    this.#line += 1;
    const { bytes } = this.#text;
    const end = newline > start && bytes[newline - 1] === RETURN ? newline - 1 : newline;
    let digits = end;
    while (digits > start && isDigit(bytes[digits - 1] ?? 0)) digits -= 1;
    if (digits === end || bytes[digits - 1] !== SPACE || end - digits > SAFE_DIGITS) {
      if (isBlank(bytes, start, end)) return;
      throw this.#refusedCount(start, end);
    }
    let samples = 0;
    for (let at = digits; at < end; at += 1) samples = samples * 10 + (bytes[at] ?? 0) - ZERO;
    bytes[digits - 1] = SEMICOLON;
    const { node, frame } = this.#descend(start, digits - 1);
    this.#builder.add(node, samples);
    if (this.#frames.modes[frame] != null) this.#byFrame.set(frame, (this.#byFrame.get(frame) ?? 0) + samples);
  }

  /** The node of the stack from `start` to the `;` at `last`, and its innermost frame. */
  #descend(start: number, last: number): { readonly node: number; readonly frame: number } {
    const frames = this.#frames;
    const builder = this.#builder;
    const { view } = this.#text;
    let pool = frames.pool;
    let places = frames.places;
    let node = ROOT;
    let frame = -1;
    let at = start;
    while (at <= last) {
      let likely = builder.likelyChild(node, 0);
      if (likely !== 0) {
        frame = builder.likelyWord(node, 0);
        let length = places[2 * frame + 1] ?? 0;
        let isIt = at + length <= last + 1 && sameBytes(view, at, pool, places[2 * frame] ?? 0, length);
        if (!isIt) {
          likely = builder.likelyChild(node, 1);
          if (likely !== 0) {
            frame = builder.likelyWord(node, 1);
            length = places[2 * frame + 1] ?? 0;
            isIt = at + length <= last + 1 && sameBytes(view, at, pool, places[2 * frame] ?? 0, length);
          }
        }
        if (isIt) {
          node = likely;
          at += length;
          continue;
        }
      }
      frame = frames.find(this.#text, at);
      if (frame < 0) throw this.#refused(frame === -1 ? 'a frame without a name' : 'a frame that is not UTF-8');
      at = frames.end + 1;
      const child = builder.child(node, frames.ids[frame] ?? 0);
      builder.setLikely(node, child, frame);
      node = child;
      pool = frames.pool;
      places = frames.places;
    }
    return { node, frame };
  }

  #modes(): readonly ModeSamples[] {
    const { ids, modes } = this.#frames;
    return [...this.#byFrame].flatMap(([frame, own]) => {
      const [name, mode] = [ids[frame], modes[frame] ?? null];
      return name === undefined || mode === null ? [] : [{ name, mode, own }];
    });
  }

  #refusedCount(start: number, end: number): Error {
    const line = Buffer.from(this.#text.bytes.subarray(Math.max(start, end - 200), end)).toString();
    const space = line.lastIndexOf(' ');
    const word = line.slice(space + 1);
    if (space < 0 || !/^[-+.\d]/.test(word)) return this.#refused('no number of samples at the end');
    if (word.startsWith('-')) return this.#refused(`a negative number of samples, '${shortened(word)}'`);
    return this.#refused(`'${shortened(word)}' at the end, which is not a whole number of samples below 10^15`);
  }

  #refused(problem: string, line = this.#line): Error {
    return badInput(
      `${this.#what}, line ${line}: the line has ${problem}. A stack is its frames separated by ;, a space, and its number of samples.`,
    );
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[at] !== SPACE) return false;
  return true;
}
