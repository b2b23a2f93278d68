import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { badInput, messageOf } from '../../../base/errors.ts';
import { formatBytes } from '../../../base/units.ts';
import { issueOf } from '../../../experiments/store/damage.ts';
import { openBytes } from '../../path/formats/open-bytes.ts';

const LF = 10;
const CR = 13;
/** A text longer than this is none for JavaScript (2^29 - 24 characters). */
const LONGEST_TEXT = 0x1fff_ffe8;

/** Bytes of a recording, which is in memory as a whole, and twice while it is read. */
const MOST_BYTES = 2 ** 31;
/** Of a packed profile: neighbours among deep stacks are so alike that it may well be a hundred times as long as it is packed. */
export const MOST_UNPACKED = 2 ** 29;

/** A byte order mark, then `{` or `[{`, then what may follow. */
const JSON_BEGINS = /^(?:\xEF\xBB\xBF)?\s*(?:\[\s*)?\{\s*(?:["}]|$)/;

/** The unpacked bytes of a recording, and views of them whose errors name the line. */
export class ProfileFile {
  readonly path: string;
  readonly bytes: Buffer;
  #json: { readonly value: unknown } | null = null;

  constructor(path: string, bytes: Buffer) {
    this.path = path;
    this.bytes = bytes;
  }

  /**
   * Reads a file, a FIFO or standard input (`-`), plain or gzip; null where `isWanted` says so of its beginning, and the rest is not
   * read. Errors: badInput where it cannot be read, is too large, or is empty.
   */
  static async open(path: string, isWanted: (beginning: ProfileFile) => boolean): Promise<ProfileFile | null> {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of openBytes(path, { mostUnpacked: MOST_UNPACKED })) {
      if (pieces.length === 0 && !isWanted(new ProfileFile(path, piece))) return null;
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= MOST_BYTES) continue;
      throw badInput(
        `${path} has more than ${formatBytes(MOST_BYTES)}, too much for one recording: record for a shorter time.`,
      );
    }
    if (pieces.length === 0) throw badInput(`${path} is empty: it contains no profile.`);
    return new ProfileFile(path, Buffer.concat(pieces));
  }

  /** Whether it begins as an object of JSON or a list of them does; frames of collapsed text may begin with `[` and `{` too. */
  get looksLikeJson(): boolean {
    return JSON_BEGINS.test(this.bytes.toString('latin1', 0, 4096));
  }

  /** The whole as JSON, parsed once; null where it does not begin so. Errors: badInput with the line where it breaks off. */
  json(): unknown {
    this.#json ??= { value: this.looksLikeJson ? this.jsonBetween(0, this.bytes.length) : null };
    return this.#json.value;
  }

  /** A value as a schema has it. Errors: badInput says `what` it is not, and the key where that shows. */
  parsed<T>(schema: z.ZodType<T>, value: unknown, what: string, where = ' is'): T {
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    throw badInput(`${this.path}${where} not ${what}${issueOf(read.error)}.`);
  }

  /** The part of the bytes that is one value in JSON. */
  jsonBetween(from: number, to: number): unknown {
    const text = this.#text(from, to);
    try {
      return JSON.parse(text);
    } catch (error) {
      const place = faultIn(text, messageOf(error));
      const isCut = text.slice(place).trim() === '';
      const line = this.lineAt(from + Buffer.byteLength(text.slice(0, place)));
      throw this.refuse(line, isCut ? 'the file is truncated there' : 'that is not JSON', error);
    }
  }

  /** Lines from 1, without their ends (also CRLF). Errors: badInput for one that is not UTF-8. */
  *lines(): Generator<{ readonly text: string; readonly line: number }> {
    const { bytes } = this;
    let line = 0;
    for (let start = 0; start < bytes.length; ) {
      const found = bytes.indexOf(LF, start);
      const next = found < 0 ? bytes.length : found;
      line += 1;
      const end = next > start && bytes[next - 1] === CR ? next - 1 : next;
      const part = bytes.subarray(start, end);
      if (!isUtf8(part)) throw this.refuse(line, 'that is not UTF-8');
      yield { text: part.toString('utf8'), line };
      start = next + 1;
    }
  }

  /** Line (from 1) in which a byte lies. */
  lineAt(offset: number): number {
    let line = 1;
    for (let found = this.bytes.indexOf(LF); found >= 0 && found < offset; found = this.bytes.indexOf(LF, found + 1)) {
      line += 1;
    }
    return line;
  }

  /** The sentence in which a recording is refused. */
  refuse(line: number, why: string, cause?: unknown) {
    return badInput(`${this.path}, line ${line}: ${why}. Nothing was imported: write the recording again.`, cause);
  }

  #text(from: number, to: number): string {
    const part = this.bytes.subarray(from, to);
    if (part.length > LONGEST_TEXT) {
      const size = (part.length / 2 ** 30).toFixed(1);
      throw badInput(
        `${this.path} has ${size} GiB in one JSON value, more than can be read: record for a shorter time.`,
      );
    }
    // A byte order mark is none of JSON's.
    if (isUtf8(part)) return part.toString('utf8').replace(/^\uFEFF/, '');
    for (const _ of this.lines());
    throw this.refuse(this.lineAt(from), 'that is not UTF-8');
  }
}

/** Whether a value of JSON is an object with these keys. */
export function hasKeys<Key extends string>(json: unknown, ...keys: Key[]): json is Readonly<Record<Key, unknown>> {
  return typeof json === 'object' && json !== null && keys.every((key) => key in json);
}

/** V8 shows so many characters before one that it does not expect. */
const SHOWN_BEFORE = 10;

/** Where a text stops to be JSON, by what V8 says of it: a position, an excerpt, or that it ends. */
function faultIn(text: string, message: string): number {
  const position = / position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const shown = /^Unexpected token '([\s\S]{1,2}?)', (\.\.\.)?"([\s\S]*)"(?:\.\.\.)? is not valid JSON$/.exec(message);
  if (shown === null) return text.trimEnd().length;
  const [, token = '', dots, excerpt = ''] = shown;
  const before = dots === undefined ? Math.max(0, excerpt.indexOf(token)) : SHOWN_BEFORE;
  return Math.max(0, text.indexOf(excerpt)) + before;
}
