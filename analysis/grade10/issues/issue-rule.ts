import { at } from '../../../base/lists.ts';
import type { Attribution } from '../attribution/attribute.ts';
import type { PhaseBottlenecks } from '../bottlenecks/composites.ts';
import type { LeafBottlenecks } from '../bottlenecks/leaves.ts';
import { foldPhases, type SubphaseGroup } from '../fold-phases.ts';
import type { Model } from '../model/create-model.ts';
import type { Repeat } from '../model/phase-types.ts';
import { typesUsed } from '../model/uses.ts';

/** Subphases of `target` last unequally long: with equal shares `phase` would take `impact` slices less. */
interface ImbalanceIssue {
  readonly pass: 'imbalance';
  /** Row of the phase that would gain. */
  readonly phase: number;
  /** Index of the phase type at fault. */
  readonly target: number;
  /** Slices. */
  readonly impact: number;
  /** Phases of the type. */
  readonly count: number;
  /** Makespans in slices. */
  readonly actual: number;
  readonly optimal: number;
}

/** Leaves of type `target` spend `impact` slices of `phase` bottlenecked on a type of metrics. */
interface BottleneckIssue {
  readonly pass: 'bottleneck';
  readonly phase: number;
  readonly target: number;
  /** Index of the metric type. */
  readonly source: number;
  readonly impact: number;
  /** Bottlenecked slices of all leaves together. */
  readonly total: number;
}

/** Along the longest chain of subphases, `impact` slices of `phase` are bottlenecked on a type of metrics. */
interface CriticalPathIssue {
  readonly pass: 'critical-path';
  readonly phase: number;
  readonly source: number;
  readonly impact: number;
  readonly total: number;
}

/** What a rule of your own reports. */
interface CustomIssue {
  readonly pass: 'custom';
  readonly rule: string;
  readonly phase: number;
  readonly impact: number;
  readonly target?: number;
  readonly source?: number;
  readonly details?: Readonly<Record<string, number>>;
}

export type Issue = ImbalanceIssue | BottleneckIssue | CriticalPathIssue | CustomIssue;

/** A job with what its phases used and where they were bottlenecked: all that is known when issues are looked for. */
export interface JudgedJob {
  readonly model: Model;
  readonly attribution: Attribution;
  readonly leaves: LeafBottlenecks;
  /** One per predicate. */
  readonly bottlenecks: readonly PhaseBottlenecks[];
}

/** The three functions of algorithm 3; R is one potential issue, a record. */
export interface IssueRule<R> {
  readonly analyseLeaf: (phase: number, job: JudgedJob) => readonly R[];
  readonly analyseComposite: (
    phase: number,
    groups: readonly SubphaseGroup<readonly R[]>[],
    job: JudgedJob,
  ) => readonly R[];
  readonly extractIssues: (phase: number, records: readonly R[], job: JudgedJob) => readonly Issue[];
}

/** A rule ready to run, whatever its records are. */
export type IssueFinder = (job: JudgedJob) => readonly Issue[];

/** Turns the three functions of a rule into a finder (IDENTIFYPERFORMANCEISSUES of algorithm 3). */
export function issueFinder<R>({ analyseLeaf, analyseComposite, extractIssues }: IssueRule<R>): IssueFinder {
  return (job) => {
    const issues: Issue[] = [];
    foldPhases<readonly R[]>(job.model.phases, {
      leaf: (phase) => analyseLeaf(phase, job),
      composite: (phase, groups) => analyseComposite(phase, groups, job),
      each: (phase, records) => {
        for (const issue of extractIssues(phase, records, job)) issues.push(issue);
      },
    });
    return issues;
  };
}

/** What a leaf's bottlenecks come to (ANALYZELEAF of algorithm 5): one record per metric type that it uses. */
export function bottleneckedSlices<R>(
  phase: number,
  { model: { uses }, leaves: { typeSlicesStart, typeSlices } }: JudgedJob,
  record: (source: number, slices: number) => R,
): readonly R[] {
  const records: R[] = [];
  let place = at(typeSlicesStart, phase);
  for (const source of typesUsed(uses, phase)) {
    records.push(record(source, at(typeSlices, place)));
    place += 1;
  }
  return records;
}

/**
 * The records of a group with those of the same key merged, in order of their first. A subphase has at most one of each key, and
 * a record alone stays as it is.
 */
export function mergeByKey<R>(
  { results }: SubphaseGroup<readonly R[]>,
  keyOf: (one: R) => number,
  merge: (same: readonly R[]) => R,
): readonly R[] {
  if (results.length === 1) return at(results, 0);
  const gathered = new Map<number, R[]>();
  for (const records of results) {
    for (const record of records) {
      const key = keyOf(record);
      const same = gathered.get(key);
      if (same === undefined) gathered.set(key, [record]);
      else same.push(record);
    }
  }
  return Array.from(gathered.values(), merge);
}

/** Lines 14 to 20 of algorithm 5: phases in sequence add up, concurrent ones count as their mean over the records. */
export function combine<R extends { readonly impact: number; readonly total: number }>(
  records: readonly R[],
  repeat: Repeat,
): R {
  let [impact, total] = [0, 0];
  for (const record of records) {
    impact += record.impact;
    total += record.total;
  }
  return { ...at(records, 0), impact: repeat === 'sequential' ? impact : impact / records.length, total };
}

/** Paths of the types at fault; empty where an issue has none. */
export function typesOf(
  issue: Issue,
  { model: { phaseTypes, resourceTypes } }: { readonly model: Model },
): { readonly target: string; readonly source: string } {
  const { target, source }: { readonly target?: number; readonly source?: number } = issue;
  return {
    target: target === undefined ? '' : at(phaseTypes.paths, target),
    source: source === undefined ? '' : at(resourceTypes.metricTypes.paths, source),
  };
}
