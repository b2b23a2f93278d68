export { ActivityBuilder, type Built } from './activity-builder.ts';
export { type GraphSliceResult, graphCaseResult } from './graph-case-result.ts';
export { readOtf2 } from './otf2/read-otf2.ts';
export { type ReadActivities, readActivities } from './read-activities.ts';
export { type GraphCase, readGraphCase } from './read-graph-case.ts';
