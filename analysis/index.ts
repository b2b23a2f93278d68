/** Why: records of runs in, where their time went and what that says out. What other rooms use of it; they import it from the file that defines it. */
export { compareRuns, componentNames, type Difference } from './across/run-of-cell.ts';
export { NETWORK, PROCESSORS } from './across/takeover.ts';
export { concludeJob, explainJobs, resultsOf } from './dag/explain/explain-jobs.ts';
export type { EdgeRow, ExplainedJobs, TaskRow } from './dag/explain/explained.ts';
export {
  edgeColumns,
  type JobColumn,
  runColumns,
  stepColumns,
  targetWords,
  taskColumns,
} from './dag/explain/job-tables.ts';
export {
  adviceWords,
  amountText,
  bottleneckName,
  crossingWords,
  dagFindings,
  formatShare,
  type LabelOf,
  periodVerdict,
  rangedText,
  rateText,
} from './dag/explain/job-words.ts';
export { type ReadJob, readWatchedJob, WatchedJob } from './dag/job/watched-job.ts';
export { computeDepths } from './dag/judge/graph.ts';
export {
  type DagThresholds,
  DEFAULT_THRESHOLDS,
  type JudgedPeriod,
  SATURATIONS,
  type Saturation,
} from './dag/judge/judge.ts';
export { type BottleneckStretch, bottlenecksOf } from './dag/judge/summarise-job.ts';
export {
  type ExplainedRun,
  explainCampaign,
  type GoodRuns,
  goodRuns,
  type ModelChoice,
  measurements,
  type RunChoice,
} from './explain-campaign.ts';
export { analysisTables } from './export/analysis-tables.ts';
export { createTable, toCsv, toTsv } from './export/create-table.ts';
export { renderDagTrace } from './export/dag-trace.ts';
export { pathTrace } from './export/path-trace.ts';
export { renderChromeTrace } from './export/write-chrome-trace.ts';
export { type Finding, rankFindings } from './finding.ts';
export { type Analysis, analyse } from './grade10/analyse-phases.ts';
export { computeSamplingAccuracy, type SamplingError } from './grade10/attribution/accuracy.ts';
export { effectOfRules, type RuleEffect } from './grade10/attribution/by-rules.ts';
export { type BottleneckedTime, computeBottleneckedTimes } from './grade10/bottlenecks/time-shares.ts';
export { leavesUnder } from './grade10/fold-phases.ts';
export { findOutliers, type OutlierSum, sumOutliers } from './grade10/issues/outliers.ts';
export { usedMetrics } from './grade10/model/uses.ts';
export { renderResultJson } from './grade10/result/result-json.ts';
export { overWorkers, type TracePath } from './path/across/over-workers.ts';
export { type PathCampaign, pathCampaign, recordsCalls } from './path/across/path-campaign.ts';
export type { Activities, Slice } from './path/activities.ts';
export type { ReadActivities } from './path/formats/activity-builder.ts';
export { followBytes, openBytes } from './path/formats/open-bytes.ts';
export { readOtf2 } from './path/formats/otf2/read-otf2.ts';
export { readActivities } from './path/formats/read-activities.ts';
export { type ActivityGraph, activityGraph } from './path/graph/activity-graph.ts';
export { partOf, pathSteps } from './path/graph/activity-path.ts';
export { criticalPath } from './path/graph/critical-path.ts';
export {
  explainNear,
  lengthIf,
  type NearResult,
} from './path/graph/explain-graph.ts';
export {
  explainProperties,
  explainSlice,
  explainTogether,
  explainWaits,
  type SliceResult,
} from './path/graph/explain-slices.ts';
export { slicesOf, wholeSlice } from './path/graph/segment.ts';
export type { CauseFinding } from './path/mpi/cause-findings.ts';
export { type CellPathSummary, runPaths } from './path/path-summary.ts';
export { type CellPaths, cellPaths, inferenceSentence } from './path/phases/cell-paths.ts';
export { meaningOf } from './path/phases/phase-meaning.ts';
export { standingOut } from './path/phases/stands-out.ts';
export { IDLE, TRANSFER, WORK } from './path/run-graph.ts';
export {
  asWork,
  dividedBy,
  type PathDifference,
  pathDifferences,
  type RunPaths,
  type SearchSummary,
  type TransferParts,
  WAYS,
  type Way,
} from './path/run-paths.ts';
export { analyseTimely, type TimelyAnalysis } from './path/timely/analyse-timely.ts';
export { FollowedTrace } from './path/timely/follow.ts';
export type { TimelyTrace, TraceOptions } from './path/timely/timely-trace.ts';
export { type TimelyWait, waitsOf } from './path/timely/timely-waits.ts';
export { type Change, whatIf } from './path/what-if.ts';
export {
  type BottleneckReport,
  createAttributionPictures,
  createBottleneckReport,
  drillDown,
  type LimitedStretch,
} from './pictures/bottleneck-report.ts';
export { loadPlatform } from './platform/load-platform.ts';
export type { Platform } from './platform/platform.ts';
export type { Problem } from './problems.ts';
export { buildFlame, type FlameAnswer, type OwnShare } from './profiles/flame/flame-of.ts';
export type { FlameFrame, FlameLayout, LeftOut } from './profiles/flame/layout-flame.ts';
export { PROFILE_FORMATS } from './profiles/formats/profile-format.ts';
export { toSpeedscope } from './profiles/formats/speedscope.ts';
export { parseStrip } from './profiles/formats/strip-names.ts';
export { queryGraph } from './profiles/graph/query-graph.ts';
export { type BenchmarkProfiles, correlate, groupBenchmarks } from './profiles/questions/correlate-paths.ts';
export { type BranchStep, expand, type FoundStep, inform } from './profiles/questions/expand.ts';
export { runHistory } from './profiles/questions/history.ts';
export { type BranchJudge, correlationJudge, seriesJudge } from './profiles/questions/judges.ts';
export {
  leastStdOf,
  type PathBand,
  pathBands,
  type RankedRow,
  rankRows,
  SERIES_RANKS,
  type SeriesRow,
  series,
  UNUSUAL_DEVIATIONS,
} from './profiles/questions/path-series.ts';
export { PATH_MEASURES } from './profiles/questions/path-values.ts';
export type { Direction } from './profiles/questions/scanned-tree.ts';
export { topPaths, WEIGHTS, whereTaken } from './profiles/questions/top-paths.ts';
export { importCampaign, readProfiledRuns, runsOfStore } from './profiles/scaling/campaign-runs.ts';
export { type ExplainedScaling, explainScaling, type ScaledPart } from './profiles/scaling/explain-scaling.ts';
export {
  computeStackShares,
  layoutScalingFlames,
  type ProfiledRun,
  type StackShares,
} from './profiles/scaling/profiled-run.ts';
export { describeVerdict } from './profiles/scaling/verdicts.ts';
export { type ScalingWitnesses, scalingWitnesses, witnessRuns } from './profiles/scaling/witnesses.ts';
export { importProfiles } from './profiles/store/import-profiles.ts';
export { listStore, openStore } from './profiles/store/read-store.ts';
export { querySql } from './profiles/store/store-tables.ts';
export { type ProfileSelection, pathNamed, type StoredProfile } from './profiles/tree/call-profile.ts';
export { type NameTable, stacksOf } from './profiles/tree/call-tree.ts';
export { readJob } from './sources/logs/read-job.ts';
export { type Explained, explainCell } from './sources/runs/explain-cell.ts';
export {
  componentLabel,
  costFindings,
  costWords,
  isBelowSlice,
  lastStep,
  metricLabel,
  type Part,
  type Summary,
  summarise,
  UNEXPLAINED,
} from './sources/runs/summarise.ts';
