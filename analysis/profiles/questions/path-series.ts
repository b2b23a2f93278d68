import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { compareCodePoints } from '../../../base/text.ts';
import { type ProfileSelection, pathNamed } from '../tree/call-profile.ts';
import { type HistoryChoice, type RunHistory, type RunProfiles, runHistory } from './history.ts';
import { type Deviation, deviation } from './path-statistics.ts';
import { divisorOf, type PathMeasure, pathValues } from './path-values.ts';

export interface SeriesQuestion extends HistoryChoice {
  readonly value: PathMeasure;
  /** Deviations count as at least what sampling alone gives, the square root of the expected samples. */
  readonly noise: boolean;
}

/** `status` `+`: not in the runs before; `-`: not in the candidate. */
export interface SeriesRow extends Deviation {
  readonly codePath: string;
  readonly status: '+' | '-' | '';
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
  const { candidate, history } = found;
  const leastStd = leastStdOf(found, question);
  const n = history.length;
  const rows = valuesOfRuns([...history, candidate], question.value).map(({ name, values, first, last }) => {
    const status = first === n ? '+' : last < n ? '-' : '';
    const judged = deviation(at(values, n), values.subarray(0, n), leastStd);
    return { codePath: selection.names.text(name), status, ...judged } as const;
  });
  return {
    candidate: candidate.key,
    history: history.map(({ key }) => key),
    rows: rows.sort((a, b) => b.score - a.score || b.diff - a.diff || compareCodePoints(a.codePath, b.codePath)),
    warnings: unlikeTotals(found, question.value),
  };
}

/** So many runs before the candidate are shown: more are no picture that anybody reads. */
const MOST_SHOWN = 100;

/** What a code path took in a run, and what the runs before it let expect; null where fewer than 2 are before it. */
interface BandPoint {
  /** Key of the run. */
  readonly run: string;
  readonly timeNs: bigint;
  readonly value: number;
  readonly expected: number | null;
  readonly std: number | null;
}

/** One code path over the runs of a benchmark, oldest first, the candidate last. */
export interface PathBand {
  readonly codePath: string;
  readonly points: readonly BandPoint[];
}

/**
 * Of each code path its value in all runs up to the candidate, with the moving average and deviation of up to `window` runs before each
 * (Lundberg and Rettig 2024, figure 6.1 and appendix B). Errors: badInput of `runHistory` and for unknown code paths.
 */
export function pathBands(
  selection: ProfileSelection,
  question: SeriesQuestion,
  codePaths: readonly string[],
): readonly PathBand[] {
  const { window, value } = question;
  const { history, candidate } = runHistory(selection, { ...question, window: MOST_SHOWN + window });
  const runs = [...history, candidate];
  const valuesOf = new Map(valuesOfRuns(runs, value).map(({ name, values }) => [name, values]));
  return codePaths.map((codePath) => {
    // What only other runs have took nothing in these.
    const values = valuesOf.get(pathNamed(selection, codePath)) ?? new Float64Array(runs.length);
    const points = runs.map((run, place): BandPoint => {
      const from = Math.max(0, place - window);
      const point = { run: run.key, timeNs: at(run.profiles, 0).timeNs, value: at(values, place) };
      if (place - from < 2) return { ...point, expected: null, std: null };
      const leastStd = leastStdOf({ candidate: run, history: runs.slice(from, place) }, question);
      const { expected, std } = deviation(point.value, values.subarray(from, place), leastStd);
      return { ...point, expected, std };
    });
    return { codePath, points: points.slice(-MOST_SHOWN - 1) };
  });
}

/**
 * The least standard deviation of a value whose samples come at random: that of a Poisson count, sqrt(expected). Shares have it by the mean
 * total. Null where noise does not count. Errors: badInput where a profile does not count samples.
 */
export function leastStdOf(
  { candidate, history }: RunHistory,
  { value, noise }: Pick<SeriesQuestion, 'value' | 'noise'>,
): ((expected: number) => number) | null {
  if (!noise) return null;
  const other = [candidate, ...history].flatMap(({ profiles }) => profiles).find(({ unit }) => unit !== 'samples');
  if (other !== undefined) {
    throw badInput(
      `The profile '${other.key}' counts ${other.unit}, not samples, so its sampling noise is unknown: use --no-noise.`,
    );
  }
  const divisor = divisorOf(value, meanTotal(history));
  return (expected) => Math.sqrt(expected / divisor);
}

function meanTotal(history: RunHistory['history']): number {
  return history.reduce((sum, { total }) => sum + total, 0) / history.length;
}

/** What a code path took in each run, and the first and last run that has it. */
interface PathOfRuns {
  readonly name: number;
  readonly values: Float64Array;
  readonly first: number;
  last: number;
}

function valuesOfRuns(runs: readonly RunProfiles[], measure: PathMeasure): readonly PathOfRuns[] {
  const found = new Map<number, PathOfRuns>();
  for (const [run, { profiles, total }] of runs.entries()) {
    for (const { tree } of profiles) {
      for (const [name, value] of pathValues(tree, measure)) {
        const path = found.get(name) ?? { name, values: new Float64Array(runs.length), first: run, last: run };
        found.set(name, path);
        path.last = run;
        path.values[run] = at(path.values, run) + value;
      }
    }
    const divisor = divisorOf(measure, total);
    if (divisor !== 1) for (const { values } of found.values()) values[run] = at(values, run) / divisor;
  }
  return [...found.values()];
}

/** A longer run raises every total. */
function unlikeTotals({ candidate, history }: RunHistory, measure: PathMeasure): readonly string[] {
  const percent = (candidate.total / meanTotal(history) - 1) * 100;
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
