import type { NameTable } from '../tree/call-tree.ts';
import type { NormaliseFrame } from './strip-names.ts';

export const SEMICOLON = 0x3b;
const SEMICOLONS = 0x3b3b3b3b;
const WORD = 4;
/** The lowest bytes of a word, by how many of them count. */
const MASKS = Int32Array.of(0, 0xff, 0xffff, 0xffffff);

/** Words of four bytes, which may begin anywhere. */
export interface Bytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Memory of at least a word more than `length`, so that a word can begin at its last byte. */
export function memory(length: number): Bytes {
  const bytes = new Uint8Array(length + WORD);
  return { bytes, view: new DataView(bytes.buffer) };
}

/**
 * The frames of collapsed text as numbers, straight from their bytes: each different sequence of bytes is decoded and normalised once.
 * A frame stands in the text with the `;` behind it.
 */
export class FrameTable {
  readonly #names: NameTable;
  readonly #normalise: NormaliseFrame | null;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #count = 0;
  #pool = memory(1 << 16);
  #used = 0;
  /** Where in the pool a frame begins, and its bytes with the `;`: two entries each. */
  #places = new Int32Array(1 << 11);
  #hashes = new Int32Array(1 << 10);
  #slots = new Int32Array(1 << 11);
  /** Of each frame: the number of its code path, and its compile mode. */
  readonly ids: number[] = [];
  readonly modes: (string | null)[] = [];

  constructor(names: NameTable, normalise: NormaliseFrame | null = null) {
    this.#names = names;
    this.#normalise = normalise;
  }

  get count(): number {
    return this.#count;
  }

  get pool(): DataView {
    return this.#pool.view;
  }

  get places(): Int32Array {
    return this.#places;
  }

  /**
   * The frame that begins at `from`, and where it ends: `end` is the place of its `;`, which must follow. -1 where it is empty, -2
   * where it is no UTF-8.
   */
  find({ bytes, view }: Bytes, from: number): number {
    let hash = 0;
    let end = from;
    for (;;) {
      const word = view.getInt32(end, true);
      const differs = word ^ SEMICOLONS;
      if (((differs - 0x01010101) & ~differs & 0x80808080) !== 0) break;
      hash = Math.imul(hash ^ word, 0x9e3779b1);
      hash ^= hash >>> 15;
      end += WORD;
    }
    for (; bytes[end] !== SEMICOLON; end += 1) hash = Math.imul(hash ^ (bytes[end] ?? 0), 0x85ebca6b);
    hash ^= hash >>> 13;
    this.end = end;
    if (end === from) return -1;
    const length = end + 1 - from;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      const frame = found - 1;
      const place = this.#places[2 * frame] ?? 0;
      const isSame = this.#hashes[frame] === hash && this.#places[2 * frame + 1] === length;
      if (isSame && sameBytes(view, from, this.#pool.view, place, length)) return frame;
      slot = (slot + 1) & mask;
    }
    return this.#add(bytes, from, length, hash);
  }

  /** Where the frame found last ends. */
  end = 0;

  #add(bytes: Uint8Array, from: number, length: number, hash: number): number {
    let text: string;
    try {
      text = this.#decoder.decode(bytes.subarray(from, from + length - 1));
    } catch {
      return -2;
    }
    if (text.trim() === '') return -1;
    const { name, mode } = this.#normalise === null ? { name: text, mode: null } : this.#normalise(text);
    this.#reserve(length);
    const frame = this.#count;
    this.#count += 1;
    this.ids.push(this.#names.id(name));
    this.modes.push(mode);
    this.#pool.bytes.set(bytes.subarray(from, from + length), this.#used);
    this.#places[2 * frame] = this.#used;
    this.#places[2 * frame + 1] = length;
    this.#hashes[frame] = hash;
    this.#used += length;
    this.#enter(frame);
    return frame;
  }

  #enter(frame: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[frame] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = frame + 1;
  }

  #reserve(length: number): void {
    if (this.#used + length + WORD > this.#pool.bytes.length) {
      const pool = memory(2 * (this.#used + length));
      pool.bytes.set(this.#pool.bytes.subarray(0, this.#used));
      this.#pool = pool;
    }
    if (this.#count < this.#hashes.length) return;
    const hashes = new Int32Array(2 * this.#hashes.length);
    hashes.set(this.#hashes);
    const places = new Int32Array(2 * this.#places.length);
    places.set(this.#places);
    this.#hashes = hashes;
    this.#places = places;
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let frame = 0; frame < this.#count; frame += 1) this.#enter(frame);
  }
}

/** Whether `length` bytes are the same in both places. */
export function sameBytes(a: DataView, fromA: number, b: DataView, fromB: number, length: number): boolean {
  const whole = length & ~(WORD - 1);
  let at = 0;
  for (; at < whole; at += WORD) if (a.getInt32(fromA + at, true) !== b.getInt32(fromB + at, true)) return false;
  return ((a.getInt32(fromA + at, true) ^ b.getInt32(fromB + at, true)) & (MASKS[length - at] ?? 0)) === 0;
}
