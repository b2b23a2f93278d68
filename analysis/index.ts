export * from './across/index.ts';
export {
  type ExplainedCampaign,
  type ExplainedRun,
  explainCampaign,
  type GoodRuns,
  type ModelChoice,
  measurements,
  readGoodRuns,
} from './explain-campaign.ts';
export * from './export/index.ts';
export { type Finding, rankFindings } from './finding.ts';
export * from './grade10/index.ts';
export * from './pictures/index.ts';
export { loadPlatform, type MetricLabel, mapPhases, type Platform, shippedPlatforms } from './platform/index.ts';
export * from './sources/logs/index.ts';
export { type CellModelOptions, cellModel, countersOf } from './sources/runs/cell-model.ts';
export { UNEXPLAINED } from './sources/runs/divide-time.ts';
export { type Explained, explainCell } from './sources/runs/explain-cell.ts';
export { componentLabel, costFindings, costWords, lastStep, metricLabel } from './sources/runs/sentences.ts';
export { type Cost, type Part, type Summary, summarise } from './sources/runs/summarise.ts';
