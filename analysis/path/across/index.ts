export type { KeyTakeover } from './key-takeovers.ts';
export { type PathCampaign, pathCampaign, recordsCalls } from './path-campaign.ts';
export { type PathForecast, type PathKey, pathAcross } from './scaling.ts';
