export { buildHostPrograms, type HostPrograms, programFile } from './build.ts';
