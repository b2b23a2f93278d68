import { badInput } from '../../../base/errors.ts';
import { compareCodePoints } from '../../../base/text.ts';
import { divisorOf, type PathMeasure, type ProfileSelection, pathValues } from './call-profile.ts';
import { type Deviation, deviation } from './deviation.ts';
import { type HistoryChoice, type RunHistory, type RunProfiles, runHistory } from './history.ts';

export interface SeriesQuestion extends HistoryChoice {
  readonly value: PathMeasure;
  /** Deviations count as at least what sampling alone gives, the square root of the expected samples. */
  readonly noise: boolean;
}

/** `+`: not in the runs before; `-`: not in the candidate. */
type SeriesStatus = '+' | '-' | '';

export interface SeriesRow extends Deviation {
  readonly codePath: string;
  readonly status: SeriesStatus;
}

interface PathSeries {
  readonly candidate: string;
  /** Keys of the runs before it, oldest first. */
  readonly history: readonly string[];
  /** By score, then diff, both falling, then name. */
  readonly rows: readonly SeriesRow[];
  /** What makes the answer doubtful. */
  readonly warnings: readonly string[];
}

/** What all samples may differ by without a word. */
const LIKE_TOTALS_PERCENT = 20;

/** What each code path took in a run against the runs before it (thesis section 6.1). Errors: badInput of `runHistory`. */
export function series(selection: ProfileSelection, question: SeriesQuestion): PathSeries {
  const found = runHistory(selection, question);
  const runs = [...found.history, found.candidate];
  const leastStd = question.noise ? samplingNoise(found, question.value) : null;
  const { names, values, inHistory, inCandidate } = valuesOfRuns(runs, question.value, selection.names.size);
  const n = found.history.length;
  const rows: SeriesRow[] = [];
  for (let row = 0; row < names.length; row += 1) {
    const from = row * runs.length;
    const status = inHistory[row] === 0 ? '+' : inCandidate[row] === 0 ? '-' : '';
    const judged = deviation(values[from + n] ?? 0, values.subarray(from, from + n), leastStd);
    rows.push({ codePath: selection.names.text(names[row] ?? -1), status, ...judged });
  }
  rows.sort((a, b) => b.score - a.score || b.diff - a.diff || compareCodePoints(a.codePath, b.codePath));
  return {
    candidate: found.candidate.key,
    history: found.history.map(({ key }) => key),
    rows,
    warnings: unlikeTotals(found, question.value),
  };
}

/**
 * The least standard deviation of a value whose samples come at random: that of a Poisson count, sqrt(expected). Shares have it by the mean
 * total. Errors: badInput where a profile does not count samples.
 */
export function samplingNoise({ candidate, history }: RunHistory, value: PathMeasure): (expected: number) => number {
  const other = [candidate, ...history].flatMap(({ profiles }) => profiles).find(({ unit }) => unit !== 'samples');
  if (other !== undefined) {
    throw badInput(
      `The profile '${other.key}' counts ${other.unit}, not samples, so its sampling noise is unknown: use --no-noise.`,
    );
  }
  if (value === 'total' || value === 'base') return Math.sqrt;
  const mean = history.reduce((sum, { total }) => sum + total, 0) / history.length;
  return (expected) => Math.sqrt(expected / mean);
}

interface RunValues {
  readonly names: readonly number[];
  /** A row a name, with a value for each run. */
  readonly values: Float64Array;
  /** By row, whether a run before the last or the last has the code path. */
  readonly inHistory: Uint8Array;
  readonly inCandidate: Uint8Array;
}

/** What each code path took in each run. */
export function valuesOfRuns(runs: readonly RunProfiles[], measure: PathMeasure, count: number): RunValues {
  const rowOf = new Int32Array(count).fill(-1);
  const names: number[] = [];
  const found = runs.map((run) => run.profiles.map(({ tree }) => pathValues(tree, measure)));
  for (const one of found.flat()) {
    for (const name of one.names) {
      if (rowOf[name] !== -1) continue;
      rowOf[name] = names.length;
      names.push(name);
    }
  }
  const values = new Float64Array(names.length * runs.length);
  const inHistory = new Uint8Array(names.length);
  const inCandidate = new Uint8Array(names.length);
  for (const [run, parts] of found.entries()) {
    const seen = run === runs.length - 1 ? inCandidate : inHistory;
    for (const part of parts) {
      for (let index = 0; index < part.names.length; index += 1) {
        const row = rowOf[part.names[index] ?? 0] ?? 0;
        const place = row * runs.length + run;
        values[place] = (values[place] ?? 0) + (part.values[index] ?? 0);
        seen[row] = 1;
      }
    }
  }
  const divisors = runs.map(({ total }) => divisorOf(measure, total));
  for (let place = 0; place < values.length; place += 1) {
    values[place] = (values[place] ?? 0) / (divisors[place % runs.length] ?? 1);
  }
  return { names, values, inHistory, inCandidate };
}

/** A longer run raises every total. */
function unlikeTotals({ candidate, history }: RunHistory, measure: PathMeasure): readonly string[] {
  const mean = history.reduce((sum, { total }) => sum + total, 0) / history.length;
  const percent = (candidate.total / mean - 1) * 100;
  if (divisorOf(measure, 2) !== 1 || Math.abs(percent) <= LIKE_TOTALS_PERCENT) return [];
  return [
    `${candidate.key} sampled ${Math.abs(percent).toFixed(0)} % ${percent > 0 ? 'more' : 'less'} than the previous runs, which changes every total: compare shares (total-share).`,
  ];
}

/**
 * By what code paths are ranked: `score` is the thesis's, deviations; `change` is what a code path takes more without doubt. Of
 * hundreds of rarely seen code paths some always score high, by one or two samples; the change that they make is as small.
 */
type SeriesRank = 'change' | 'score';

export const SERIES_RANKS: readonly SeriesRank[] = ['change', 'score'];

/** More deviations than sampling usually gives (Lundberg and Rettig 2024, section 6.1). */
export const UNUSUAL_DEVIATIONS = 2;

export interface RankedRow extends SeriesRow {
  /** The change less what is usual, two deviations; 0 where there is no deviation. In the unit of the change. */
  readonly beyond: number;
}

/** Falling, then by name. By score rows keep their order, which is that of `series`. */
export function rankRows(rows: readonly SeriesRow[], rank: SeriesRank): readonly RankedRow[] {
  const ranked = rows.map((row) => ({ ...row, beyond: (row.score - UNUSUAL_DEVIATIONS) * row.std }));
  if (rank === 'score') return ranked;
  return ranked.sort((a, b) => b.beyond - a.beyond || compareCodePoints(a.codePath, b.codePath));
}
