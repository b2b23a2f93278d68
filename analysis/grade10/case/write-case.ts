import { assertNever } from '../../../base/index.ts';
import type { Analysis } from '../analyse.ts';
import type { Issue } from '../issues/issue-rule.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf, phasePath } from '../model/phases.ts';
import { typesUsed, usedMetrics } from '../model/uses.ts';
import type { CaseOutput } from './records.ts';
import { runLengths } from './run-lengths.ts';

const LEAF_LETTERS = 'NLG';
const COMPOSITE_LETTERS = 'NB';

/** Results by path (rows of the model are the case's phases), in the order of the paths; leaves without metrics are left out. */
export function writeCase(
  { name, phases: listed }: { readonly name: string; readonly phases: readonly { readonly path: string }[] },
  analysis: Analysis,
): CaseOutput {
  const { model } = analysis;
  const { phases, firstSlice, sliceCount } = model;
  const paths = listed.map(({ path }) => path);
  const rows = [...paths.keys()].sort((a, b) => compare(paths[a] ?? '', paths[b] ?? ''));
  const leaves = rows.filter((row) => isLeaf(phases, row));
  const composites = rows.filter((row) => !isLeaf(phases, row));
  const byPath = <T>(of: readonly number[], make: (row: number) => Readonly<Record<string, T>>) =>
    Object.fromEntries(of.map((row) => [paths[row] ?? '', sorted(make(row))] as const));
  const rank = new Uint32Array(rows.length);
  for (const [place, row] of rows.entries()) rank[row] = place;
  const issues = analysis.issues
    .toSorted(
      (a, b) => compare(a.pass, b.pass) || (rank[a.phase] ?? 0) - (rank[b.phase] ?? 0) || compareTypes(a, b, model),
    )
    .flatMap((issue) => writeIssue(issue, { paths, model }));
  return {
    variant: 'thesis',
    name,
    full: true,
    timeslice_ns: model.timesliceNs,
    first_timeslice: firstSlice,
    last_timeslice: firstSlice + sliceCount - 1,
    phases: rows.map((row) => {
      const first = firstSlice + (phases.first[row] ?? 0);
      return [paths[row] ?? '', first, first + (phases.length[row] ?? 0) - 1];
    }),
    sampled: sorted(
      Object.fromEntries(
        model.metrics.flatMap((metric, index) =>
          metric.class === 'blocking' ? [] : [[metric.path, Array.from(analysis.attribution.samples[index] ?? [])]],
        ),
      ),
    ),
    attribution: withoutEmpty(byPath(leaves, (row) => attributionOf(analysis, row))),
    leaf_metric_bottlenecks: withoutEmpty(byPath(leaves, (row) => metricRuns(analysis, row))),
    leaf_bottlenecks: withoutEmpty(
      byPath(leaves, (row) => typeRuns(analysis, row, { states: analysis.leaves.typeStates, letters: LEAF_LETTERS })),
    ),
    composite_bottlenecks: Object.fromEntries(
      analysis.bottlenecks.map(({ predicate, states }) => [
        predicate,
        byPath(composites, (row) => typeRuns(analysis, row, { states, letters: COMPOSITE_LETTERS })),
      ]),
    ),
    issue_count: issues.length,
    issues,
  };
}

/** The same for a job that came without paths of its own. */
export function writeAnalysis(name: string, analysis: Analysis): CaseOutput {
  const { phases, phaseTypes } = analysis.model;
  const listed = Array.from({ length: phases.count }, (_, row) => ({ path: phasePath(phases, phaseTypes, row) }));
  return writeCase({ name, phases: listed }, analysis);
}

function attributionOf(
  { model, attribution: { start, usage, capacity } }: Analysis,
  row: number,
): Record<string, { usage: number[]; capacity: number[] }> {
  const length = model.phases.length[row] ?? 0;
  const metrics = model.uses.profiles[model.uses.profile[row] ?? 0]?.consumable ?? [];
  return Object.fromEntries(
    Array.from(metrics, (metric, slot) => {
      const from = (start[row] ?? 0) + slot * length;
      const part = (values: Float64Array): number[] => Array.from(values.subarray(from, from + length));
      return [model.metrics[metric]?.path ?? '', { usage: part(usage), capacity: part(capacity) }];
    }),
  );
}

function metricRuns({ model, leaves }: Analysis, row: number): Record<string, string> {
  const length = model.phases.length[row] ?? 0;
  return Object.fromEntries(
    Array.from(usedMetrics(model.uses, row), (metric, slot) => {
      const from = (leaves.metricStart[row] ?? 0) + slot * length;
      const runs = runLengths(leaves.metricStates.subarray(from, from + length), LEAF_LETTERS);
      return [model.metrics[metric]?.path ?? '', runs];
    }),
  );
}

function typeRuns(
  { model, leaves: { typeStart } }: Analysis,
  row: number,
  { states, letters }: { readonly states: Uint8Array; readonly letters: string },
): Record<string, string> {
  const length = model.phases.length[row] ?? 0;
  return Object.fromEntries(
    Array.from(typesUsed(model.uses, row), (type, slot) => {
      const from = (typeStart[row] ?? 0) + slot * length;
      const path = model.resourceTypes.metricTypes.paths[type] ?? '';
      return [path, runLengths(states.subarray(from, from + length), letters)];
    }),
  );
}

/** Issues of rules that a case cannot have are left out. */
function writeIssue(
  issue: Issue,
  { paths, model }: { readonly paths: readonly string[]; readonly model: Model },
): CaseOutput['issues'] {
  const phase = paths[issue.phase] ?? '';
  const typeOf = (target: number): string => model.phaseTypes.paths[target] ?? '';
  const sourceOf = (source: number): string => model.resourceTypes.metricTypes.paths[source] ?? '';
  switch (issue.pass) {
    case 'imbalance':
      return [{ ...issue, phase, target: typeOf(issue.target) }];
    case 'bottleneck':
      return [{ ...issue, phase, target: typeOf(issue.target), source: sourceOf(issue.source) }];
    case 'critical-path':
      return [{ ...issue, phase, source: sourceOf(issue.source) }];
    case 'custom':
      return [];
    default:
      return assertNever(issue);
  }
}

function compareTypes(a: Issue, b: Issue, { phaseTypes, resourceTypes }: Model): number {
  const target = (issue: Issue): string => ('target' in issue ? (phaseTypes.paths[issue.target ?? -1] ?? '') : '');
  const source = (issue: Issue): string =>
    'source' in issue ? (resourceTypes.metricTypes.paths[issue.source ?? -1] ?? '') : '';
  return compare(target(a), target(b)) || compare(source(a), source(b));
}

/** By code units, the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compare(a, b)));
}

function withoutEmpty<T>(record: Record<string, Record<string, T>>): Record<string, Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => Object.keys(value).length > 0));
}
