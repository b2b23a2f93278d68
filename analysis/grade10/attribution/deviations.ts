import { medianSorted, quantileSorted, sampleStandardDeviation } from 'simple-statistics';

/** A column of a table: how many values there are, and how they are spread; null where too few tell it. */
export interface Spread {
  readonly count: number;
  readonly sum: number;
  readonly mean: number | null;
  readonly sd: number | null;
  readonly cv: number | null;
  readonly least: number | null;
  readonly q1: number | null;
  readonly median: number | null;
  readonly q3: number | null;
  readonly most: number | null;
}

/** What lies on one side of the baseline: slices (unit x seconds), and runs of slices by duration (seconds) and area (unit x seconds). */
export interface Deviations {
  readonly samples: Spread;
  readonly durations: Spread;
  readonly areas: Spread;
}

/** Collects deviations to one side, slice by slice, and their runs. */
export class DeviationRuns {
  readonly #slice: number;
  readonly #samples: number[] = [];
  readonly #durations: number[] = [];
  readonly #areas: number[] = [];
  #area = 0;
  #length = 0;

  constructor(slice: number) {
    this.#slice = slice;
  }

  /** 0 ends a run. */
  add(rate: number): void {
    if (rate === 0) {
      this.end();
      return;
    }
    this.#samples.push(rate * this.#slice);
    this.#area += rate * this.#slice;
    this.#length += 1;
  }

  end(): void {
    if (this.#length === 0) return;
    this.#durations.push(this.#length * this.#slice);
    this.#areas.push(this.#area);
    [this.#area, this.#length] = [0, 0];
  }

  deviations(): Deviations {
    return {
      samples: spreadOf(this.#samples),
      durations: spreadOf(this.#durations),
      areas: spreadOf(this.#areas),
    };
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  const mean = count > 0 ? sum / count : null;
  const list = [...sorted];
  const quantile = (share: number): number | null => (count > 0 ? quantileSorted(list, share) : null);
  const sd = count > 1 ? sampleStandardDeviation(list) : null;
  return {
    ...{ count, sum, mean, sd, cv: sd !== null && mean !== null && mean > 0 ? sd / mean : null },
    ...{ least: list[0] ?? null, q1: quantile(0.25), median: count > 0 ? medianSorted(list) : null },
    ...{ q3: quantile(0.75), most: list.at(-1) ?? null },
  };
}
