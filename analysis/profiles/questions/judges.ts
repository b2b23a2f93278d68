import { at, groupBy } from '../../../base/lists.ts';
import { totalOf } from '../tree/call-tree.ts';
import type { BenchmarkProfiles } from './correlate-paths.ts';
import type { RunHistory } from './history.ts';
import { deviation, meanCoefficient, pearson } from './path-statistics.ts';
import { divisorOf, type PathMeasure } from './path-values.ts';
import { type Context, ScannedTree } from './scanned-tree.ts';

/** What is said of a branch: how prospective it is, and by series how far the values of u and of the step are from what was expected. */
export interface BranchJudgement {
  readonly score: number;
  /** Of the code path that is expanded, in this context. */
  readonly candidateDiff?: number;
  /** Of the step's own code path, in this context. */
  readonly diff?: number;
}

/** Judges branches by the nodes that fulfil them in each of `trees`; null where a tree has none. */
export interface BranchJudge {
  readonly trees: readonly ScannedTree[];
  readonly judge: (contexts: readonly (Context | null)[]) => BranchJudgement;
}

/** By time series: the deviation of u in this context from its runs before. */
export function seriesJudge(
  { candidate, history }: RunHistory,
  { value, leastStd }: { readonly value: PathMeasure; readonly leastStd: ((expected: number) => number) | null },
): BranchJudge {
  const runs = [...history, candidate];
  const found = runs.flatMap(({ profiles }, run) => profiles.map(({ tree }) => ({ run, tree: new ScannedTree(tree) })));
  const against = (which: keyof Context, contexts: readonly (Context | null)[]) => {
    const sums = new Float64Array(runs.length);
    for (const [index, { run, tree }] of found.entries()) {
      sums[run] = at(sums, run) + tree.sampledIn(contexts[index]?.[which] ?? [], value);
    }
    const values = sums.map((sum, run) => sum / divisorOf(value, at(runs, run).total));
    return deviation(at(values, history.length), values.subarray(0, history.length), leastStd);
  };
  return {
    trees: found.map(({ tree }) => tree),
    judge: (contexts) => {
      const { score, diff } = against('judged', contexts);
      return { score, candidateDiff: diff, diff: against('ends', contexts).diff };
    },
  };
}

/** By correlation: the mean coefficient of u in this context with the metric of the profiles in which the context occurs. */
export function correlationJudge(
  benchmarks: readonly BenchmarkProfiles[],
  { value, least }: { readonly value: PathMeasure; readonly least: number },
): BranchJudge {
  const found = benchmarks.flatMap(({ members }) => {
    return members.map((profile) => ({ profile, tree: new ScannedTree(profile.tree) }));
  });
  return {
    trees: found.map(({ tree }) => tree),
    judge: (contexts) => {
      const points = found.flatMap(({ profile, tree }, index) => {
        const context = contexts[index] ?? null;
        if (context === null) return [];
        const x = tree.sampledIn(context.judged, value) / divisorOf(value, totalOf(profile.tree));
        return [{ benchmark: profile.benchmark, x, y: profile.metricMean }];
      });
      const coefficients = groupBy(points, ({ benchmark }) => benchmark)
        .filter(({ length }) => length >= least)
        .map((ofBenchmark) => ({ pcc: pearson(ofBenchmark) }));
      return { score: coefficients.length === 0 ? 0 : meanCoefficient(coefficients) };
    },
  };
}
