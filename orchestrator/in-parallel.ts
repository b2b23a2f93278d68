import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import { at } from '../base/lists.ts';
import type { Cell, TimedRun } from '../experiments/records.ts';
import type { InParallel } from '../experiments/store/campaign-events.ts';
import { studentQuantile } from '../modeling/judge/distributions.ts';

/** Differences below this (ln) are none. */
const LEAST_NOISE = 0.02;
/** Runs that take longer by so many times the noise are hindered by others. */
const CLEARLY = 2;

/** Which sizes may go in parallel; a size is open until one run of it was measured alone and then beside others. */
export class Sizes {
  readonly #hosts: number;
  readonly #isAlone: Map<number, boolean>;

  /** `known`: what earlier sweeps of the campaign found on so many hosts. */
  constructor(hosts: number, known: readonly InParallel[]) {
    this.#hosts = hosts;
    this.#isAlone = new Map(known.map(({ nodes, isAlone }) => [nodes, isAlone]));
  }

  readonly mayBeParallel = (nodes: number): boolean => this.#fits(nodes) && this.#isAlone.get(nodes) === false;

  isOpen(nodes: number): boolean {
    return this.#fits(nodes) && !this.#isAlone.has(nodes);
  }

  settle(nodes: number, isAlone: boolean): void {
    this.#isAlone.set(nodes, isAlone);
  }

  /** The same cells, of each open size first the one whose traffic hinders others most. */
  inOrder(cells: readonly Cell[], done: { has(id: string): boolean }): readonly Cell[] {
    const first = new Map<number, Cell>();
    for (const cell of cells) {
      if (!this.isOpen(cell.nodes) || cell.role === 'profile' || done.has(cell.id)) continue;
      if (cell.bw > (first.get(cell.nodes)?.bw ?? 0)) first.set(cell.nodes, cell);
    }
    const moved = new Set<Cell>();
    return cells.flatMap((cell) => {
      if (moved.has(cell)) return [];
      const before = first.get(cell.nodes);
      if (before === undefined || moved.has(before)) return [cell];
      moved.add(before);
      return before === cell ? [cell] : [before, cell];
    });
  }

  #fits(nodes: number): boolean {
    return 2 * nodes <= this.#hosts;
  }
}

/**
 * Compares runs that went at once with one alone, each the timed runs of equal work. Noise is how far one more run may be from them: a
 * prediction interval (90 %) by Student's t, of logarithms.
 */
export function compareAlone(
  nodes: number,
  alone: readonly TimedRun[],
  beside: readonly (readonly TimedRun[])[],
): InParallel {
  const ratios = beside.map((runs) => logRatio(runs, alone));
  const count = ratios.length;
  const half = studentQuantile(count - 1, 0.9) * sampleStandardDeviation(ratios) * Math.sqrt(1 + 1 / count);
  const noise = Math.max(half, LEAST_NOISE);
  const longer = mean(ratios);
  const percent = (log: number): number => Math.expm1(log) * 100;
  const aloneS = median(alone.map(({ ct }) => ct));
  return {
    ...{ nodes, runs: count, aloneS, besideS: aloneS * Math.exp(longer) },
    ...{ percent: percent(longer), noisePercent: percent(noise), isAlone: longer > CLEARLY * noise },
  };
}

/** Searches from one key are compared with each other, where both have the same. */
function logRatio(runs: readonly TimedRun[], alone: readonly TimedRun[]): number {
  const isPaired = runs.length === alone.length;
  if (!isPaired) return Math.log(median(runs.map(({ ct }) => ct)) / median(alone.map(({ ct }) => ct)));
  return median(runs.map(({ ct }, index) => Math.log(ct / at(alone, index).ct)));
}
