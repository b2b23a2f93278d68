export { canonicalJson, contentHash } from './canonical-json.ts';
export { type SweepEvent, type SweepNews, sweepEventSchema } from './events.ts';
export type { Graph500Summary, KernelSummary, Spread } from './graph500-output/summary.ts';
export { parseCells } from './parse-cells.ts';
export { type Graph500Result, parseGraph500 } from './parse-graph500.ts';
export { plan } from './plan.ts';
export * from './records.ts';
export {
  type Campaign,
  type CampaignPlan,
  campaignSchema,
  createOrOpenCampaign,
  type InventorySummary,
  inventorySummarySchema,
  readCampaign,
} from './store/campaign.ts';
export { type CellTrace, type Counter, cellTrace, type Messages, type Spans } from './store/cell-trace.ts';
export { doneCells, readRecord, readRecords } from './store/cells.ts';
export { duckdb, pathLiteral } from './store/duckdb.ts';
export { appendEvents, readEvents } from './store/events.ts';
export { type HostFacts, hostFacts } from './store/host-facts.ts';
export { inOrder, observations, observationsOf } from './store/observations.ts';
export type { HostSamples } from './store/parquet.ts';
export { type CampaignStatus, type CellCounts, status } from './store/status.ts';
export { type CellTraffic, traffic } from './store/traffic.ts';
export { writeFileWhole } from './store/whole.ts';
export {
  type Attempt,
  type AttemptOutput,
  attemptSchema,
  type CellOutput,
  writeAttempt,
  writeCell,
} from './store/write-cell.ts';
export { type TableColumn, writeParquet } from './store/write-table.ts';
export { parseSweep, type Sweep, type SweepTexts, sweepSchema } from './sweep.ts';
export { headerOf, MESSAGE_COLUMNS, SPAN_COLUMNS, type TraceColumn, traceProblem } from './trace.ts';
export { workloadOf } from './workloads/adapters.ts';
export { loadWorkload } from './workloads/load.ts';
export { admits, describeRankRule, type RankRule, rankRuleSchema } from './workloads/rank-rule.ts';
export {
  type CommandDefinition,
  type Graph500Definition,
  type Graph500ExternalDefinition,
  type WorkloadDefinition,
  workloadSchema,
} from './workloads/schema.ts';
export type {
  BundledProgram,
  Invocation,
  OutputName,
  RunOutput,
  RunPlace,
  RunResult,
  Workload,
} from './workloads/workload.ts';
