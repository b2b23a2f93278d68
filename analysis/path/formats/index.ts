export { ActivityBuilder } from './activity-builder.ts';
export { readOtf2 } from './otf2/read-otf2.ts';
export { type ReadActivities, readActivities } from './read-activities.ts';
