import type { Cover } from './cover-cut.ts';
import { type Copies, listCopies, type Partition } from './partition.ts';

/** A list of places where fewer than one vertex in so many is sent, else a set (agents/graphalytics/spread.c). */
const FEW = 64;

/** Bytes of the number that `tell` sends to every rank. */
const NUMBER = 4;

/**
 * Counts what ranks hand to MPI, as `bytes_sent` of agents/mpi/net.c does. Each method is one exchange of agents/graphalytics/halo.c or
 * spread.c, or one collective operation.
 */
export class Traffic {
  readonly partition: Partition;
  /** Bytes that each rank sent. */
  readonly bytes: Float64Array;
  /** Values of vertices sent, by all ranks. */
  values = 0;
  /** Point-to-point messages, empty ones included. */
  messages = 0;
  collectives = 0;
  readonly copies: Copies;
  /** Of the spread in progress, by owner * ranks + peer. */
  readonly #pairs: { readonly count: Uint32Array; readonly next: Uint32Array; readonly listed: Float64Array };

  constructor(partition: Partition, copies = listCopies(partition, { heads: false })) {
    const { ranks } = partition;
    this.partition = partition;
    this.bytes = new Float64Array(ranks);
    this.copies = copies;
    const pairs = ranks * ranks;
    this.#pairs = { count: new Uint32Array(pairs), next: new Uint32Array(pairs), listed: new Float64Array(pairs) };
  }

  /** The value of every vertex to its copies. */
  fill(width: number): void {
    this.#exchange();
    this.copies.counts.forEach((count, pair) => {
      this.#tell(Math.floor(pair / this.#ranks), count, count * width);
    });
  }

  /** Of a covered cut: the value of every vertex to its copies and one of every copy to its vertex, in one exchange. */
  trade({ counts }: Cover, width: number): void {
    this.#exchange();
    counts.forEach((count, pair) => {
      const values = count + (counts[(pair % this.#ranks) * this.#ranks + Math.floor(pair / this.#ranks)] ?? 0);
      this.#tell(Math.floor(pair / this.#ranks), values, values * width);
    });
  }

  /** A value of every copy to its vertex. */
  collect(width: number): void {
    this.#exchange();
    this.copies.counts.forEach((count, pair) => {
      this.#tell(pair % this.#ranks, count, count * width);
    });
  }

  /** The values of these vertices, each once, to their copies; with width 0 only which they are. */
  spread(changed: Iterable<number>, width: number): void {
    this.#exchange();
    this.#spread(changed, width);
  }

  /** Which vertices these are, and a number of each rank to all others; `only`: that rank alone has any to tell. */
  tell(changed: Iterable<number>, only?: number): void {
    for (let rank = 0; rank < this.#ranks; rank += 1) {
      if (only !== undefined && rank !== only) continue;
      this.messages += this.#ranks - 1;
      this.#tell(rank, 0, NUMBER * (this.#ranks - 1));
    }
    this.#spread(changed, 0);
  }

  #spread(changed: Iterable<number>, width: number): void {
    const { position, order, owners, vertices } = this.partition;
    const positions = Uint32Array.from(changed, (vertex) => position[vertex] ?? 0).sort();
    const told = new Uint32Array(this.#ranks);
    const touched: number[] = [];
    for (const at of positions) {
      const owner = owners[order[at] ?? 0] ?? 0;
      told[owner] = (told[owner] ?? 0) + 1;
      const end = this.copies.offsets[at + 1] ?? 0;
      for (let copy = this.copies.offsets[at] ?? 0; copy < end; copy += 1) {
        const pair = owner * this.#ranks + (this.copies.peers[copy] ?? 0);
        if (this.#put(pair, this.copies.places[copy] ?? 0)) touched.push(pair);
      }
    }
    for (const pair of touched) {
      const owner = Math.floor(pair / this.#ranks);
      const mine = (told[owner] ?? 0) * FEW;
      const copies = this.copies.counts[pair] ?? 0;
      const count = this.#pairs.count[pair] ?? 0;
      const isList = mine < (vertices[owner] ?? 0) && mine < copies;
      const names = isList ? 4 * count : Math.min(this.#pairs.listed[pair] ?? 0, bitmapBytes(copies));
      this.#tell(owner, count, 4 + names + count * width);
      this.#pairs.count[pair] = 0;
    }
  }

  /** Point-to-point messages of what each rank tells others: one to each peer. */
  told(items: readonly { readonly from: number; readonly to: number; readonly bytes: number }[]): void {
    this.#exchange();
    for (const { from, bytes } of items) this.#tell(from, 1, bytes);
  }

  /** A sum or maximum of 64-bit numbers over all ranks, as many sends as recursive doubling has rounds. */
  reduce(numbers: number): void {
    if (this.#ranks > 1) this.collectives += 1;
    this.#all(8 * numbers * Math.ceil(Math.log2(this.#ranks)));
  }

  /** 64 bits of each rank to each other one. */
  gather(): void {
    if (this.#ranks > 1) this.collectives += 1;
    this.#all(8 * (this.#ranks - 1));
  }

  /** Items from rank to rank in one MPI_Alltoallv; `counted`: lengths go before them. */
  shuffle({ counted }: { readonly counted: boolean }): void {
    if (counted) this.gather();
    if (this.#ranks > 1) this.collectives += 1;
  }

  /** Bytes of a shuffle. What a rank sends to itself does not count. */
  send(from: number, to: number, bytes: number): void {
    if (from !== to) this.bytes[from] = (this.bytes[from] ?? 0) + bytes;
  }

  get #ranks(): number {
    return this.partition.ranks;
  }

  #exchange(): void {
    this.messages += this.#ranks * (this.#ranks - 1);
  }

  #tell(rank: number, values: number, bytes: number): void {
    this.values += values;
    this.bytes[rank] = (this.bytes[rank] ?? 0) + bytes;
  }

  #all(bytes: number): void {
    for (let rank = 0; rank < this.#ranks; rank += 1) this.#tell(rank, 0, bytes);
  }

  /** One more place of a set, as a gap in 7-bit groups (agents/mpi/pieces.c); whether it is the pair's first. */
  #put(pair: number, place: number): boolean {
    const { count, next, listed } = this.#pairs;
    const isFirst = count[pair] === 0;
    if (isFirst) next[pair] = listed[pair] = 0;
    const gap = place - (next[pair] ?? 0);
    const soFar = listed[pair] ?? 0;
    const isTooLong = soFar + 5 >= bitmapBytes(this.copies.counts[pair] ?? 0);
    listed[pair] = isTooLong
      ? Number.POSITIVE_INFINITY
      : soFar + (gap < 2 ** 7 ? 1 : gap < 2 ** 14 ? 2 : gap < 2 ** 21 ? 3 : 4);
    next[pair] = place + 1;
    count[pair] = (count[pair] ?? 0) + 1;
    return isFirst;
  }
}

function bitmapBytes(copies: number): number {
  return Math.ceil(copies / 64) * 8;
}
