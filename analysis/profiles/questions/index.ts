export { type BandPoint, type PathBand, pathBands } from './bands.ts';
export {
  type CallProfile,
  type ModeSamples,
  type ProfileFacts,
  type ProfileSelection,
  pathNamed,
} from './call-profile.ts';
export type { Direction } from './context.ts';
export {
  type BenchmarkCorrelation,
  type BenchmarkProfiles,
  benchmarksOf,
  type CorrelationQuestion,
  correlate,
  type PathCorrelation,
} from './correlate-paths.ts';
export { type BranchStep, type ExpandQuestion, expand, type FoundStep } from './expand.ts';
export { type HistoryChoice, type RunHistory, type RunProfiles, runHistory } from './history.ts';
export { type InformedStep, inform } from './inform.ts';
export { type BranchJudge, type BranchJudgement, correlationJudge, seriesJudge } from './judges.ts';
export {
  type PathSeries,
  type SeriesQuestion,
  type SeriesRow,
  type SeriesStatus,
  samplingNoise,
  series,
} from './path-series.ts';
export { PATH_MEASURES, type PathMeasure, type PathValues, pathValues } from './path-values.ts';
export { type RankedRow, rankRows, SERIES_RANKS, type SeriesRank, UNUSUAL_DEVIATIONS } from './rank-rows.ts';
export { type PathPotential, topPaths, WEIGHTS, type Weight } from './top-paths.ts';
export { type Occurrence, whereTaken } from './where.ts';
