export { agentFor, buildHostPrograms, buildProgram } from './build.ts';
export { MACHINES, type Machine, machineOf } from './machine.ts';
export { type MpiSource, mpichEndSource, mpiSource, recorderSources } from './mpi-source.ts';
export { driverTemplate, fileName, type HostPrograms, type MpiProgram, programFile } from './paths.ts';
