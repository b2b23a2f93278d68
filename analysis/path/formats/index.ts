export { ActivityBuilder, type Built } from './activity-builder.ts';
export { type GraphSliceResult, graphCaseResult } from './graph-case-result.ts';
export { Problems } from './problems.ts';
export { type GraphCase, readGraphCase } from './read-graph-case.ts';
