export { analyseTimely, type TimelyAnalysis } from './analyse-timely.ts';
export { type CompleteSlice, FollowedTrace } from './follow.ts';
export { TimelyTrace, type TraceOptions } from './timely-trace.ts';
export { type TimelyWait, waitsOf } from './timely-waits.ts';
