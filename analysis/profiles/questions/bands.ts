import { at } from '../../../base/lists.ts';
import { type ProfileSelection, pathNamed } from './call-profile.ts';
import { deviation } from './deviation.ts';
import { type RunHistory, runHistory } from './history.ts';
import { type SeriesQuestion, samplingNoise, valuesOfRuns } from './path-series.ts';

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
  const { window, value, noise } = question;
  const { history, candidate } = runHistory(selection, { ...question, window: MOST_SHOWN + window });
  const runs = [...history, candidate];
  const { names, values } = valuesOfRuns(runs, value, selection.names.size);
  const rowOf = new Map(names.map((name, row) => [name, row]));
  const first = Math.max(0, runs.length - 1 - MOST_SHOWN);
  return codePaths.map((codePath) => {
    const row = rowOf.get(pathNamed(selection, codePath));
    // What only other runs have took nothing in these.
    const own = row === undefined ? new Float64Array(runs.length) : values.subarray(row * runs.length);
    const points = runs.map((run, place): BandPoint => {
      const before: RunHistory = { candidate: run, history: runs.slice(Math.max(0, place - window), place) };
      const judged =
        before.history.length < 2
          ? null
          : deviation(
              at(own, place),
              own.subarray(place - before.history.length, place),
              noise ? samplingNoise(before, value) : null,
            );
      const timeNs = run.profiles[0]?.timeNs ?? 0n;
      return {
        run: run.key,
        timeNs,
        value: at(own, place),
        expected: judged?.expected ?? null,
        std: judged?.std ?? null,
      };
    });
    return { codePath, points: points.slice(first) };
  });
}
