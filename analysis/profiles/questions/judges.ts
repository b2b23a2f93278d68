import { type CallTree, ROOT, totalOf } from '../tree/call-tree.ts';
import { type BenchmarkProfiles, meanCoefficient, pearson } from './correlate-paths.ts';
import { deviation } from './deviation.ts';
import type { RunHistory } from './history.ts';
import { divisorOf, measuresBase, type PathMeasure } from './path-values.ts';

/**
 * The nodes of one tree that fulfil a context: `u` where it calls v1 which calls v2 .., or where it is called by w1, called by w2 ..: pairs of
 * a node of u and the node at the other end of the chain. A node of u may stand in many pairs.
 */
export interface Context {
  readonly judged: readonly number[];
  readonly ends: readonly number[];
}

export type Direction = 'children' | 'parents';

/** A tree in which contexts are looked for. */
export class ScannedTree {
  readonly #tree: CallTree;
  /** The row behind the last one below each node. */
  readonly #behind: Int32Array;

  constructor(tree: CallTree) {
    const behind = new Int32Array(tree.parent.length);
    for (let node = behind.length - 1; node >= 0; node -= 1) {
      if (behind[node] === 0) behind[node] = node + 1;
      const caller = tree.parent[node] ?? -1;
      if (caller >= 0 && behind[caller] === 0) behind[caller] = behind[node] ?? 0;
    }
    this.#tree = tree;
    this.#behind = behind;
  }

  /** All nodes of a code path, whatever their context; null where there is none. */
  nodesOf(name: number): Context | null {
    const nodes: number[] = [];
    for (let node = 1; node < this.#tree.name.length; node += 1) if (this.#tree.name[node] === name) nodes.push(node);
    return nodes.length === 0 ? null : { judged: nodes, ends: nodes };
  }

  /** The contexts that are one step longer, by the name of the step. */
  extended({ judged, ends }: Context, direction: Direction): ReadonlyMap<number, Context> {
    const { name, parent } = this.#tree;
    const found = new Map<number, { readonly judged: number[]; readonly ends: number[] }>();
    const add = (u: number, end: number): void => {
      const context = found.get(name[end] ?? -1) ?? { judged: [], ends: [] };
      if (context.ends.length === 0) found.set(name[end] ?? -1, context);
      context.judged.push(u);
      context.ends.push(end);
    };
    for (let index = 0; index < ends.length; index += 1) {
      const [u, end] = [judged[index] ?? 0, ends[index] ?? 0];
      if (direction === 'parents') {
        const caller = parent[end] ?? ROOT;
        if (caller !== ROOT) add(u, caller);
        continue;
      }
      const last = this.#behind[end] ?? 0;
      for (let child = end + 1; child < last; child = this.#behind[child] ?? last) add(u, child);
    }
    return found;
  }

  /** Samples of nodes, each once, or of them and all below: then a node below another of them is counted with that one. */
  sampledIn(nodes: readonly number[], value: PathMeasure): number {
    const isBase = measuresBase(value);
    const values = isBase ? this.#tree.own : this.#tree.total;
    let [sum, covered] = [0, 0];
    for (const node of Int32Array.from(nodes).sort()) {
      if (node < covered) continue;
      sum += values[node] ?? 0;
      covered = isBase ? node + 1 : (this.#behind[node] ?? 0);
    }
    return sum;
  }
}

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
