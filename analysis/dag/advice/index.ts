export { type Holder, unnamedHolder } from './held-up-by.ts';
export { type Ranged, type RunScatter, ranged, runScatter } from './interval.ts';
export { isLink } from './link-or-pipe.ts';
export { type NextStep, nextStep } from './next-step.ts';
export { type HostLimit, hostLimits } from './processors.ts';
export { instancesFor, machinesOf, machinesPrice, type ScaleStep, scaleOut } from './scale-out.ts';
export {
  type Amounts,
  batchesOf,
  type JobRuns,
  jobRuns,
  limitsOf,
  type RateLimit,
  type SetUp,
  type Throughput,
  throughputOf,
} from './throughput.ts';
