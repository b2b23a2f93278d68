export { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';
export { type RecordedPath, recordedPath } from './recorded-path.ts';
