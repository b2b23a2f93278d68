import { type FileHandle, open } from 'node:fs/promises';

const SIZE = 1 << 20;
/** Bytes that one line takes at most: two ids, a number and what is between them. */
const LINE = 128;
const ZERO = 48;
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
