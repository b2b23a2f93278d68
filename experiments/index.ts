export { addedNodes } from './added-nodes.ts';
export { canonicalJson, contentHash } from './canonical-json.ts';
export { largestScale } from './cell-cost.ts';
export { cellLink, type LinkRate } from './cell-link.ts';
export { DEFAULT_SWEEP_S, defaultSizes } from './default-sizes.ts';
export { estimateSweep, largestNeed, refuseTooLarge, type SweepEstimate } from './estimate.ts';
export { acceptedSentences, describeMarks, isDisturbed, withMarks } from './marks.ts';
export { COMPUTE, countIterations, type MpiTrace, mpiTrace, SHORT_CALLS } from './mpi-trace/join-ranks.ts';
export { cellsField, parseCells } from './parse-cells.ts';
export { type Graph500Result, parseGraph500 } from './parse-graph500.ts';
export { plan, visitAgain } from './plan.ts';
export { PRESET_NAMES, presetOf } from './presets.ts';
export * from './records.ts';
export * from './stacks/index.ts';
export { writeAttempt } from './store/attempts.ts';
export { type AskedFile, type Campaign, campaignSchema, readCampaign } from './store/campaign.ts';
export { appendEvents, readEvents } from './store/campaign-events.ts';
export { cellFolder } from './store/campaign-folders.ts';
export type { CellSpans, CellTrace, Counter, Spans, Traces } from './store/cell-trace.ts';
export { doneCells, readRecord, storedRecords } from './store/cells.ts';
export { type CampaignCheck, checkCampaign, repairCampaign } from './store/check-campaign.ts';
export { type CampaignPlan, createOrOpenCampaign } from './store/create-campaign.ts';
export { type Damage, issueOf } from './store/damage.ts';
export { type FileDigest, isSealed, knownDigest, newDigest, seal } from './store/digest.ts';
export { duckdb, literal, parquet, pathLiteral, query, queryNumbers } from './store/duckdb.ts';
export { hostFacts } from './store/host-facts.ts';
export { type CampaignLock, lockCampaign } from './store/lock.ts';
export { inOrder, measuredRows, observationsOf } from './store/observations.ts';
export { type OpenCampaign, openCampaign, type WatchedCell } from './store/open-campaign.ts';
export { measuredPrograms, ofProgram, programOf, programsOf } from './store/programs.ts';
export { type FoundRows, type LockedTables, queryLocked } from './store/query-locked.ts';
export { openToWriteSync, readRegular } from './store/regular.ts';
export { status } from './store/status.ts';
export { writeFileWhole, writeFolderWhole } from './store/whole.ts';
export { type CellOutput, writeCell } from './store/write-cell.ts';
export type { HostSamples } from './store/write-parquet.ts';
export { type ParquetColumn, type TableColumn, withTable, writeParquet } from './store/write-table.ts';
export { type AskedSweep, parseSweep, type Sweep, sweepFields, sweepSchema, withChoices } from './sweep.ts';
export { type SweepEvent, type SweepNews, sweepEventSchema } from './sweep-event.ts';
export { headerOf, MESSAGE_COLUMNS, SPAN_COLUMNS, type TraceColumn, traceProblem } from './trace.ts';
export { workloadOf } from './workloads/adapters.ts';
export { EDGE_FACTOR } from './workloads/graph500.ts';
export { BUNDLED, loadWorkload, parseWorkload } from './workloads/load-workload.ts';
export { admits, describeRankRule, type RankRule, rankRuleSchema } from './workloads/rank-rule.ts';
export { type NamedCall, parseCall, type RecordedPart } from './workloads/recorded-calls.ts';
export { firstSaid } from './workloads/said.ts';
export type {
  BundledProgram,
  DatasetFiles,
  Invocation,
  OutputName,
  ParamChoice,
  RunOutput,
  RunResult,
  Watch,
  Workload,
} from './workloads/workload.ts';
export * from './workloads/workload-schema.ts';
