export { dagCaseResult, dagResult } from './case-result.ts';
export { type DagCase, readDagCase } from './read-case.ts';
