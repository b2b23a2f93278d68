export { type DagGraph, type DagShape, dagGraph, reachableFrom } from './graph.ts';
export { type DagHistory, DagJudge, type JudgedPeriod } from './judge.ts';
export { type Bottlenecks, DEFAULT_THRESHOLDS, judgePeriod, type Thresholds } from './judge-period.ts';
export {
  byId,
  type Fractions,
  LEAST_WAITING,
  measuredSaturation,
  type PeriodShares,
  pressureOf,
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
} from './summary.ts';
