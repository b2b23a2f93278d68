export { edgeLabel } from './edge-label.ts';
export { type DagGraph, type DagShape, dagGraph, reachableFrom } from './graph.ts';
export { type DagHistory, DagJudge, type JudgedPeriod } from './judge.ts';
export {
  type Bottlenecks,
  type DagThresholds,
  DEFAULT_THRESHOLDS,
  equalsThreshold,
  judgePeriod,
} from './judge-period.ts';
export {
  byId,
  type Fractions,
  measuredSaturation,
  type PeriodShares,
  SATURATIONS,
  type Saturation,
  sharesOf,
} from './shares.ts';
export {
  type Bottleneck,
  type BottleneckShare,
  type BottleneckStretch,
  bottlenecksOf,
  type DagSummary,
  DOMINANT,
  meanByTime,
  summaryOfHistory,
} from './summarise-job.ts';
