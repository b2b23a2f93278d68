import { totalOf } from '../tree/call-tree.ts';
import { type Context, ScannedTree } from './contexts.ts';
import { type BenchmarkProfiles, meanCoefficient, pearson } from './correlate-paths.ts';
import { deviation } from './deviation.ts';
import type { RunHistory } from './history.ts';
import { divisorOf, type PathMeasure } from './path-values.ts';

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
    const values = new Float64Array(runs.length);
    for (const [index, { run, tree }] of found.entries()) {
      values[run] = (values[run] ?? 0) + tree.sampledIn(contexts[index]?.[which] ?? [], value);
    }
    for (const [run, { total }] of runs.entries()) values[run] = (values[run] ?? 0) / divisorOf(value, total);
    return deviation(values[history.length] ?? 0, values.subarray(0, history.length), leastStd);
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
  const trees = benchmarks.flatMap(({ members }) => members.map(({ tree }) => new ScannedTree(tree)));
  return {
    trees,
    judge: (contexts) => {
      let index = 0;
      const coefficients = benchmarks.flatMap(({ members }) => {
        const [x, y]: [number[], number[]] = [[], []];
        for (const { tree, metricMean } of members) {
          const [context, scanned] = [contexts[index], trees[index]];
          index += 1;
          if (context == null || scanned === undefined) continue;
          x.push(scanned.sampledIn(context.judged, value) / divisorOf(value, totalOf(tree)));
          y.push(metricMean ?? 0);
        }
        return x.length >= least ? [{ pcc: pearson(x, y) }] : [];
      });
      return { score: coefficients.length === 0 ? 0 : meanCoefficient(coefficients) };
    },
  };
}
