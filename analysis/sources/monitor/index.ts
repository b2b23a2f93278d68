export { readMonitorFolder } from './read-folder.ts';
export type { MonitorOptions } from './to-metrics.ts';
