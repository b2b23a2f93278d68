export { type ReadDagRun, readDagRun } from './read-run.ts';
export * from './records.ts';
export { createDagRun, type DagRunWriter, RUN_FILE } from './write-run.ts';
