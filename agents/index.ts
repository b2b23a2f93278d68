/** Builds and finds the C programs that run on the cluster's hosts. What other rooms use of it; they import it from the file that defines it. */
export { agentFor, buildHostPrograms, buildProgram } from './build.ts';
export {
  type ClusterBuild,
  driverTemplate,
  fileName,
  findMachine,
  type HostPrograms,
  MACHINES,
  mpiSource,
  programFile,
} from './host-programs.ts';
