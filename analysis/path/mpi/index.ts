export { isMpiTrace, type MpiActivities, mpiActivities } from './from-trace.ts';
