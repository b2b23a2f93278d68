export { buildHostPrograms, type HostPrograms } from './build.ts';
