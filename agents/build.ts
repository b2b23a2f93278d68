import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { infrastructure, lastLines, PredictError, projectRoot } from '../base/index.ts';

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

/** Compiles what is older than its sources (make decides) into `dist/hosts` and says where it is. */
export async function buildHostPrograms(): Promise<HostPrograms> {
  await make('host', [`OUT=${outputFolder()}`]);
  for (const part of ['graph500', 'graphalytics'] as const) await make(part, [`OUT=${programFile(part)}`]);
  await copyFile(join(projectRoot(), 'agents', 'harness', 'run-harness.sh'), programFile('run-harness'));
  return {
    agent: programFile('agent'),
    idle: programFile('idle'),
    graph500: programFile('graph500'),
    graphalytics: programFile('graphalytics'),
    'run-harness': programFile('run-harness'),
  };
}

const NAMES = {
  agent: 'predict-agent',
  idle: 'libpredict-idle.so',
  graph500: 'predict-graph500',
  graphalytics: 'predict-graphalytics',
  'run-harness': 'predict-run-harness',
} as const;

/** Where a built program is on this machine. */
export function programFile(name: keyof HostPrograms): string {
  return join(outputFolder(), NAMES[name]);
}

/** The files of a platform driver for the Graphalytics harness that are the same for every inventory. */
export function driverTemplate(): string {
  return join(projectRoot(), 'agents', 'driver');
}

/** The sources of the recorder of MPI calls, which is compiled where the program's own MPI is. */
export async function recorderSources(): Promise<readonly string[]> {
  const folder = join(projectRoot(), 'agents', 'mpi-trace');
  const names = await readdir(folder);
  return names.filter((name) => /\.[ch]$|^Makefile$/.test(name)).map((name) => join(folder, name));
}

function outputFolder(): string {
  return join(projectRoot(), 'dist', 'hosts');
}

async function make(part: string, variables: readonly string[]): Promise<void> {
  const folder = join(projectRoot(), 'agents', part);
  const build = join(projectRoot(), 'dist', 'build', part);
  const words = ['make', '-s', '-j2', '-C', folder, `BUILD=${build}`, ...variables];
  // One make at a time: a second command must not link what the first has half written.
  const result = await execa('flock', [join(folder, 'Makefile'), ...words], {
    reject: false,
    all: true,
  });
  if (result.failed) {
    const said = result.all ?? result.shortMessage;
    const message = `The host programs in agents/${part} could not be compiled: ${lastLines(said)}.`;
    // make, or the compiler that it asks for, is not there.
    const isMissing =
      result.code === 'ENOENT' || /(?:not found|No such file or directory)\s*$|command not found/m.test(said);
    throw isMissing
      ? infrastructure(`${message} Run './predict setup' to install the compilers.`)
      : new PredictError(message, { kind: 'unexpected' });
  }
}
