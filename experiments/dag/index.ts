export * from './dag-records.ts';
export { pressureOf } from './pressure.ts';
export { hasDagRun, type ReadDagRun, readDagRun } from './read-run.ts';
export { createDagRun, type DagRunWriter, PERIODS_FILE, RUN_FILE } from './write-run.ts';
