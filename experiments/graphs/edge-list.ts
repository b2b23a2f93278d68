import { at } from '../../base/lists.ts';
import { IdTable } from './id-table.ts';

/** Edges of the first piece and of the largest; each is twice as long as the one before. */
const [FIRST, LARGEST] = [1 << 10, 1 << 18];

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
    const chunk = this.#last.length < this.#last.from.length ? this.#last : this.#begin();
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
    let rest = place;
    for (const { from, to, length } of this.#chunks) {
      if (rest < length) return [at(from, rest), at(to, rest)];
      rest -= length;
    }
    throw new RangeError(`there is no edge ${place} among ${this.length}`);
  }

  /** Lets go of all edges. */
  clear(): void {
    this.#chunks = [];
    this.#last = this.#begin();
    this.length = 0;
  }

  #begin(): Chunk {
    const room = Math.min(FIRST * 2 ** this.#chunks.length, LARGEST);
    const weight = this.weighted ? new Float64Array(room) : null;
    const chunk = { from: new Uint32Array(room), to: new Uint32Array(room), weight, length: 0 };
    this.#chunks.push(chunk);
    this.#last = chunk;
    return chunk;
  }
}

/** Takes edges of any source: their ends get numbers, self-loops are counted and left out (their vertex stays). */
export class EdgeSink {
  readonly ids = new IdTable();
  readonly edges: EdgeList;
  selfLoops = 0;
  /** The first end of the edge before: lists are mostly in its order. */
  #last = { hi: -1, lo: -1, index: 0 };

  constructor(weighted: boolean) {
    this.edges = new EdgeList(weighted);
  }

  /** Ends as two 32-bit halves each. */
  add(hiA: number, loA: number, hiB: number, loB: number, weight: number): void {
    const last = this.#last;
    if (hiA !== last.hi || loA !== last.lo) {
      last.index = this.ids.add(hiA, loA);
      last.hi = hiA;
      last.lo = loA;
    }
    const from = last.index;
    if (hiA === hiB && loA === loB) {
      this.selfLoops += 1;
      return;
    }
    this.edges.add(from, this.ids.add(hiB, loB), weight);
  }
}
