import { mean, sampleStandardDeviation } from 'simple-statistics';
import { groupBy } from '../../base/lists.ts';
import { edgeRatesOf, type HarnessRun } from './harness-run.ts';

/** The runs of one algorithm on one graph, their successful ones averaged. */
export interface PairMeans {
  readonly algorithm: string | null;
  readonly graph: string | null;
  readonly vertices: number | null;
  readonly edges: number | null;
  readonly succeeded: number;
  readonly failed: number;
  readonly loadS: number | null;
  readonly makespanS: number | null;
  readonly processingS: number | null;
  /** Standard deviation of T_proc over its mean; null for fewer than two runs or a mean of 0. */
  readonly variation: number | null;
  /** Of the mean T_proc. */
  readonly eps: number | null;
  readonly evps: number | null;
  readonly doubt: string | null;
}

/** Per algorithm and graph, in the order of their first runs. */
export function meansOf(runs: readonly HarnessRun[]): PairMeans[] {
  return groupBy(runs, ({ algorithm, graph }) => JSON.stringify([algorithm, graph])).map((group) => {
    const [{ algorithm, graph, vertices, edges }] = group as [HarnessRun, ...HarnessRun[]];
    const good = group.filter(({ success }) => success);
    const times = good.flatMap(({ processingS }) => processingS ?? []);
    const processingS = meanOf(times);
    return {
      ...{ algorithm, graph, vertices, edges, succeeded: good.length, failed: group.length - good.length },
      loadS: meanOf(good.flatMap(({ loadS }) => loadS ?? [])),
      makespanS: meanOf(good.flatMap(({ makespanS }) => makespanS ?? [])),
      processingS,
      variation: times.length > 1 && processingS ? sampleStandardDeviation(times) / processingS : null,
      ...edgeRatesOf({ processingS, vertices, edges }),
    };
  });
}

/**
 * The competition's figure of a platform: the mean over algorithms of the mean over an algorithm's graphs of the mean over
 * repetitions, seconds (the scoring of the 2023 competition); null where no pair has it.
 */
export function scoreOf(pairs: readonly PairMeans[], time: 'makespanS' | 'processingS'): number | null {
  const perAlgorithm = groupBy(pairs, ({ algorithm }) => String(algorithm)).flatMap(
    (group) => meanOf(group.flatMap((pair) => pair[time] ?? [])) ?? [],
  );
  return meanOf(perAlgorithm);
}

/** How many runs failed with each code; runs without a code are counted under their reason. */
export function failuresByCode(runs: readonly HarnessRun[]): { readonly code: string; readonly runs: number }[] {
  const names = runs.flatMap(({ success, codes }) => (success ? [] : codes.length === 0 ? ['no code'] : codes));
  return groupBy(names, (name) => name).map((group) => ({ code: group[0] as string, runs: group.length }));
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean([...values]);
}
