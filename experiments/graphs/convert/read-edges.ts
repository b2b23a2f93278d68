import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/text.ts';
import type { EdgeSink } from '../edge-list.ts';
import { forEachLine } from '../text/line-blocks.ts';
import { ID, Scanner } from '../text/scanner.ts';
import type { Layout } from './graph-formats.ts';

const [TAB, NEWLINE, RETURN, BLANK, QUOTE, HASH, PERCENT] = [9, 10, 13, 32, 34, 35, 37];

/**
 * Reads all edges of a file into a sink; how many there were, self-loops and repeated ones included. Errors: badInput with file and
 * line for a line that is no edge, an id or a weight that is none, and a file that ends early.
 */
export async function readEdges(file: string, layout: Layout, sink: EdgeSink): Promise<number> {
  const scanner = new Scanner();
  const reader = new EdgeReader(file, { layout, sink, scanner });
  await forEachLine(file, scanner, (line) => reader.visit(line));
  const { matrix, announced } = layout;
  if (matrix !== null && announced !== null && reader.edges !== announced) {
    const how = reader.edges < announced ? 'it may be truncated' : 'its second line is wrong';
    throw badInput(`${file} announces ${announced} entries but has ${reader.edges}: ${how}.`);
  }
  return reader.edges;
}

class EdgeReader {
  readonly #file: string;
  readonly #layout: Layout;
  readonly #sink: EdgeSink;
  readonly #scanner: Scanner;
  /** The last column that is looked at. */
  readonly #lastColumn: number;
  /** A symmetric matrix that is read as a directed graph has both directions. */
  readonly #isMirrored: boolean;
  #line = 0;
  edges = 0;

  constructor(
    file: string,
    { layout, sink, scanner }: { readonly layout: Layout; readonly sink: EdgeSink; readonly scanner: Scanner },
  ) {
    this.#file = file;
    this.#layout = layout;
    this.#sink = sink;
    this.#scanner = scanner;
    this.#lastColumn = Math.max(layout.source, layout.target, layout.weight ?? 0);
    this.#isMirrored = layout.matrix?.symmetric === true && layout.directed === true;
  }

  visit(line: number): void {
    this.#line = line;
    if (line <= this.#layout.headerLines) return;
    const { bytes } = this.#scanner;
    // A byte order mark.
    if (line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.#scanner.at = 3;
    this.#readLine(bytes);
  }

  #readLine(bytes: Uint8Array): void {
    const scanner = this.#scanner;
    const { source, target, weight: weightAt, columns, matrix } = this.#layout;
    const start = scanner.at;
    this.#skipBlanks(bytes);
    const first = bytes[scanner.at];
    if (first === NEWLINE || first === RETURN || first === HASH || first === PERCENT || first === undefined) return;
    let [hiA, loA, hiB, loB, weight] = [0, 0, 0, 0, 0];
    for (let column = 0; ; column += 1) {
      if (column === source) {
        this.#id(bytes, start);
        hiA = scanner.hi;
        loA = scanner.lo;
      } else if (column === target) {
        this.#id(bytes, start);
        hiB = scanner.hi;
        loB = scanner.lo;
      } else if (column === weightAt) weight = this.#weight(bytes, start);
      else this.#skipField(bytes);
      if (column === this.#lastColumn) break;
      this.#separator(bytes, start, column + 1);
    }
    this.#endLine(bytes, start, this.#lastColumn + 1 < columns);
    this.edges += 1;
    if (matrix !== null) this.#checkEntry(start, matrix.rows, hiA * 2 ** 32 + loA, hiB * 2 ** 32 + loB);
    this.#sink.add(hiA, loA, hiB, loB, weight);
    if (this.#isMirrored && (loA !== loB || hiA !== hiB)) this.#sink.add(hiB, loB, hiA, loA, weight);
  }

  #id(bytes: Uint8Array, start: number): void {
    const scanner = this.#scanner;
    const isQuoted = bytes[scanner.at] === QUOTE;
    if (isQuoted) scanner.at += 1;
    const from = scanner.at;
    const state = scanner.id();
    const isWhole = state === ID.ok && endsField(bytes[scanner.at], this.#layout.separator) !== isQuoted;
    if (!isWhole) throw this.#refused(start, this.#idProblem(from, state));
    if (isQuoted) scanner.at += 1;
  }

  #idProblem(from: number, state: number): string {
    const word = shortened(this.#word(from));
    if (state === ID.tooLarge) return `the id ${word} is beyond 2^63 - 1`;
    if (state === ID.negative) return `the id ${word} is negative`;
    return word === '' ? 'an id is missing' : `'${word}' is not an id: ids are whole numbers from 0 to 2^63 - 1`;
  }

  /** What stands in a field. */
  #word(from: number): string {
    const { bytes } = this.#scanner;
    let end = from;
    while (!endsField(bytes[end], this.#layout.separator) && bytes[end] !== QUOTE) end += 1;
    return this.#scanner.text(from, end);
  }

  #weight(bytes: Uint8Array, start: number): number {
    const scanner = this.#scanner;
    const isQuoted = bytes[scanner.at] === QUOTE;
    if (isQuoted) scanner.at += 1;
    const from = scanner.at;
    const weight = scanner.real();
    if (weight >= 0 && weight < Infinity) {
      if (isQuoted) scanner.at += 1;
      // Not -0, which is written so.
      return weight + 0;
    }
    const word = shortened(scanner.text(from, scanner.at));
    const what = word === '' ? 'the weight is missing' : `the weight '${word}' is not a number of at least 0`;
    throw this.#refused(start, `${what} (--no-weights leaves weights out)`);
  }

  #separator(bytes: Uint8Array, start: number, fields: number): void {
    const scanner = this.#scanner;
    const { separator, weight } = this.#layout;
    const before = scanner.at;
    this.#skipBlanks(bytes);
    if (separator === null ? scanner.at > before && !endsLine(bytes[scanner.at]) : bytes[scanner.at] === separator) {
      if (separator === null) return;
      scanner.at += 1;
      this.#skipBlanks(bytes);
      return;
    }
    const only = fields === 1 ? 'one field' : `${fields} fields`;
    if (!endsLine(bytes[scanner.at])) throw this.#refused(start, 'its fields are not separated');
    throw this.#refused(start, fields === weight ? 'the weight is missing' : `it has only ${only}`);
  }

  #skipField(bytes: Uint8Array): void {
    const scanner = this.#scanner;
    const { separator } = this.#layout;
    let at = scanner.at;
    if (bytes[at] === QUOTE) {
      do {
        at += 1;
        if (bytes[at] === QUOTE && bytes[at + 1] === QUOTE) at += 2;
      } while (bytes[at] !== QUOTE && bytes[at] !== NEWLINE && at < bytes.length);
    }
    while (!endsField(bytes[at], separator)) at += 1;
    scanner.at = at;
  }

  /** Nothing but blanks may follow, or columns that are not looked at. */
  #endLine(bytes: Uint8Array, start: number, hasMore: boolean): void {
    const scanner = this.#scanner;
    if (hasMore) return;
    while (bytes[scanner.at] === BLANK || bytes[scanner.at] === TAB || bytes[scanner.at] === RETURN) scanner.at += 1;
    if (scanner.at >= bytes.length || bytes[scanner.at] === NEWLINE) return;
    throw this.#refused(start, `it has more than ${this.#layout.columns} fields`);
  }

  /** Blanks, and tabs where they are not the separator. */
  #skipBlanks(bytes: Uint8Array): void {
    const isTab = this.#layout.separator !== TAB;
    let at = this.#scanner.at;
    while (bytes[at] === BLANK || (isTab && bytes[at] === TAB)) at += 1;
    this.#scanner.at = at;
  }

  #checkEntry(start: number, rows: number, row: number, column: number): void {
    if (row >= 1 && row <= rows && column >= 1 && column <= rows) return;
    throw this.#refused(start, `it is outside a matrix of ${rows} rows`);
  }

  #refused(start: number, why: string): Error {
    return badInput(`${this.#file} line ${this.#line}: '${this.#scanner.lineText(start)}' is not an edge: ${why}.`);
  }
}

function endsLine(byte: number | undefined): boolean {
  return byte === undefined || byte === NEWLINE || byte === RETURN;
}

function endsField(byte: number | undefined, separator: number | null): boolean {
  if (endsLine(byte)) return true;
  return separator === null ? byte === BLANK || byte === TAB : byte === separator || byte === BLANK;
}
