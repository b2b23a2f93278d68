export { type CallPart, callParts } from './call-parts.ts';
export { importCampaign, runsOfStore } from './campaign-profiles.ts';
export { type ExplainedScaling, explainScaling, type ScaledPart } from './explain-scaling.ts';
export { type ProfiledRun, profiledRun, type StackSeconds, shortFrames } from './profiled-run.ts';
export { type ProfiledCampaign, readProfiledRuns } from './read-runs.ts';
export { type ScalingFlame, scalingFlames } from './scaling-flames.ts';
export { type StackShares, stackShares } from './stack-shares.ts';
export {
  judgeScaling,
  type MeasuredPart,
  type MeasuredRange,
  type ScalingJudgement,
  type ScalingVerdict,
  verdictText,
} from './verdicts.ts';
export {
  type ScalingWitnesses,
  scalingWitnesses,
  type WitnessPart,
  type WitnessRuns,
  witnessRuns,
} from './witnesses.ts';
