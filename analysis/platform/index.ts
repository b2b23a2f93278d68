export { resourcesAbove, WORKER_KEYS } from './check-platform.ts';
export { GROUPS, type Group } from './exchanges.ts';
export { loadPlatform, shippedPlatforms } from './load-platform.ts';
export { mapPhases } from './map-phases.ts';
export type { MetricLabel, Platform } from './platform.ts';
export { tracedType } from './traced-type.ts';
