/** Builds and finds the C programs that run on the cluster's hosts. What other rooms use of it; they import it from the file that defines it. */
export { agentFor, buildHostPrograms, buildProgram } from './build.ts';
export {
  driverTemplate,
  fileName,
  findMachine,
  type HostPrograms,
  MACHINES,
  type MpiSource,
  mpichEndSource,
  mpiSource,
  programFile,
  recorderSources,
} from './host-programs.ts';
