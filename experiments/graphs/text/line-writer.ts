import { type FileHandle, open } from 'node:fs/promises';

const SIZE = 1 << 20;
/** Bytes that one line takes at most: two ids, a number and what is between them. */
const LINE = 128;
const [ZERO, DOT] = [48, 46];
const BILLION = 1e9;
const TWO_32 = 2 ** 32;

/** Writes lines of numbers into a new file. Whoever writes awaits `flush` when `isFull` says so. */
export class LineWriter {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafe(SIZE);
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Opens a file that is not there yet, hands its writer over, and closes it whatever happens. */
  static async write(path: string, fill: (writer: LineWriter) => Promise<void>): Promise<void> {
    const file = await open(path, 'wx');
    try {
      const writer = new LineWriter(file);
      await fill(writer);
      await writer.flush();
    } finally {
      await file.close();
    }
  }

  get isFull(): boolean {
    return this.#length > SIZE - LINE;
  }

  /** An id of two 32-bit halves, in decimal. */
  id(hi: number, lo: number): void {
    if (hi === 0) this.#digits(lo);
    else if (hi < 2 ** 21) this.#digits(hi * TWO_32 + lo);
    else this.text(idText(hi, lo));
  }

  /** A number that is read as the same double. */
  real(value: number): void {
    const billionths = Math.round(value * BILLION);
    // An integer of 15 digits over a power of ten is rounded once, as whoever reads the text rounds.
    if (!(value >= 0 && value < 1e6) || billionths / BILLION !== value) {
      this.text(String(value));
      return;
    }
    const whole = Math.floor(billionths / BILLION);
    this.#digits(whole);
    let decimals = (billionths - whole * BILLION) | 0;
    if (decimals === 0) return;
    let width = 9;
    for (let tenth = (decimals / 10) | 0; tenth * 10 === decimals; tenth = (decimals / 10) | 0) {
      decimals = tenth;
      width -= 1;
    }
    this.byte(DOT);
    this.#padded(decimals, width);
  }

  /** At most 64 characters of ASCII. */
  text(text: string): void {
    this.#length += this.#buffer.write(text, this.#length, 'latin1');
  }

  byte(code: number): void {
    this.#buffer[this.#length] = code;
    this.#length += 1;
  }

  async flush(): Promise<void> {
    await this.#file.writeFile(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }

  /** A whole number below 2^53. */
  #digits(value: number): void {
    if (value < BILLION) this.#padded(value, widthOf(value));
    else {
      const high = Math.floor(value / BILLION);
      this.#digits(high);
      this.#padded(value - high * BILLION, 9);
    }
  }

  /** A whole number below 10^9 with as many digits, zeros in front. */
  #padded(value: number, width: number): void {
    let rest = value | 0;
    for (let at = this.#length + width - 1; at >= this.#length; at -= 1) {
      const tenth = (rest / 10) | 0;
      this.#buffer[at] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.#length += width;
  }
}

/** Digits of a whole number below 10^9. */
function widthOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1e3 ? 3 : 4;
  if (value < 1e7) return value < 1e5 ? 5 : value < 1e6 ? 6 : 7;
  return value < 1e8 ? 8 : 9;
}

/** An id of two 32-bit halves as decimal text. */
export function idText(hi: number, lo: number): string {
  return hi < 2 ** 21 ? String(hi * TWO_32 + lo) : String((BigInt(hi) << 32n) | BigInt(lo));
}
