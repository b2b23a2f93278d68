import { at } from '../../../base/lists.ts';
import { compareText } from '../../../base/text.ts';
import type { Analysis } from '../analyse-phases.ts';
import type { Issue } from '../issues/issue-rule.ts';

/** Paths of the types at fault; empty where an issue has none. */
export function typesOf(
  issue: Issue,
  { model: { phaseTypes, resourceTypes } }: Pick<Analysis, 'model'>,
): { readonly target: string; readonly source: string } {
  const { target, source }: { readonly target?: number; readonly source?: number } = issue;
  return {
    target: target === undefined ? '' : at(phaseTypes.paths, target),
    source: source === undefined ? '' : at(resourceTypes.metricTypes.paths, source),
  };
}

/** The order in results of issues of one pass and phase: by their target's and source's paths. */
function compareTypes(a: Issue, b: Issue, analysis: Pick<Analysis, 'model'>): number {
  const [one, other] = [typesOf(a, analysis), typesOf(b, analysis)];
  return compareText(one.target, other.target) || compareText(one.source, other.source);
}

/** Issues by pass, phase (in the order of `rows`), target and source. */
export function* issuesInOrder(analysis: Pick<Analysis, 'model' | 'issues'>, rows: Uint32Array): Generator<Issue> {
  const passes = new Set(analysis.issues.map(({ pass }) => pass));
  for (const pass of [...passes].sort()) {
    const byPhase = new Map<number, Issue[]>();
    for (const issue of analysis.issues) {
      if (issue.pass !== pass) continue;
      const own = byPhase.get(issue.phase);
      if (own === undefined) byPhase.set(issue.phase, [issue]);
      else own.push(issue);
    }
    for (const row of rows) yield* byPhase.get(row)?.sort((a, b) => compareTypes(a, b, analysis)) ?? [];
  }
}
