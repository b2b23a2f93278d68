export { readMonitorFolder } from './read-folder.ts';
