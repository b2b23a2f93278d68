export type { KeyTakeover } from './key-takeovers.ts';
export { type KeyOverWorkers, type OverWorkers, overWorkers, type TracePath } from './over-workers.ts';
export { type PathCampaign, pathCampaign } from './path-campaign.ts';
export { type RecordedCampaign, recordedCampaign } from './recorded-campaign.ts';
export { type PathForecast, type PathKey, pathAcross } from './scaling.ts';
