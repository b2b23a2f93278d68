export { analyseTimely, type TimelyAnalysis } from './analyse.ts';
export { type CompleteSlice, FollowedTrace } from './follow.ts';
export { TimelyTrace, type TraceOptions } from './trace.ts';
export { type TimelyWait, waitsOf } from './waits.ts';
