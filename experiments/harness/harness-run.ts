import { mean, sampleStandardDeviation } from 'simple-statistics';
import { groupBy } from '../../base/lists.ts';

/** One run of the Graphalytics harness: an algorithm on a graph, once. Times in seconds; null is what nothing tells. */
export interface HarnessRun {
  readonly id: string;
  /** The harness's acronym: BFS, PR, WCC, CDLP, LCC or SSSP. */
  readonly algorithm: string | null;
  readonly graph: string | null;
  readonly vertices: number | null;
  readonly edges: number | null;
  /** From 1, in the order of its job. */
  readonly repetition: number | null;
  readonly success: boolean;
  /** The driver's loading of the graph, the same figure for all runs of a variant of it. */
  readonly loadS: number | null;
  /** The driver's whole run: start, reading, algorithm, writing. */
  readonly makespanS: number | null;
  /** T_proc, as the driver clocks it. */
  readonly processingS: number | null;
  /** Edges per second of T_proc. */
  readonly eps: number | null;
  /** Vertices and edges per second of T_proc. */
  readonly evps: number | null;
  /** Failure codes, which stand in logs only. */
  readonly codes: readonly string[];
  /** Why it failed, in words; null for a run that succeeded. */
  readonly reason: string | null;
  /** What makes its rates doubtful or absent; null without. */
  readonly doubt: string | null;
}

/** What one report of the harness says. */
export interface HarnessReport {
  readonly id: string | null;
  readonly platform: { readonly name: string | null; readonly version: string | null };
  readonly environment: string | null;
  /** How many machines were used; null where the report leaves it empty. */
  readonly nodes: number | null;
  readonly runs: readonly HarnessRun[];
  /** What was asked for and has no run, one sentence each. */
  readonly absent: readonly string[];
}

/** T_proc has a resolution of 1 ms; below this a rate is off by more than a tenth, seconds. */
export const RESOLVED_S = 0.01;

/** EPS and EVPS of a run (specification, section 2.5), or why they cannot be told. */
export function computeEdgeRates({
  processingS,
  vertices,
  edges,
}: Pick<HarnessRun, 'processingS' | 'vertices' | 'edges'>): Pick<HarnessRun, 'eps' | 'evps' | 'doubt'> {
  if (processingS === null) return { eps: null, evps: null, doubt: null };
  if (processingS === 0) {
    return { eps: null, evps: null, doubt: 'T_proc is 0, below the clock resolution of 1 ms, so there is no rate' };
  }
  const doubt =
    processingS < RESOLVED_S
      ? `T_proc is ${Number((processingS * 1e3).toFixed(3))} ms at a clock resolution of 1 ms`
      : null;
  if (edges === null) return { eps: null, evps: null, doubt: doubt ?? 'the number of edges is unknown' };
  const eps = edges / processingS;
  if (vertices === null) return { eps, evps: null, doubt: doubt ?? 'the number of vertices is unknown' };
  return { eps, evps: (vertices + edges) / processingS, doubt };
}

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
export function computeMeans(runs: readonly HarnessRun[]): PairMeans[] {
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
      ...computeEdgeRates({ processingS, vertices, edges }),
    };
  });
}

/**
 * The competition's figure of a platform: the mean over algorithms of the mean over an algorithm's graphs of the mean over
 * repetitions, seconds (the scoring of the 2023 competition); null where no pair has it.
 */
export function computeScore(pairs: readonly PairMeans[], time: 'makespanS' | 'processingS'): number | null {
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
