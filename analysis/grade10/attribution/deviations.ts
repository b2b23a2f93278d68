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
  readonly #samples = new Numbers();
  readonly #durations = new Numbers();
  readonly #areas = new Numbers();
  #area = 0;
  #length = 0;

  /** So many seconds a slice. */
  constructor(slice: number) {
    this.#slice = slice;
  }

  /** By how much the next slice deviates, in the metric's unit; 0 ends a run. */
  add(rate: number): void {
    if (rate === 0) {
      if (this.#length > 0) this.end();
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
    this.#area = 0;
    this.#length = 0;
  }

  deviations(): Deviations {
    return {
      samples: spreadOf(this.#samples.sorted()),
      durations: spreadOf(this.#durations.sorted()),
      areas: spreadOf(this.#areas.sorted()),
    };
  }
}

/** A list of numbers that may be as long as a job has slices of phases. */
class Numbers {
  #values = new Float64Array(64);
  #count = 0;

  push(value: number): void {
    if (this.#count === this.#values.length) {
      const grown = new Float64Array(2 * this.#count);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#count] = value;
    this.#count += 1;
  }

  sorted(): Float64Array {
    return this.#values.subarray(0, this.#count).sort();
  }
}

function spreadOf(sorted: Float64Array): Spread {
  const count = sorted.length;
  let [sum, squares] = [0, 0];
  for (const value of sorted) sum += value;
  const mean = count > 0 ? sum / count : null;
  for (const value of sorted) squares += (value - (mean ?? 0)) ** 2;
  const sd = count > 1 ? Math.sqrt(squares / (count - 1)) : null;
  return {
    ...{ count, sum, mean, sd, cv: sd !== null && mean !== null && mean > 0 ? sd / mean : null },
    ...{ least: quantile(sorted, 0), q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5) },
    ...{ q3: quantile(sorted, 0.75), most: quantile(sorted, 1) },
  };
}

/** Between two values in proportion (R's type 7). */
function quantile(sorted: Float64Array, share: number): number | null {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined ? null : low + (high - low) * (place - Math.floor(place));
}
