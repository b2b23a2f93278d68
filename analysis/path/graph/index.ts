export {
  type ActivityGraph,
  activityGraph,
  edgeNs,
  isWait,
  ON_THE_WIRE,
  TRANSFER_EDGE,
} from './activity-graph.ts';
export {
  type ActivityPath,
  type BrokenPath,
  GAP_STEP,
  joined,
  pathSteps,
  receiver,
  stepKey,
  stepLabel,
  TRANSFER_STEP,
  WORK_STEP,
} from './activity-path.ts';
export { allWaiting } from './all-waiting.ts';
export { checkProperties, type Violations, type WorkerInstant } from './check-properties.ts';
export { criticalPath, precededBy, type Slice } from './critical-path.ts';
export {
  type ExplicitGraph,
  explainNear,
  explicitGraph,
  lengthIf,
  type NearActivity,
  type NearResult,
} from './explain-graph.ts';
export {
  explainProperties,
  explainSlice,
  explainTogether,
  explainWaits,
  type NamedStep,
  type PropertyResult,
  type SliceResult,
  type WaitResult,
} from './explain-slices.ts';
export { imbalanceByName } from './imbalance-by-name.ts';
export { type LongestPaths, longestPaths } from './longest-path.ts';
export { type Participation, participationOf, weightedParticipation } from './participation.ts';
export { type PathProfile, profilePath } from './profile-path.ts';
export { scaledLength } from './scaled-length.ts';
export { arrivalsAt, lowerBound, NO_ROW, rowBefore, UNKNOWN, WAIT } from './segment.ts';
export { nearCritical, type Slack, slackOf } from './slack.ts';
export { slicesOf, wholeSlice } from './slices.ts';
export { type Topology, topologyOf } from './topology.ts';
