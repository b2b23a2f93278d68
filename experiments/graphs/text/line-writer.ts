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
    let rest = billionths - whole * BILLION;
    if (rest === 0) return;
    this.byte(DOT);
    for (let unit = BILLION / 10; rest > 0; unit /= 10) {
      const digit = (rest / unit) | 0;
      this.byte(ZERO + digit);
      rest -= digit * unit;
    }
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

  #digits(value: number): void {
    let digits = 1;
    for (let bound = 10; bound <= value; bound *= 10) digits += 1;
    let at = this.#length + digits;
    this.#length = at;
    let rest = value;
    while (rest >= 2 ** 31) {
      const tens = Math.floor(rest / 10);
      at -= 1;
      this.#buffer[at] = ZERO + (rest - tens * 10);
      rest = tens;
    }
    let small = rest | 0;
    do {
      const tens = (small / 10) | 0;
      at -= 1;
      this.#buffer[at] = ZERO + (small - tens * 10);
      small = tens;
    } while (small > 0);
  }
}

/** An id of two 32-bit halves as decimal text. */
export function idText(hi: number, lo: number): string {
  return hi < 2 ** 21 ? String(hi * TWO_32 + lo) : String((BigInt(hi) << 32n) | BigInt(lo));
}
