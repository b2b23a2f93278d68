import { badInput } from '../../base/errors.ts';
import { attribute } from './attribution/attribute.ts';
import type { SamplerChoice } from './attribution/upsample.ts';
import { findCompositeBottlenecks } from './bottlenecks/composites.ts';
import { findLeafBottlenecks, type Thresholds } from './bottlenecks/leaves.ts';
import { type BottleneckPredicate, predicates } from './bottlenecks/predicates.ts';
import { findBottlenecksByLeafType, findCriticalPaths, findImbalance } from './issues/find-issues.ts';
import type { Issue, IssueFinder, JudgedJob } from './issues/issue-rule.ts';
import type { Model } from './model/create-model.ts';

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

export const defaultIssueFinders: readonly IssueFinder[] = [
  findImbalance,
  findBottlenecksByLeafType,
  findCriticalPaths,
];

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
