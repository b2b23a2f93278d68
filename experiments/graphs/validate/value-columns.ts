import { IdTable } from '../id-table.ts';
import { idText } from '../text/line-writer.ts';
import type { ValueRow } from './read-values.ts';

/** Largest |expected - actual| as a share of |expected|. */
const TOLERANCE = 1e-4;

/** Values of the reference by the numbers of their vertices. */
export interface ValueColumn {
  push(row: ValueRow): void;
  /** The expected value where the row has another; null where it is right, or where only the whole output tells. */
  differs(index: number, row: ValueRow): string | null;
}

const START = 1024;

export class RealColumn implements ValueColumn {
  #values = new Float64Array(START);
  #length = 0;

  push({ real }: ValueRow): void {
    if (this.#length === this.#values.length) this.#values = doubled(this.#values);
    this.#values[this.#length] = real;
    this.#length += 1;
  }

  differs(index: number, { real }: ValueRow): string | null {
    const expected = this.#values[index] ?? 0;
    if (expected === real) return null;
    // No share of infinity is finite.
    const isClose = Math.abs(expected) < Infinity && Math.abs(expected - real) <= TOLERANCE * Math.abs(expected);
    return isClose ? null : String(expected);
  }
}

export class WholeColumn implements ValueColumn {
  #halves = new Uint32Array(START);
  #length = 0;

  push({ hi, lo }: ValueRow): void {
    if (this.#length === this.#halves.length) this.#halves = doubled(this.#halves);
    this.#halves[this.#length] = hi;
    this.#halves[this.#length + 1] = lo;
    this.#length += 2;
  }

  differs(index: number, { hi, lo }: ValueRow): string | null {
    const [expectedHi, expectedLo] = [this.#halves[2 * index] ?? 0, this.#halves[2 * index + 1] ?? 0];
    return hi === expectedHi && lo === expectedLo ? null : wholeText(expectedHi, expectedLo);
  }
}

/** Labels count as names only: they get numbers of their own. */
export class LabelColumn implements ValueColumn {
  readonly #labels = new IdTable();
  readonly #actualLabels = new IdTable();
  #expected = new Uint32Array(START);
  #actual = new Uint32Array(START);
  #length = 0;

  push({ hi, lo }: ValueRow): void {
    if (this.#length === this.#expected.length) {
      this.#expected = doubled(this.#expected);
      this.#actual = doubled(this.#actual);
    }
    this.#expected[this.#length] = this.#labels.add(hi, lo);
    this.#length += 1;
  }

  differs(index: number, { hi, lo }: ValueRow): null {
    this.#actual[index] = this.#actualLabels.add(hi, lo);
    return null;
  }

  /** Of these vertices, those outside the partition; what is expected is the label that most others of the component have. */
  *differences(vertices: Uint32Array): Generator<{
    readonly index: number;
    readonly expected: () => string;
    readonly actual: () => string;
  }> {
    // Numbers of labels stay below the number of the vertices that have one.
    const compact = (column: Uint32Array): Uint32Array => {
      const numbers = new IdTable(vertices.length);
      return vertices.map((index) => numbers.add(0, column[index] ?? 0));
    };
    const [first, second] = [compact(this.#expected), compact(this.#actual)];
    const { differing, matched } = samePartition(first, second);
    const nameOf = new Int32Array(vertices.length).fill(-1);
    for (let at = 0; at < vertices.length; at += 1) nameOf[second[at] ?? 0] = this.#actual[vertices[at] ?? 0] ?? 0;
    for (const at of differing) {
      const index = vertices[at] ?? 0;
      const partner = matched[first[at] ?? 0] ?? -1;
      yield {
        index,
        expected: () =>
          partner < 0
            ? `a separate label (${labelText(this.#labels, this.#expected[index] ?? 0)})`
            : labelText(this.#actualLabels, nameOf[partner] ?? 0),
        actual: () => labelText(this.#actualLabels, this.#actual[index] ?? 0),
      };
    }
  }
}

function labelText(labels: IdTable, number: number): string {
  return wholeText(labels.hi(number), labels.lo(number));
}

/** A 64-bit whole number in two's complement. */
function wholeText(hi: number, lo: number): string {
  return hi < 2 ** 31 ? idText(hi, lo) : String(BigInt.asIntN(64, (BigInt(hi) << 32n) | BigInt(lo)));
}

function doubled<T extends Float64Array | Uint32Array>(column: T): T {
  const larger = (
    column instanceof Float64Array ? new Float64Array(column.length * 2) : new Uint32Array(column.length * 2)
  ) as T;
  larger.set(column);
  return larger;
}

/**
 * The vertices that keep two labellings from being the same partition: classes of the one are matched with classes of the other, those
 * that share most vertices first, and what is outside the matched pairs differs. Labels are numbers below `length` of the arrays.
 * `matched` has the second label that each first one stands for, -1 for none.
 */
function samePartition(
  first: Uint32Array,
  second: Uint32Array,
): { readonly differing: Uint32Array; readonly matched: Int32Array } {
  const pairs = pairsByCount(first, second);
  const matched = new Int32Array(first.length).fill(-1);
  const isTaken = new Uint8Array(first.length);
  for (const { a, b } of pairs) {
    if (matched[a] !== -1 || isTaken[b] !== 0) continue;
    matched[a] = b;
    isTaken[b] = 1;
  }
  const differing = new Uint32Array(first.length);
  let count = 0;
  for (let vertex = 0; vertex < first.length; vertex += 1) {
    if (matched[first[vertex] ?? 0] === second[vertex]) continue;
    differing[count] = vertex;
    count += 1;
  }
  return { differing: differing.subarray(0, count), matched };
}

/** Pairs of labels that some vertex has, those of most vertices first. */
function pairsByCount(first: Uint32Array, second: Uint32Array): Iterable<{ readonly a: number; readonly b: number }> {
  const size = first.length;
  const keys = new Float64Array(size);
  for (let vertex = 0; vertex < size; vertex += 1) keys[vertex] = (first[vertex] ?? 0) * size + (second[vertex] ?? 0);
  keys.sort();
  const starts: number[] = [];
  for (let at = 0; at < size; at += 1) if (at === 0 || keys[at] !== keys[at - 1]) starts.push(at);
  const lengths = Float64Array.from(starts, (start, run) => (starts[run + 1] ?? size) - start);
  const order = Uint32Array.from(starts.keys()).sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);
  return (function* () {
    for (const run of order) {
      const key = keys[starts[run] ?? 0] ?? 0;
      yield { a: Math.floor(key / size), b: key % size };
    }
  })();
}
