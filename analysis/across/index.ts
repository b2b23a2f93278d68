export { type Across, acrossRuns, type Forecast, type ImbalanceGrowth } from './across-runs.ts';
export { compareRuns, type Difference } from './compare-runs.ts';
export { type ComponentFit, type ComponentFits, componentAt, fitComponents } from './fit-components.ts';
export { componentNames, type Run, runOf, secondsOf } from './runs.ts';
export { type Takeover, takeovers } from './takeover.ts';
