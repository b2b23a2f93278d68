export { type Across, acrossRuns } from './across-runs.ts';
export { compareRuns, type Difference } from './compare-runs.ts';
export {
  type ComponentFit,
  type ComponentFits,
  componentAt,
  fitComponents,
  sharesAt,
  wholeAt,
} from './fit-components.ts';
export type { Forecast } from './forecast.ts';
export type { ImbalanceGrowth } from './imbalance-growth.ts';
export { componentNames, type Run, runOf, secondsOf } from './run-of-cell.ts';
export { NETWORK, PROCESSORS, type Takeover, takeovers } from './takeover.ts';
