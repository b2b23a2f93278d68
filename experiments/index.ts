/** What to measure, what a run means, and where results are kept. What other rooms use of it; they import it from the file that defines it. */
export { cellName, paramsText } from './cell-name.ts';
export { communicationShareOf, communicationSummary } from './communication-share.ts';
export {
  computePressure,
  DAG_RUN_SCHEMA,
  type DagEdge,
  type DagLine,
  type DagPeriod,
  type DagRun,
  type DagVertex,
  type EdgePeriod,
  type VertexPeriod,
} from './dag/dag-records.ts';
export { hasDagRun, readDagRun } from './dag/read-run.ts';
export { createDagRun, type DagRunWriter } from './dag/write-run.ts';
export {
  chooseDefaultSizes,
  DEFAULT_SWEEP_S,
  estimateSweep,
  findLargestNeed,
  largestScale,
  refuseTooLarge,
  type SweepEstimate,
} from './estimate.ts';
export { ALGORITHMS, type Algorithm, classOf } from './graphs/benchmark-terms.ts';
export { type BrokenRule, RULES } from './graphs/check/breaks.ts';
export { checkDataset, type DatasetCheck, type DegreeRange } from './graphs/check/check-dataset.ts';
export { type Converted, convert } from './graphs/convert/convert-graph.ts';
export { FORMATS } from './graphs/convert/graph-formats.ts';
export { type Dataset, readDataset } from './graphs/dataset.ts';
export { generate } from './graphs/generate-graph.ts';
export { loadGraph } from './graphs/load-graph.ts';
export { writeReferences } from './graphs/reference/write-references.ts';
export { predictTraffic, type TrafficPrediction } from './graphs/traffic/predict-traffic.ts';
export { type OutputValidation, validateOutput } from './graphs/validate/validate-output.ts';
export { type FoundReport, readReports } from './harness/find-reports.ts';
export { computeMeans, computeScore, failuresByCode, type PairMeans } from './harness/harness-run.ts';
export { isLatency, latencyOf } from './latency.ts';
export { acceptedSentences, describeMarks, isDisturbed, markNames, withMarks } from './marks.ts';
export { countIterations, type MpiTrace, mpiTrace } from './mpi-trace/join-ranks.ts';
export { blockingName, type Role, roleOf } from './mpi-trace/roles.ts';
export {
  type Clocks,
  clocksOf,
  isWithin,
  type OnClock,
  placesOf,
  type Stretch,
  totalNs,
  wholeRun,
  withoutGaps,
} from './mpi-trace/run-clock.ts';
export { COMPUTE, SHORT_CALLS } from './mpi-trace/spans.ts';
export { type PartRule, partNoun, type TimedPart, timedPart } from './mpi-trace/timed-part.ts';
export { type ChosenCell, cellsField, parseCells } from './parse-cells.ts';
export { parseGraph500 } from './parse-graph500.ts';
export { plan, startOf, visitAgain } from './plan.ts';
export { findPreset, PRESET_NAMES } from './presets.ts';
export {
  type Cell,
  type CellRecord,
  cellLink,
  cellSchema,
  type LinkRate,
  type Mark,
  type Observation,
  type Proof,
  recordSchema,
  type StackProfile,
  type TimedRun,
} from './records.ts';
export { collapsible, perfFrame, readPerfEvents, UNKNOWN_FRAME } from './stacks/perf-script.ts';
export { computeSegments } from './stacks/segments.ts';
export type { StackKind, StackTable } from './stacks/stack-columns.ts';
export { StackFold } from './stacks/stack-fold.ts';
export { askProcess } from './store/ask-process.ts';
export {
  type AskedFile,
  type Campaign,
  campaignSchema,
  findAddedNodes,
  inspectCampaign,
  readCampaign,
} from './store/campaign.ts';
export {
  appendEvents,
  finishedNews,
  type InParallel,
  provedNews,
  readInParallel,
  type SweepEvent,
  type SweepNews,
} from './store/campaign-events.ts';
export { cellFolder, FILES, isCampaign } from './store/campaign-folders.ts';
export type { Traces } from './store/cell-trace.ts';
export { readDoneCells, readRecord, readStoredRecords } from './store/cells.ts';
export { checkCampaign, repairCampaign } from './store/check-campaign.ts';
export { createOrOpenCampaign } from './store/create-campaign.ts';
export { issueOf } from './store/damage.ts';
export { canonicalJson, contentHash, type FileDigest, isSealed, knownDigest, newDigest, seal } from './store/digest.ts';
export { duckdb, identifier, literal, openDuckdb, parquet, pathLiteral, query, queryNumbers } from './store/duckdb.ts';
export {
  addedText,
  inParallelText,
  leftText,
  outcomeText,
  provedText,
  retriedText,
  standingText,
} from './store/event-text.ts';
export { openCampaignsBelow, type SkippedCampaign } from './store/find-campaigns.ts';
export { FollowedCampaign } from './store/follow-campaign.ts';
export { findChangedHosts, findOddHosts, type HostFacts, parseHostFacts } from './store/host-facts.ts';
export { type CellUse, type HostUse, readCellUse } from './store/host-use.ts';
export { inspectCell } from './store/inspect-cells.ts';
export { LiveFold } from './store/live-fold.ts';
export type {
  Configuration,
  ConfigurationState,
  LiveCell,
  LiveState,
  NewsLine,
} from './store/live-state.ts';
export { type CampaignLock, lockCampaign } from './store/lock.ts';
export { inOrder, listObservations, measuredRows } from './store/observations.ts';
export { type OpenCampaign, openCampaign } from './store/open-campaign.ts';
export { listPrograms, matching, ofProgram, programOf, threadsOf } from './store/programs.ts';
export { type FoundRows, type LockedTables, queryLocked } from './store/query-locked.ts';
export type { CellTrace, Counter, Spans } from './store/read-traces.ts';
export { openRegular, openToWriteSync, readRegular } from './store/regular.ts';
export { readStatus } from './store/status.ts';
export { groupKey, timeLeft } from './store/time-left.ts';
export { checkedOf, readRuns } from './store/verified-cells.ts';
export { folderId, writeFileWhole, writeFolderWhole } from './store/whole.ts';
export { type CellOutput, writeAttempt, writeCell } from './store/write-cell.ts';
export type { HostSamples } from './store/write-parquet.ts';
export { type ParquetColumn, type TableColumn, writeParquet } from './store/write-table.ts';
export { type AskedSweep, parseSweep, type Sweep, sweepFields, sweepSchema, withChoices } from './sweep.ts';
export { traceProblem } from './trace.ts';
export { workloadOf } from './workloads/adapters.ts';
export { EDGE_FACTOR } from './workloads/graph500.ts';
export { BUNDLED, graphalyticsOn, loadWorkload } from './workloads/load-workload.ts';
export { isPattern } from './workloads/output-pattern.ts';
export { admits, type RankRule, rankRuleSchema } from './workloads/rank-rule.ts';
export { firstSaid } from './workloads/said.ts';
export type {
  BundledProgram,
  DatasetFiles,
  Invocation,
  RunOutput,
  RunResult,
  Watch,
  Workload,
} from './workloads/workload.ts';
export {
  type CommandDefinition,
  type GraphalyticsDefinition,
  type WorkloadDefinition,
  workloadSchema,
} from './workloads/workload-schema.ts';
