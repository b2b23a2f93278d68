export { buildHostPrograms, driverTemplate, type HostPrograms, programFile, recorderSources } from './build.ts';
