// Collapsed stacks (Brendan Gregg's stackcollapse, async-profiler `-o collapsed`): a line a stack, frames from the outermost in with `;`
// between, then a space and the samples.
import { isUtf8 } from 'node:buffer';
import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import { openBytes } from '../../path/formats/open-bytes.ts';
import { ProfileBuilder, type ReadOptions, type ReadProfile } from './profile-builder.ts';
import { MOST_UNPACKED } from './profile-file.ts';

const [NEWLINE, RETURN] = [0x0a, 0x0d];
/** So many digits are a whole number without doubt. */
const SAMPLES = /^\d{1,15}$/;
/** A frame without a name. */
const NAMELESS = /(?:^|;)\s*(?:;|$)/;
/** A longer line is damage: a stack of 100,000 frames with long names is a fifth of it. */
const LONGEST_STACK = 1 << 26;

/** Reads a file, `-` for standard input. Errors: badInput names the file and the line. */
export async function readCollapsed(path: string, options: ReadOptions): Promise<ReadProfile> {
  const parser = new CollapsedParser(path, options);
  for await (const piece of openBytes(path, { mostUnpacked: MOST_UNPACKED })) parser.push(piece);
  return parser.end();
}

/** Takes collapsed text piece by piece. */
export class CollapsedParser {
  readonly #what: string;
  readonly #builder: ProfileBuilder;
  /** The line that the last piece did not end. */
  #rest: Buffer = Buffer.alloc(0);
  #line = 0;

  constructor(what: string, options: ReadOptions) {
    this.#what = what;
    this.#builder = new ProfileBuilder(options);
  }

  push(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE, this.#rest.length); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#takeLine(bytes.subarray(start, end));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > LONGEST_STACK) throw this.#refused(`more than ${LONGEST_STACK} bytes`, this.#line + 1);
  }

  end(): ReadProfile {
    if (this.#rest.length > 0) this.#takeLine(this.#rest);
    return this.#builder.build(this.#what, 'samples');
  }

  #takeLine(bytes: Buffer): void {
    this.#line += 1;
    const end = bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length;
    const line = bytes.toString('utf8', 0, end);
    const space = line.lastIndexOf(' ');
    const count = line.slice(space + 1);
    if (space < 0 || !SAMPLES.test(count)) {
      if (line.trim() === '') return;
      throw this.#refusedCount(space < 0 ? '' : count);
    }
    const stack = line.slice(0, space);
    if (NAMELESS.test(stack)) throw this.#refused('a frame without a name');
    if (!isUtf8(bytes)) throw this.#refused('a frame that is not UTF-8');
    this.#builder.add(stack.split(';'), Number(count));
  }

  #refusedCount(word: string): Error {
    if (!/^[-+.\d]/.test(word)) return this.#refused('no number of samples at the end');
    if (word.startsWith('-')) return this.#refused(`a negative number of samples, '${shortened(word)}'`);
    return this.#refused(`'${shortened(word)}' at the end, which is not a whole number of samples below 10^15`);
  }

  #refused(problem: string, line = this.#line): Error {
    return badInput(
      `${this.#what}, line ${line}: the line has ${problem}. A stack is its frames separated by ;, a space, and its number of samples.`,
    );
  }
}
