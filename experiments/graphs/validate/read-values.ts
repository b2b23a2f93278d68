import { shortened } from '../../../base/text.ts';
import { forEachLine } from '../text/line-blocks.ts';
import { ID, Scanner } from '../text/scanner.ts';

const [TAB, NEWLINE, RETURN, BLANK] = [9, 10, 13, 32];

/** What is said of a line that is no `vertex value`. */
export interface Malformed {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Where lines go: the vertex is in the halves, a whole number in the scanner's, a real one in `real`. */
interface ValueSink {
  readonly value: (row: ValueRow) => void;
  readonly malformed: (line: Malformed) => void;
}

/** One row; `text` makes what stands there as its value. */
export interface ValueRow {
  readonly vertexHi: number;
  readonly vertexLo: number;
  /** A 64-bit whole number as two halves, in two's complement; of algorithms whose values are whole. */
  readonly hi: number;
  readonly lo: number;
  readonly real: number;
  readonly text: string;
  readonly line: number;
}

class Row implements ValueRow {
  vertexHi = 0;
  vertexLo = 0;
  hi = 0;
  lo = 0;
  real = 0;
  line = 0;
  #scanner: Scanner;
  from = 0;
  end = 0;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  get text(): string {
    return shortened(this.#scanner.text(this.from, this.end));
  }
}

/**
 * Reads the rows `vertex value` of an output: one blank between them; LF or CR LF; blank lines, blanks at a line's end and a missing
 * last newline are nothing. The row handed over is the same object every time. Errors: badInput for a file that cannot be read.
 */
export async function readValues(file: string, kind: 'whole' | 'real', sink: ValueSink): Promise<void> {
  const scanner = new Scanner();
  const row = new Row(scanner);
  await forEachLine(file, scanner, (line) => {
    const { bytes } = scanner;
    const start = scanner.at;
    if (isBlank(scanner)) return;
    scanner.at = start;
    const state = scanner.id();
    row.vertexHi = scanner.hi;
    row.vertexLo = scanner.lo;
    let isRow = state === ID.ok && bytes[scanner.at] === BLANK;
    if (isRow) {
      scanner.at += 1;
      row.from = scanner.at;
      isRow = kind === 'whole' ? readWhole(scanner) : readReal(scanner, row);
      row.end = scanner.at;
      row.hi = scanner.hi;
      row.lo = scanner.lo;
      row.line = line;
      isRow &&= isBlank(scanner);
    }
    if (isRow) sink.value(row);
    else sink.malformed({ file, line, text: scanner.lineText(start) });
  });
}

/** Whether the rest of the line is blank; the scanner is then at its newline. */
function isBlank(scanner: Scanner): boolean {
  const { bytes } = scanner;
  let { at } = scanner;
  while (bytes[at] === BLANK) at += 1;
  if (bytes[at] === RETURN) at += 1;
  if (bytes[at] !== NEWLINE && bytes[at] !== undefined) return false;
  scanner.at = at;
  return true;
}

/** Decimal words such as 5.0 and 5e0 are whole, too; false for what is not, or has more than 64 bits. */
function readWhole(scanner: Scanner): boolean {
  const start = scanner.at;
  if (scanner.id() === ID.ok && endsWord(scanner.bytes[scanner.at])) return true;
  let end = start;
  while (!endsWord(scanner.bytes[end]) && end - start < 64) end += 1;
  scanner.at = end;
  const value = wholeNumber(scanner.text(start, end));
  if (value === null || BigInt.asIntN(64, value) !== value) return false;
  const bits = BigInt.asUintN(64, value);
  scanner.hi = Number(bits >> 32n);
  scanner.lo = Number(bits & 0xffff_ffffn);
  return true;
}

/** Digits that are moved by an exponent at most: 64 bits have 19. */
const MOST_EXPONENT = 40;

function wholeNumber(text: string): bigint | null {
  const [, sign, whole = '', decimals = '', exponent = '0'] =
    /^([-+]?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d{1,3}))?$/.exec(text) ?? [];
  if (sign === undefined || Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const digits = BigInt(whole + decimals);
  const shift = Number(exponent) - decimals.length;
  const power = 10n ** BigInt(Math.abs(shift));
  if (shift < 0 && digits % power !== 0n) return null;
  const value = shift < 0 ? digits / power : digits * power;
  return sign === '-' ? -value : value;
}

function readReal(scanner: Scanner, row: Row): boolean {
  row.real = scanner.real();
  return !Number.isNaN(row.real);
}

function endsWord(byte: number | undefined): boolean {
  return byte === undefined || byte === BLANK || byte === NEWLINE || byte === RETURN || byte === TAB;
}
