import { at } from '../../base/index.ts';

const CHUNK = 1 << 18;

interface Chunk {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly weight: Float64Array | null;
  length: number;
}

/** Edges in the order in which they came: 8 bytes each, 16 with weights, in pieces, so that nothing is copied as it grows. */
export class EdgeList {
  readonly weighted: boolean;
  #chunks: Chunk[] = [];
  #last: Chunk;
  length = 0;

  constructor(weighted: boolean) {
    this.weighted = weighted;
    this.#last = this.#begin();
  }

  /** The weight is not looked at in a list without weights. */
  add(from: number, to: number, weight: number): void {
    const chunk = this.#last.length < CHUNK ? this.#last : this.#begin();
    const at = chunk.length;
    chunk.from[at] = from;
    chunk.to[at] = to;
    if (chunk.weight !== null) chunk.weight[at] = weight;
    chunk.length = at + 1;
    this.length += 1;
  }

  /** The pieces; arrays may be changed in place, which is how ends are numbered anew. */
  get chunks(): readonly Readonly<Chunk>[] {
    return this.#chunks;
  }

  /** Both ends of the edge at a place from 0. Errors: RangeError for a place beyond the last. */
  at(place: number): readonly [number, number] {
    const chunk = at(this.#chunks, Math.floor(place / CHUNK));
    return [at(chunk.from, place % CHUNK), at(chunk.to, place % CHUNK)];
  }

  /** Lets go of all edges. */
  clear(): void {
    this.#chunks = [];
    this.#last = this.#begin();
    this.length = 0;
  }

  #begin(): Chunk {
    const weight = this.weighted ? new Float64Array(CHUNK) : null;
    const chunk = { from: new Uint32Array(CHUNK), to: new Uint32Array(CHUNK), weight, length: 0 };
    this.#chunks.push(chunk);
    this.#last = chunk;
    return chunk;
  }
}
