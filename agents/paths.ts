import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../base/private-folder.ts';
import { projectRoot } from '../base/project-root.ts';
import { type Machine, machineOf } from './machine.ts';

/** The built programs that hosts run, as paths on this machine. */
export interface HostPrograms {
  readonly agent: string;
  /** Preloaded into ranks on emulated hosts only. */
  readonly idle: string;
  readonly graph500: string;
  readonly graphalytics: string;
  /** A shell script: starts the Graphalytics harness and collects what it leaves. */
  readonly 'run-harness': string;
}

/** Programs under MPI: they are compiled where they run, by that machine's own mpicc. */
export type MpiProgram = 'graph500' | 'graphalytics';

const NAMES = {
  agent: 'predict-agent',
  idle: 'libpredict-idle.so',
  graph500: 'predict-graph500',
  graphalytics: 'predict-graphalytics',
  'run-harness': 'predict-run-harness',
} as const;

/** A program's file name, the same on every machine. */
export function fileName(program: keyof HostPrograms): string {
  return NAMES[program];
}

/** Where a built program is on this machine. */
export function programFile(name: keyof HostPrograms): string {
  return name === 'agent' || name === 'idle'
    ? programFor(name, machineOf(process.arch) ?? 'x86_64')
    : join(builtFolder('hosts'), NAMES[name]);
}

/** Where the build of a program for hosts of some kind is; one that came with the package, if there is one. */
export function programFor(name: 'agent' | 'idle', machine: Machine): string {
  const shipped = join(projectRoot(), 'dist', 'hosts', machine, NAMES[name]);
  return existsSync(shipped) ? shipped : join(builtFolder('hosts'), machine, NAMES[name]);
}

/** Where the sources are of what is compiled; the package has no `host`, whose programs it brings built. */
export function sourceFolder(
  part: 'host' | 'idle' | 'harness' | 'mpi' | 'mpi-trace' | 'mpich-end' | MpiProgram,
): string {
  return join(projectRoot(), 'agents', part);
}

/** The files of a platform driver for the Graphalytics harness that are the same for every inventory. */
export function driverTemplate(): string {
  return join(projectRoot(), 'agents', 'driver');
}

/** A folder for what is built here: in `dist`, or below the user's cache where an installation is read-only. */
export function builtFolder(name: 'hosts' | 'build'): string {
  const dist = join(projectRoot(), 'dist');
  return isWritable(dist) ? join(dist, name) : join(cacheFolder('built'), name);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
