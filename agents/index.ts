export { buildHostPrograms, driverTemplate, type HostPrograms, programFile } from './build.ts';
