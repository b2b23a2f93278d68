export { type ReadJob, readWatchedJob } from './read-watched-job.ts';
export { type JobEvent, type PeriodWork, WatchedJob } from './watched-job.ts';
export type { WorkUnit } from './work.ts';
