import { totalOf } from '../tree/call-tree.ts';
import { type CallProfile, divisorOf, measuresBase, type PathMeasure } from './call-profile.ts';
import { type Context, ownOfNodes, type ScannedTree, scanned, totalOfNodes } from './context.ts';
import { type BenchmarkProfiles, meanCoefficient, pearson } from './correlate-paths.ts';
import { deviation } from './deviation.ts';
import type { RunHistory } from './history.ts';

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
  const runOf = runs.flatMap(({ profiles }, run) => profiles.map(() => run));
  const trees = runs.flatMap(({ profiles }) => profiles.map(({ tree }) => scanned(tree)));
  const against = (nodesOf: (context: Context) => readonly number[], contexts: readonly (Context | null)[]) => {
    const values = new Float64Array(runs.length);
    for (const [index, context] of contexts.entries()) {
      const run = runOf[index] ?? 0;
      values[run] = (values[run] ?? 0) + sampledIn(trees[index], context === null ? [] : nodesOf(context), value);
    }
    for (const [run, { total }] of runs.entries()) values[run] = (values[run] ?? 0) / divisorOf(value, total);
    return deviation(values[history.length] ?? 0, values.subarray(0, history.length), leastStd);
  };
  return {
    trees,
    judge: (contexts) => {
      const { score, diff } = against(({ judged }) => judged, contexts);
      return { score, candidateDiff: diff, diff: against(({ ends }) => ends, contexts).diff };
    },
  };
}

/** By correlation: the mean coefficient of u in this context with the metric of the profiles in which the context occurs. */
export function correlationJudge(
  benchmarks: readonly BenchmarkProfiles[],
  { value, least }: { readonly value: PathMeasure; readonly least: number },
): BranchJudge {
  const profiles: readonly CallProfile[] = benchmarks.flatMap(({ members }) => members);
  const trees = profiles.map(({ tree }) => scanned(tree));
  return {
    trees,
    judge: (contexts) => {
      const coefficients: { readonly pcc: number }[] = [];
      let from = 0;
      for (const { members } of benchmarks) {
        const x: number[] = [];
        const y: number[] = [];
        for (const [index, { tree, metricMean }] of members.entries()) {
          const context = contexts[from + index] ?? null;
          if (context === null) continue;
          x.push(sampledIn(trees[from + index], context.judged, value) / divisorOf(value, totalOf(tree)));
          y.push(metricMean ?? 0);
        }
        if (x.length >= least) coefficients.push({ pcc: pearson(x, y) });
        from += members.length;
      }
      return { score: coefficients.length === 0 ? 0 : meanCoefficient(coefficients) };
    },
  };
}

function sampledIn(tree: ScannedTree | undefined, nodes: readonly number[], value: PathMeasure): number {
  if (tree === undefined) return 0;
  return measuresBase(value) ? ownOfNodes(tree, nodes) : totalOfNodes(tree, nodes);
}
