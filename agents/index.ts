/** Builds and finds the C programs that run on the cluster's hosts. What other rooms use of it; they import it from the file that defines it. */
export { agentFor, buildHostPrograms, buildProgram } from './build.ts';
export { MACHINES, machineOf } from './machine.ts';
export { type MpiSource, mpichEndSource, mpiSource, recorderSources } from './mpi-source.ts';
export { driverTemplate, fileName, type HostPrograms, programFile } from './paths.ts';
