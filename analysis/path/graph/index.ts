export { allWaiting } from './all-waiting.ts';
export { criticalPath, precededBy, type Slice } from './critical-path.ts';
export { type BrokenPath, GAP, type Path, pathSteps, receiver, stepKey, stepLabel, TRANSFER, WORK } from './path.ts';
export { type PathProfile, profilePath } from './profile.ts';
export { checkProperties, type Violations, type WorkerInstant } from './properties.ts';
export { arrivalsAt, lowerBound, NO_ROW, rowBefore, UNKNOWN, WAIT } from './segment.ts';
export { slicesOf, wholeSlice } from './slices.ts';
