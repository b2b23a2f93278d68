import { badInput } from '../../../base/errors.ts';
import { at, groupBy } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { type CallProfile, oneUnit, type ProfileSelection } from '../tree/call-profile.ts';
import { totalOf } from '../tree/call-tree.ts';

/** What one test run of a benchmark left: mostly one profile; several, for example one a rank, add up. */
export interface RunProfiles {
  /** Key of the profile; of several, `benchmark/testRun`. */
  readonly key: string;
  readonly profiles: readonly CallProfile[];
  /** All that they sampled. */
  readonly total: number;
}

/** A run that is judged, and those before it, oldest first. */
export interface RunHistory {
  readonly candidate: RunProfiles;
  readonly history: readonly RunProfiles[];
}

export interface HistoryChoice {
  readonly benchmark: string;
  /** Key of a profile, or of a run; null for the latest run. */
  readonly candidate: string | null;
  /** So many runs before the candidate. */
  readonly window: number;
  /** Only runs whose names begin so. Default: all. */
  readonly runs?: string | undefined;
}

/** The least runs with a standard deviation. */
const LEAST_RUNS = 2;

/**
 * The runs of a benchmark up to a candidate, by their times. Errors: badInput where the benchmark or the candidate is not there,
 * fewer than 2 runs lie before it, or the runs count different units.
 */
export function runHistory(
  { profiles }: ProfileSelection,
  { benchmark, candidate, window, runs: beginning = '' }: HistoryChoice,
): RunHistory {
  const own = profiles.filter((profile) => profile.benchmark === benchmark);
  if (own.length === 0) throw badInput(`There is no profile of the benchmark '${shortened(benchmark)}'.`);
  const runs = groupRuns(own.filter(({ testRun }) => testRun.startsWith(beginning)));
  if (runs.length === 0) {
    throw badInput(`No run of the benchmark '${shortened(benchmark)}' begins with '${shortened(beginning)}'.`);
  }
  const place = candidate === null ? runs.length - 1 : runs.findIndex((run) => isCalled(run, candidate));
  const found = runs[place];
  if (found === undefined) {
    throw badInput(
      `The benchmark '${shortened(benchmark)}' has no profile with the key '${shortened(candidate ?? '')}'.`,
    );
  }
  const history = runs.slice(Math.max(0, place - window), place);
  if (history.length < LEAST_RUNS) {
    throw badInput(
      `The profile '${shortened(found.key)}' has ${history.length} of the benchmark '${shortened(benchmark)}' before it, but at least ${LEAST_RUNS} are needed for a mean and a deviation.`,
    );
  }
  oneUnit(
    [found, ...history].flatMap((run) => run.profiles),
    'name runs of one unit with --runs',
  );
  return { candidate: found, history };
}

/** The runs that profiles are of, by their times. */
export function groupRuns(profiles: readonly CallProfile[]): readonly RunProfiles[] {
  const inTime = [...profiles].sort((a, b) => (a.timeNs < b.timeNs ? -1 : a.timeNs > b.timeNs ? 1 : 0));
  return groupBy(inTime, ({ testRun }) => testRun).map((members) => {
    const first = at(members, 0);
    return {
      key: members.length === 1 ? first.key : `${first.benchmark}/${first.testRun}`,
      profiles: members,
      total: members.reduce((sum, { tree }) => sum + totalOf(tree), 0),
    };
  });
}

/** Whether a key is that of a run, or of a profile of it. */
export function isCalled({ key, profiles }: RunProfiles, wanted: string): boolean {
  return key === wanted || profiles.some((profile) => profile.key === wanted);
}
