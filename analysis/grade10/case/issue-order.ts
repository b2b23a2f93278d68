import { at } from '../../../base/index.ts';
import type { Analysis } from '../analyse.ts';
import type { Issue } from '../issues/issue-rule.ts';

/** By code units, the same on every machine. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Paths of the types at fault; empty where an issue has none. */
export function typesOf(
  issue: Issue,
  { model: { phaseTypes, resourceTypes } }: Pick<Analysis, 'model'>,
): { readonly target: string; readonly source: string } {
  const { target, source } = { target: undefined, source: undefined, ...issue };
  return {
    target: target === undefined ? '' : at(phaseTypes.paths, target),
    source: source === undefined ? '' : at(resourceTypes.metricTypes.paths, source),
  };
}

/** The order of issues in results: by pass, phase (as `comparePhases` has them), target and source. */
export function issueOrder(
  analysis: Pick<Analysis, 'model'>,
  comparePhases: (a: number, b: number) => number,
): (a: Issue, b: Issue) => number {
  return (a, b) => {
    const order = compare(a.pass, b.pass) || comparePhases(a.phase, b.phase);
    if (order !== 0) return order;
    const [one, other] = [typesOf(a, analysis), typesOf(b, analysis)];
    return compare(one.target, other.target) || compare(one.source, other.source);
  };
}

/** The issues of largest impact, the largest first, ties as in results. */
export function largestIssues(
  { model, issues }: Pick<Analysis, 'model' | 'issues'>,
  { count, paths }: { readonly count: number; readonly paths: readonly string[] },
): readonly Issue[] {
  // There may be millions: only those that can be among them are put in order.
  const least =
    Float64Array.from(issues, ({ impact }) => impact)
      .sort()
      .at(-count) ?? Number.NEGATIVE_INFINITY;
  const order = issueOrder({ model }, (a, b) => compare(at(paths, a), at(paths, b)));
  return issues
    .filter(({ impact }) => impact >= least)
    .sort((a, b) => b.impact - a.impact || order(a, b))
    .slice(0, count);
}
