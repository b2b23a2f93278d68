import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { attribute } from './attribution/attribute.ts';
import type { SamplerChoice } from './attribution/upsample.ts';
import { type BottleneckPredicate, findCompositeBottlenecks, predicates } from './bottlenecks/composites.ts';
import { findLeafBottlenecks, type Thresholds } from './bottlenecks/leaves.ts';
import {
  bottleneckedSlices,
  combine,
  type Issue,
  type IssueFinder,
  issueFinder,
  type JudgedJob,
  mergeByKey,
} from './issues/issue-rule.ts';
import type { Model } from './model/create-model.ts';
import type { PhaseTypes } from './model/phase-types.ts';

/** Each part can be replaced; the defaults are the thesis's. */
export interface AnalyseOptions {
  /** Default phase-aware. */
  readonly sampler?: SamplerChoice;
  /** Default 0.95 for both. */
  readonly thresholds?: Thresholds;
  /** Default all four of table 4.3. */
  readonly predicates?: readonly BottleneckPredicate[];
  /** Default imbalance, bottlenecks by leaf type and critical paths. */
  readonly issues?: readonly IssueFinder[];
}

/** Everything found in a job: typed arrays laid out along the model's rows and indices, and issues. */
export interface Analysis extends JudgedJob {
  readonly issues: readonly Issue[];
}

/**
 * The Grade10 pipeline (section 4.4): attribution, bottlenecks of leaves and composites, issues. Pure; times are slices.
 * Errors: badInput for thresholds outside (0, 1] and predicates of the same name.
 *
 * @example
 * const { issues } = analyse(createModel(input), { issues: [...defaultIssueFinders, issueFinder(myRule)] });
 */
export function analyse(
  model: Model,
  {
    sampler = 'phase-aware',
    thresholds = {},
    predicates: chosen = Object.values(predicates),
    issues: finders = defaultIssueFinders,
  }: AnalyseOptions = {},
): Analysis {
  for (const [name, value] of Object.entries(thresholds)) {
    if (typeof value !== 'number' || (value > 0 && value <= 1)) continue;
    throw badInput(`The ${name} threshold is ${value}: give a share of the capacity above 0 and at most 1.`);
  }
  for (const [index, { name }] of chosen.entries()) {
    if (chosen.findIndex((other) => other.name === name) === index) continue;
    throw badInput(`Two predicates are named '${name}': give each its own name.`);
  }
  const attribution = attribute(model, sampler);
  const leaves = findLeafBottlenecks(model, attribution, thresholds);
  const bottlenecks = findCompositeBottlenecks(model, leaves, chosen);
  const job: JudgedJob = { model, attribution, leaves, bottlenecks };
  return { ...job, issues: finders.flatMap((find) => find(job)) };
}

/** Slices that all phases of one type under a phase take, and would take. */
interface Makespan {
  readonly type: number;
  readonly count: number;
  readonly actual: number;
  readonly optimal: number;
}

/**
 * Phase imbalance (algorithm 4): concurrent phases take as long as the longest and would take the mean if their work were
 * spread evenly; phases in sequence take their sum either way.
 */
const findImbalance = issueFinder<Makespan>({
  analyseLeaf: (phase, { model: { phases } }) => [own(phase, phases)],

  analyseComposite(phase, groups, { model: { phases, phaseTypes } }) {
    const records = [own(phase, phases)];
    for (const group of groups) {
      const sequential = phaseTypes.repeats[group.type] === 'sequential';
      const merge = (same: readonly Makespan[]): Makespan => merged(same, sequential);
      for (const record of mergeByKey(group, ({ type }) => type, merge)) records.push(record);
    }
    return records;
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { type: target, count, actual, optimal } of records) {
      if (actual <= optimal) continue;
      issues.push({ pass: 'imbalance', phase, target, impact: actual - optimal, count, actual, optimal });
    }
    return issues;
  },
});

function own(phase: number, { type, length }: { readonly type: Uint32Array; readonly length: Int32Array }): Makespan {
  const slices = at(length, phase);
  return { type: at(type, phase), count: 1, actual: slices, optimal: slices };
}

function merged(records: readonly Makespan[], sequential: boolean): Makespan {
  const [type, parts] = [at(records, 0).type, records.length];
  let [count, longest, actual, optimal] = [0, 0, 0, 0];
  for (const record of records) {
    count += record.count;
    longest = Math.max(longest, record.actual);
    actual += record.actual;
    optimal += record.optimal;
  }
  return sequential ? { type, count, actual, optimal } : { type, count, actual: longest, optimal: optimal / parts };
}

/** What a type of metrics costs along the longest chain of subphases. */
interface PathCost {
  /** Metric type. */
  readonly source: number;
  /** Slices that removing the bottleneck could save at most. */
  readonly impact: number;
  readonly total: number;
}

/**
 * Resource bottlenecks as issues (algorithm 5): bottlenecked time per type of subphase, then the longest chain of types that
 * follow each other.
 */
const findCriticalPaths = issueFinder<PathCost>({
  analyseLeaf: (phase, job) =>
    bottleneckedSlices(phase, job, (source, slices) => ({ source, impact: slices, total: slices })),

  analyseComposite(phase, groups, { model: { phases, phaseTypes } }) {
    /** Per source: the weight of each subphase type, and the sum of totals. */
    const sources = new Map<number, { readonly weights: number[]; total: number }>();
    for (const group of groups) {
      const merge = (same: readonly PathCost[]): PathCost => combine(same, at(phaseTypes.repeats, group.type));
      for (const { source, impact, total } of mergeByKey(group, (record) => record.source, merge)) {
        const found = sources.get(source) ?? { weights: [], total: 0 };
        found.weights[group.type] = impact;
        found.total += total;
        sources.set(source, found);
      }
    }
    const type = at(phases.type, phase);
    return Array.from(sources, ([source, { weights, total }]) => {
      return { source, impact: longestPath(type, weights, phaseTypes), total };
    });
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { source, impact, total } of records) {
      if (impact > 0) issues.push({ pass: 'critical-path', phase, source, impact, total });
    }
    return issues;
  },
});

/**
 * Longest path by weights of nodes over all child types of `type` (CONSTRUCTDAG); types without a weight count 0 but keep
 * those before and after them in order.
 */
function longestPath(type: number, weights: readonly (number | undefined)[], types: PhaseTypes): number {
  const reached: number[] = [];
  let longest = 0;
  for (const child of at(types.children, type)) {
    let before = 0;
    for (const predecessor of at(types.predecessors, child)) before = Math.max(before, at(reached, predecessor));
    const length = before + (weights[child] ?? 0);
    reached[child] = length;
    longest = Math.max(longest, length);
  }
  return longest;
}

/** What leaves of one type cost on one type of metrics. */
interface LeafCost {
  /** Type of the leaves. */
  readonly target: number;
  /** Metric type. */
  readonly source: number;
  readonly impact: number;
  readonly total: number;
}

/**
 * Which leaves, by type, are bottlenecked on what, and for how long: lines 9 to 23 of algorithm 5, kept apart per type of
 * leaf. It points at the code to change, where the critical path says what a change would bring.
 */
const findBottlenecksByLeafType = issueFinder<LeafCost>({
  analyseLeaf(phase, job) {
    const target = at(job.model.phases.type, phase);
    return bottleneckedSlices(phase, job, (source, slices) => ({ target, source, impact: slices, total: slices }));
  },

  analyseComposite(_, groups, { model: { phaseTypes, resourceTypes } }) {
    const key = ({ target, source }: LeafCost): number => target * resourceTypes.metricTypes.count + source;
    return groups.flatMap((group) =>
      mergeByKey(group, key, (same) => combine(same, at(phaseTypes.repeats, group.type))),
    );
  },

  extractIssues(phase, records) {
    const issues: Issue[] = [];
    for (const { target, source, impact, total } of records) {
      if (impact > 0) issues.push({ pass: 'bottleneck', phase, target, source, impact, total });
    }
    return issues;
  },
});

export const defaultIssueFinders: readonly IssueFinder[] = [
  findImbalance,
  findBottlenecksByLeafType,
  findCriticalPaths,
];
