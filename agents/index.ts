/** Builds and finds the C programs that run on the cluster's hosts. What other rooms use of it; they import it from the file that defines it. */
export { agentFor, buildHostPrograms, buildProgram } from './build.ts';
export {
  type ClusterBuild,
  clusterSource,
  driverTemplate,
  fileName,
  findMachine,
  type HostPrograms,
  MACHINES,
  programFile,
} from './host-programs.ts';
