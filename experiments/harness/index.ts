export { reasonOf } from './failure-codes.ts';
export { type FoundReport, readReports } from './find-reports.ts';
export { edgeRatesOf, type HarnessReport, type HarnessRun, RESOLVED_S } from './harness-run.ts';
export { joinReport, type ReportTexts } from './join-report.ts';
export { failuresByCode, meansOf, type PairMeans, scoreOf } from './means.ts';
export { type HarnessLog, newsOf, readLog } from './read-log.ts';
