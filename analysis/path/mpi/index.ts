export { dividedRecorded } from './divide-recorded.ts';
export { isMpiTrace, type MpiActivities, mpiActivities, QUEUED } from './from-trace.ts';
export { type RecordedPath, recordedPath } from './recorded-path.ts';
