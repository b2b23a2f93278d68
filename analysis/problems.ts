import { PredictError } from '../base/errors.ts';

/** What of a file could not be used, by its sort: `negative transfer`, `message without a receive`; lines from 1, the first few. */
export interface Problem {
  readonly kind: string;
  readonly count: number;
  readonly lines: readonly number[];
}

/** Of each sort so many lines are named. */
const NAMED_LINES = 10;

/** Counts what of a file cannot be used, by its sort. */
export class Problems {
  readonly #found = new Map<string, { count: number; readonly lines: number[] }>();

  /** Line from 1; 0 where what is missing is on none. */
  add(kind: string, line: number, count = 1): void {
    const found = this.#found.get(kind) ?? { count: 0, lines: [] };
    found.count += count;
    if (line > 0 && found.lines.length < NAMED_LINES) found.lines.push(line);
    this.#found.set(kind, found);
  }

  list(): Problem[] {
    return [...this.#found].map(([kind, { count, lines }]) => ({ kind, count, lines }));
  }
}

/** A run that left nothing to explain: no sampler, or no phases that the model knows. It is passed over, not a fault. */
export function nothingToExplain(message: string): PredictError {
  return new PredictError(message, { kind: 'badInput', details: { nothingToExplain: true } });
}

export function isNothingToExplain(error: unknown): error is PredictError {
  return error instanceof PredictError && error.details.nothingToExplain === true;
}
