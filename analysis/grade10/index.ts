export { type AnalyseOptions, type Analysis, analyse, defaultIssueFinders } from './analyse.ts';
export { type SamplingError, samplingAccuracy } from './attribution/accuracy.ts';
export type { Activity } from './attribution/active.ts';
export { type Attribution, attribute } from './attribution/attribute.ts';
export type { Load, Period, Sampler, SamplerChoice } from './attribution/upsample.ts';
export type { PhaseBottlenecks } from './bottlenecks/composites.ts';
export { GLOBAL, type LeafBottlenecks, LOCAL, NO_BOTTLENECK, type Thresholds } from './bottlenecks/leaves.ts';
export {
  type BottleneckPredicate,
  type CountPredicate,
  type PredicateContext,
  predicates,
  type SubphasePredicate,
  type SubphaseState,
} from './bottlenecks/predicates.ts';
export { largestIssues, typesOf } from './case/issue-order.ts';
export { parseCase } from './case/parse-case.ts';
export { readCase } from './case/read-case.ts';
export { type ListedPhase, readPhases, rowsByPath } from './case/read-phases.ts';
export type { Case } from './case/records.ts';
export { resultJson } from './case/result-json.ts';
export { type Fold, foldPhases, type SubphaseGroup } from './fold.ts';
export { findBottlenecksByLeafType } from './issues/by-leaf-type.ts';
export { findCriticalPaths } from './issues/critical-path.ts';
export { findImbalance } from './issues/imbalance.ts';
export {
  type BottleneckIssue,
  type CriticalPathIssue,
  type CustomIssue,
  type Findings,
  type ImbalanceIssue,
  type Issue,
  type IssueFinder,
  type IssueRule,
  issueFinder,
} from './issues/issue-rule.ts';
export { aliveLeaves, leavesUnder } from './leaves-under.ts';
export type { PhaseColumns, Phases, SubphaseRows } from './model/columns.ts';
export { createModel, type Model, type ModelInput } from './model/create-model.ts';
export type { MappingEntry } from './model/mapping.ts';
export type { BlockingMetric, ConsumableMetric, Metric, MetricInput } from './model/metrics.ts';
export { parentPath, typePath } from './model/path.ts';
export { createPhaseTypes, type PhaseTypeSpec, type PhaseTypes, type Repeat } from './model/phase-types.ts';
export { isLeaf, phasePath, sliceBoundary } from './model/phases.ts';
export {
  createResourceTypes,
  type MetricClass,
  type MetricTypes,
  type ResourceTypeSpec,
  type ResourceTypes,
} from './model/resource-types.ts';
export type { Rule, RuleEntry } from './model/rules.ts';
export { type Profile, profileOf, typeSlot, typesUsed, type Uses, usedMetrics } from './model/uses.ts';
