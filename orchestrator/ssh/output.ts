import { closeSync, openSync, writeSync } from 'node:fs';
import { unwritable } from '../../base/errors.ts';

/** Where a long output goes. */
interface Limits {
  /** The first and the last bytes that are kept in memory, each. */
  readonly endBytes: number;
  /** The file for the whole of an output that is longer than both ends; without one the middle is let go. */
  readonly file: string | undefined;
}

/** What a command prints on one stream, in bounded memory. */
export class Output {
  readonly #limits: Limits;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #leftOut = 0;
  #descriptor: number | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The file that holds the whole; undefined for an output that fits into memory. */
  get file(): string | undefined {
    return this.#descriptor === undefined ? undefined : this.#limits.file;
  }

  /** Errors: `unwritable`, naming the file. */
  add(data: Buffer): void {
    const { endBytes } = this.#limits;
    if (this.#headBytes < endBytes) {
      this.#head.push(data);
      this.#headBytes += data.length;
      return;
    }
    this.#tail.push(data);
    this.#tailBytes += data.length;
    if (this.#descriptor !== undefined) this.#write(data);
    if (this.#tailBytes <= endBytes) return;
    this.#spill();
    for (let [first] = this.#tail; first && this.#tailBytes - first.length >= endBytes; [first] = this.#tail) {
      this.#tail.shift();
      this.#tailBytes -= first.length;
      this.#leftOut += first.length;
    }
  }

  /** All of it; of a long one both ends, in whole lines, and between them a line that says how much is left out. */
  text(): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail)];
    if (this.#leftOut === 0) return Buffer.concat([head, tail]).toString();
    const first = head.subarray(0, head.lastIndexOf('\n') + 1 || head.length);
    const last = tail.subarray(tail.indexOf('\n') + 1);
    const bytes = this.#leftOut + head.length - first.length + tail.length - last.length;
    return `${first}\n... ${bytes} bytes are omitted here ...\n${last}`;
  }

  /** Nothing more will be printed. Errors: `unwritable`, for some file systems refuse what was written only then. */
  end(): void {
    try {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    } catch (error) {
      throw unwritable(this.#limits.file ?? '', error);
    }
  }

  #spill(): void {
    const { file } = this.#limits;
    if (file === undefined || this.#descriptor !== undefined) return;
    try {
      this.#descriptor = openSync(file, 'wx', 0o600);
    } catch (error) {
      throw unwritable(file, error);
    }
    for (const chunk of [...this.#head, ...this.#tail]) this.#write(chunk);
  }

  #write(data: Buffer): void {
    try {
      for (let from = 0; from < data.length; ) from += writeSync(this.#descriptor ?? -1, data, from);
    } catch (error) {
      throw unwritable(this.#limits.file ?? '', error);
    }
  }
}

/** How long each part of a connection's work may take, ms. What takes longer costs the connection. */
export interface Bounds {
  /** From the first packet to the end of the login, for each host on the way. */
  readonly connectMs: number;
  /** Until the host says that it runs a command, or that files may be transferred. */
  readonly openMs: number;
  /** Between TERM and KILL of a command that is to end; longer than the guard's own grace. */
  readonly graceMs: number;
  /** Until a command that was killed, or whose connection is gone, is over. */
  readonly closeMs: number;
  /** One step of a file's transfer, at a few percent of a slow link. */
  readonly transferMs: number;
  /** Between two questions whether the other end lives; it is gone after four without an answer. */
  readonly aliveMs: number;
}

export const BOUNDS: Bounds = {
  connectMs: 20_000,
  openMs: 20_000,
  graceMs: 5_000,
  closeMs: 3_000,
  transferMs: 120_000,
  aliveMs: 5_000,
};
