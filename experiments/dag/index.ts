export { type ReadDagRun, readDagRun } from './read-run.ts';
export * from './records.ts';
export { createDagRun, type DagRunWriter } from './write-run.ts';
