import { refuseMore } from '../../base/bounds.ts';
import { idText } from './text/line-writer.ts';

/** Vertices that one process holds. */
const MOST = 2 ** 29;

/**
 * Vertex ids and their numbers 0, 1, ... in the order in which they came. Ids have 63 bits and are kept as two 32-bit halves; a
 * lookup makes nothing and reads one place in memory. Takes 24 to 48 bytes per id.
 */
export class IdTable {
  /** Two entries per id: the lower half, then the upper one, as a 64-bit number lies in memory. */
  #ids: Uint32Array<ArrayBuffer>;
  /** Open addressing, two entries per slot: a number plus one, or 0 for none, and the lower half of its id. */
  #slots: Uint32Array;
  /** Whether some upper half is not 0. */
  #isHigh = false;
  size = 0;

  constructor(expected = 1024) {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(16, Math.min(expected, MOST) * 2)));
    this.#slots = new Uint32Array(2 * slots);
    this.#ids = new Uint32Array(slots);
  }

  /** The number of an id, a new one where it has none: `size` tells. */
  add(hi: number, lo: number): number {
    const slot = this.#slotOf(hi, lo);
    const found = this.#slots[slot] ?? 0;
    if (found > 0) return found - 1;
    const index = this.size;
    this.#ids[2 * index] = lo;
    this.#ids[2 * index + 1] = hi;
    this.#slots[slot] = index + 1;
    this.#slots[slot + 1] = lo;
    this.size += 1;
    if (hi !== 0) this.#isHigh = true;
    if (this.size * 4 >= this.#slots.length) this.#grow();
    return index;
  }

  /** The number of an id, -1 where it has none. */
  find(hi: number, lo: number): number {
    return (this.#slots[this.#slotOf(hi, lo)] ?? 0) - 1;
  }

  hi(index: number): number {
    return this.#ids[2 * index + 1] ?? 0;
  }

  lo(index: number): number {
    return this.#ids[2 * index] ?? 0;
  }

  text(index: number): string {
    return idText(this.hi(index), this.lo(index));
  }

  /** Numbers the ids anew in ascending order; what each number became. */
  sortAscending(): Uint32Array {
    const sorted = this.#ids.slice(0, 2 * this.size);
    new BigUint64Array(sorted.buffer).sort();
    const ranks = new Uint32Array(this.size);
    for (let rank = 0; rank < this.size; rank += 1) {
      const slot = this.#slotOf(sorted[2 * rank + 1] ?? 0, sorted[2 * rank] ?? 0);
      ranks[(this.#slots[slot] ?? 0) - 1] = rank;
    }
    this.#ids.set(sorted);
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const index = this.#slots[slot] ?? 0;
      if (index > 0) this.#slots[slot] = (ranks[index - 1] ?? 0) + 1;
    }
    return ranks;
  }

  /** Where the id is, or the free slot that it would take. */
  #slotOf(hi: number, lo: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let hash = Math.imul(lo, 0x9e3779b1) ^ Math.imul(hi, 0x85ebca77);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = ((hash ^ (hash >>> 13)) << 1) & mask;
    for (;;) {
      const index = slots[slot] ?? 0;
      if (index === 0) return slot;
      if (slots[slot + 1] === lo && (this.#isHigh ? this.#ids[2 * index - 1] === hi : hi === 0)) return slot;
      slot = (slot + 2) & mask;
    }
  }

  #grow(): void {
    refuseMore(this.size, MOST, { what: 'The graph has over half a billion vertices', help: 'choose a smaller one' });
    const ids = new Uint32Array(this.#slots.length);
    ids.set(this.#ids.subarray(0, 2 * this.size));
    this.#ids = ids;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let index = 0; index < this.size; index += 1) {
      const slot = this.#slotOf(ids[2 * index + 1] ?? 0, ids[2 * index] ?? 0);
      this.#slots[slot] = index + 1;
      this.#slots[slot + 1] = ids[2 * index] ?? 0;
    }
  }
}
