import { badInput } from '../../../base/errors.ts';
import { compareText } from '../../../base/text.ts';
import { type Problem, Problems } from '../../problems.ts';
import { ACTIVITY_KINDS, type Activities, type ActivityKind, type Slice } from '../activities.ts';
import { arrange, byFirst, groupByKey } from '../arrange.ts';
import { GrowingColumns } from '../growing-columns.ts';

/** Activities of a file, and what of it could not be used. */
export interface ReadActivities {
  readonly activities: Activities;
  readonly problems: readonly Problem[];
  /** What the file calls the instant 0 of the times: another than 0 where they lie beyond 2^53 ns. */
  readonly originNs: bigint;
}

interface Work extends Slice {
  readonly worker: string;
  readonly kind: ActivityKind;
  readonly name: string;
  /** Where it stands, for problems; from 1. */
  readonly line: number;
}

interface Transfer extends Slice {
  readonly from: string;
  readonly to: string;
  readonly name: string;
  /** NaN where it is not known. */
  readonly bytes: number;
  readonly line: number;
}

/** Activities, and transfers: those of some 10 GB of lines. */
const MOST = 2 ** 26;

/**
 * Collects activities and transfers in any order, and sorts them into columns; workers are ordered by name, numbers in them as
 * numbers. What a graph cannot hold goes to `problems`: an end before its start, an arrival before its sending (made a transfer
 * without length), an activity of zero duration, activities of a worker that overlap (the later one is cut).
 */
export class ActivityBuilder {
  readonly problems = new Problems();
  readonly #workers = new Map<string, number>();
  readonly #names = new Map<string, number>();
  readonly #runs = new Map<number, { born: number; gone: number }>();
  readonly #work = new GrowingColumns({
    ...{ worker: Int32Array, start: Float64Array, end: Float64Array },
    ...{ kind: Uint8Array, name: Int32Array, line: Float64Array },
  });
  readonly #moved = new GrowingColumns({
    ...{ from: Int32Array, to: Int32Array, start: Float64Array, end: Float64Array },
    ...{ name: Int32Array, bytes: Float64Array },
  });
  readonly #most: number;

  constructor({ most = MOST }: { readonly most?: number } = {}) {
    this.#most = most;
  }

  addWork({ worker, startNs, endNs, kind, name, line }: Work): void {
    if (endNs < startNs) {
      this.problems.add('activity that ends before it starts', line);
      return;
    }
    if (endNs === startNs) {
      this.problems.add('activity of zero duration', line);
      return;
    }
    this.#refuseMore(this.#work.length);
    this.#work.addRow({
      ...{ worker: numberOf(this.#workers, worker), start: startNs, end: endNs, line },
      ...{ kind: ACTIVITY_KINDS.indexOf(kind), name: numberOf(this.#names, name) },
    });
  }

  addTransfer({ from, to, startNs, endNs, name, bytes, line }: Transfer): void {
    if (endNs < startNs) this.problems.add('negative transfer', line);
    if (from === to && endNs <= startNs) {
      this.problems.add('transfer to itself of zero duration', line);
      return;
    }
    this.#refuseMore(this.#moved.length);
    this.#moved.addRow({
      ...{ from: numberOf(this.#workers, from), to: numberOf(this.#workers, to), bytes },
      ...{ start: startNs, end: Math.max(startNs, endNs), name: numberOf(this.#names, name) },
    });
  }

  /** When a worker runs; without it from its first activity to its last. */
  addRunning(worker: string, { born, gone, line }: { born: number; gone: number; line: number }): void {
    if (gone < born) {
      this.problems.add('activity that ends before it starts', line);
      return;
    }
    const own = numberOf(this.#workers, worker);
    const before = this.#runs.get(own);
    this.#runs.set(own, {
      born: Math.min(born, before?.born ?? born),
      gone: Math.max(gone, before?.gone ?? gone),
    });
  }

  /** What was collected of a file whose times count from `originNs`. */
  finish(originNs = 0n): ReadActivities {
    return { activities: this.build(), problems: this.problems.list(), originNs };
  }

  build(): Activities {
    const { workers, rank } = this.#orderWorkers();
    const [done, moved] = [this.#work.used(), this.#moved.used()];
    const ranked = (column: Int32Array): Int32Array => column.map((worker) => rank[worker] as number);
    const owner = ranked(done.worker);
    const order = this.#withoutOverlaps(byFirst(groupByKey(owner, workers.length), done.start));
    const work = {
      first: countsOf(order, owner, workers.length),
      startNs: arrange(Float64Array, done.start, order),
      endNs: arrange(Float64Array, done.end, order),
      kind: arrange(Uint8Array, done.kind, order),
      name: arrange(Int32Array, done.name, order),
    };
    const { order: arrivals, first } = byFirst(groupByKey(ranked(moved.to), workers.length), moved.end);
    const transfers = {
      first,
      from: ranked(arrange(Int32Array, moved.from, arrivals)),
      startNs: arrange(Float64Array, moved.start, arrivals),
      endNs: arrange(Float64Array, moved.end, arrivals),
      name: arrange(Int32Array, moved.name, arrivals),
      bytes: arrange(Float64Array, moved.bytes, arrivals),
    };
    const names = [...this.#names.keys()];
    return { workers, names, work, transfers, ...this.#lives(rank, work) };
  }

  #refuseMore(count: number): void {
    if (count < this.#most) return;
    throw badInput(
      `The trace has more than ${this.#most.toLocaleString('en')} activities or transfers, too many for one analysis: trace a shorter period.`,
    );
  }

  /** Names in order, and the place of each worker as it was met. */
  #orderWorkers(): { readonly workers: string[]; readonly rank: Int32Array } {
    const met = [...this.#workers.keys()];
    const order = met.map((_, index) => index).sort((a, b) => byNumber(met[a] ?? '', met[b] ?? ''));
    const rank = new Int32Array(met.length);
    for (const [place, index] of order.entries()) rank[index] = place;
    return { workers: order.map((index) => met[index] ?? ''), rank };
  }

  /** Cuts what begins before the one before it ends; what nothing is left of is out. */
  #withoutOverlaps({ order, first }: { readonly order: Int32Array; readonly first: Uint32Array }): Int32Array {
    const { start, end, line } = this.#work.of;
    const kept = new Int32Array(order.length);
    let count = 0;
    for (let worker = 0; worker + 1 < first.length; worker += 1) {
      let doneNs = Number.NEGATIVE_INFINITY;
      for (let index = first[worker] as number; index < (first[worker + 1] as number); index += 1) {
        const row = order[index] as number;
        if ((start[row] as number) < doneNs) {
          this.problems.add('activities of a worker that overlap', line[row] as number);
          if ((end[row] as number) <= doneNs) continue;
          start[row] = doneNs;
        }
        doneNs = end[row] as number;
        kept[count] = row;
        count += 1;
      }
    }
    return kept.subarray(0, count);
  }

  #lives(rank: Int32Array, { first, startNs, endNs }: Activities['work']) {
    const bornNs = new Float64Array(rank.length).fill(Number.POSITIVE_INFINITY);
    const goneNs = new Float64Array(rank.length).fill(Number.NEGATIVE_INFINITY);
    for (let worker = 0; worker < rank.length; worker += 1) {
      const [from, to] = [first[worker] as number, first[worker + 1] as number];
      if (from === to) continue;
      bornNs[worker] = startNs[from] as number;
      goneNs[worker] = endNs[to - 1] as number;
    }
    for (const [met, { born, gone }] of this.#runs) {
      const worker = rank[met] as number;
      bornNs[worker] = Math.min(born, bornNs[worker] as number);
      goneNs[worker] = Math.max(gone, goneNs[worker] as number);
    }
    return { bornNs, goneNs };
  }
}

function numberOf(known: Map<string, number>, name: string): number {
  const found = known.get(name);
  if (found !== undefined) return found;
  known.set(name, known.size);
  return known.size - 1;
}

function countsOf(order: Int32Array, key: Int32Array, keys: number): Uint32Array {
  return groupByKey(arrange(Int32Array, key, order), keys).first;
}

const collator = new Intl.Collator('en', { numeric: true });

function byNumber(a: string, b: string): number {
  return collator.compare(a, b) || compareText(a, b);
}
