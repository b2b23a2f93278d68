import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cacheFolder, projectRoot } from '../base/paths.ts';
import { type Script, sh } from '../base/shell.ts';

/** The kinds of machine that the agent is made for, as `uname -m` calls them. */
export const MACHINES = ['x86_64', 'aarch64'] as const;
export type Machine = (typeof MACHINES)[number];

/** By any of its names, such as those of `uname -m` and of Node; undefined for one that the agent is not made for. */
export function findMachine(name: string): Machine | undefined {
  switch (name) {
    case 'x86_64':
    case 'amd64':
    case 'x64':
      return 'x86_64';
    case 'aarch64':
    case 'arm64':
      return 'aarch64';
    default:
      return undefined;
  }
}

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
    ? programFor(name, findMachine(process.arch) ?? 'x86_64')
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

/** What a machine with an MPI compiler needs to make a program of ours. */
export interface MpiSource {
  /** Of the sources and of how they are compiled, hex. */
  readonly digest: string;
  /** Makes the program: its arguments are a folder for it, `file` and the compiler; it reads `input`. */
  readonly script: Script;
  /** A line for each source: its path and, in base64, its text. */
  readonly input: string;
  readonly file: string;
}

/** Flags as agents/mpi/program.mk has them. Two at once do not disturb each other. */
const COMPILE = sh`
[ -x "$1/$2" ] && exit
work=$1.$$
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p -- "$1" "$work" && cd -- "$work" || exit
while read -r path text; do
  mkdir -p -- "\${path%/*}" && printf %s "$text" | base64 -d > "$path" || exit
done
"$3" -std=c11 -O3 -Impi */*.c -o "$2" -lm && mv -f -- "$2" "$1/$2"`;

/** The sources of a program under MPI, for a machine that has a shell and the compiler alone. */
export function mpiSource(program: MpiProgram): MpiSource {
  const files = [program, 'mpi'].flatMap((part) => sourcesOf(part as MpiProgram | 'mpi'));
  const input = files.map(({ path, bytes }) => `${path} ${bytes.toString('base64')}\n`).join('');
  const digest = createHash('sha256').update(COMPILE).update(input).digest('hex');
  return { digest, script: COMPILE, input, file: fileName(program) };
}

/** The sources of the recorder of MPI calls, which is compiled where the program's own MPI is. */
export async function recorderSources(): Promise<readonly string[]> {
  const folder = sourceFolder('mpi-trace');
  const names = await readdir(folder);
  return names.filter((name) => /\.[ch]$/.test(name)).map((name) => join(folder, name));
}

/** The source of the library that lets ranks of an older MPICH leave MPI_Finalize, compiled on the cluster too. */
export function mpichEndSource(): string {
  return join(sourceFolder('mpich-end'), 'mpich-end.c');
}

function sourcesOf(part: MpiProgram | 'mpi'): { readonly path: string; readonly bytes: Buffer }[] {
  const folder = sourceFolder(part);
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name));
  return names.sort().map((name) => ({
    path: `${part}/${basename(name)}`,
    bytes: readFileSync(join(folder, name)),
  }));
}
