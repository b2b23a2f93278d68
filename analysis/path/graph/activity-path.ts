import { at, last } from '../../../base/lists.ts';
import { ACTIVITY_KINDS, type Activities, type PathStep } from '../activities.ts';
import { GrowingColumns } from '../growing-columns.ts';
import { NO_ROW } from './segment.ts';

/** What a step of a path is: an activity of a worker, a time of which nothing is stored, a transfer. */
export const [WORK_STEP, GAP_STEP, TRANSFER_STEP] = [0, 1, 2] as const;

/** Where and why a path ends before the beginning of its slice: the property that does not hold there. */
export interface BrokenPath {
  readonly property: '3.9' | '3.10' | '3.11';
  /** Null where all workers wait. */
  readonly worker: number | null;
  readonly atNs: number;
}

/** A critical path in columns, oldest step first; the steps follow each other without a gap. Times in ns. */
export interface ActivityPath {
  /** The slice's. */
  readonly startNs: number;
  readonly endNs: number;
  /** Sum of the steps: `endNs - startNs` unless the path is broken. */
  readonly lengthNs: number;
  /** Transfers on the path, without one that the slice's end cuts: its receiver is not reached in the slice. */
  readonly hops: number;
  readonly broken: BrokenPath | null;
  readonly steps: {
    readonly count: number;
    /** `WORK_STEP`, `GAP_STEP` or `TRANSFER_STEP`. */
    readonly sort: Uint8Array;
    /** Of `work` or of `transfers`; `NO_ROW` in a gap. */
    readonly row: Int32Array;
    /** Whose work; of a transfer the sender. */
    readonly worker: Int32Array;
    readonly startNs: Float64Array;
    readonly endNs: Float64Array;
  };
}

const STEPS = { sort: Uint8Array, row: Int32Array, worker: Int32Array, startNs: Float64Array, endNs: Float64Array };

/** Collects the steps of a path from its end to its beginning. */
export class PathWriter {
  #hops = 0;
  readonly #steps = new GrowingColumns(STEPS);

  get hops(): number {
    return this.#hops;
  }

  /** A transfer that the slice's end cuts: a step, but no hop. */
  pushCut(row: number, worker: number, startNs: number, endNs: number): void {
    this.push(TRANSFER_STEP, row, worker, startNs, endNs);
    this.#hops -= 1;
  }

  push(sort: number, row: number, worker: number, startNs: number, endNs: number): void {
    const step = this.#steps.add();
    const { of } = this.#steps;
    of.sort[step] = sort;
    of.row[step] = row;
    of.worker[step] = worker;
    of.startNs[step] = startNs;
    of.endNs[step] = endNs;
    if (sort === TRANSFER_STEP) this.#hops += 1;
  }

  finish({ startNs, endNs, broken }: Pick<ActivityPath, 'startNs' | 'endNs' | 'broken'>): ActivityPath {
    const found = this.#steps.used();
    for (const column of Object.values(found)) column.reverse();
    const steps = { count: this.#steps.length, ...found };
    const lengthNs = steps.count === 0 ? 0 : last(steps.endNs) - at(steps.startNs, 0);
    return { startNs, endNs, lengthNs, hops: this.#hops, broken, steps };
  }
}

/** What is on a path: the kind of an activity or transfer, its name (its kind where it has none), and who gets what a transfer sends. */
export function partOf(
  activities: Activities,
  row: number,
  isTransfer: boolean,
): Pick<PathStep, 'kind' | 'key' | 'to'> {
  const { work, transfers, names } = activities;
  if (row === NO_ROW) return { kind: 'unknown', key: 'unknown', to: null };
  if (isTransfer) {
    return { kind: 'transfer', key: names[transfers.name[row] as number] || 'transfer', to: targetOf(activities, row) };
  }
  const kind = ACTIVITY_KINDS[work.kind[row] as number] ?? 'unknown';
  return { kind, key: names[work.name[row] as number] || kind, to: null };
}

/** The worker at which a transfer arrives. */
export function targetOf({ transfers }: Activities, row: number): number {
  let [low, high] = [0, transfers.first.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((transfers.first[middle] as number) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A path as records, one by one, oldest first. */
export function* pathSteps(activities: Activities, { steps }: ActivityPath): Generator<PathStep> {
  for (let step = 0; step < steps.count; step += 1) {
    const { kind, key, to } = partOf(activities, at(steps.row, step), steps.sort[step] === TRANSFER_STEP);
    const [startNs, endNs] = [at(steps.startNs, step), at(steps.endNs, step)];
    yield { worker: at(steps.worker, step), to, kind, key, startNs, endNs };
  }
}
