export { type CauseFinding, causeFindings } from './cause-findings.ts';
export type { Cause, CauseKind } from './find-causes.ts';
export { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';
export { type RecordedPath, recordedPath } from './recorded-path.ts';
export { dividedRecorded, recordedSummary } from './recorded-summary.ts';
export { whatIfCalls } from './what-if-calls.ts';
