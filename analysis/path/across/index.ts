export type { KeyTakeover } from './key-takeovers.ts';
export { type KeyOverWorkers, type OverWorkers, overWorkers, type TracePath } from './over-workers.ts';
export { type PathCampaign, pathCampaign, recordsCalls } from './path-campaign.ts';
export { type PathForecast, type PathKey, pathAcross } from './path-scaling.ts';
