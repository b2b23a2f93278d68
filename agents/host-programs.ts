import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, projectRoot } from '../base/paths.ts';
import { scriptWords, sh } from '../base/shell.ts';

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

/** Where the sources are of what is compiled. */
export function sourceFolder(part: 'host' | 'idle' | 'harness' | 'mpi' | MpiProgram): string {
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

/** What is compiled on a cluster, by the compiler of its MPI; the agent by any. */
export type ClusterBuild =
  | MpiProgram
  /** For hosts of a kind that no compiler here builds for. */
  | 'agent'
  /** The recorder of MPI calls. */
  | 'mpi-trace'
  /** Lets ranks of an older MPICH leave MPI_Finalize. */
  | 'mpich-end';

/** Flags as the Makefiles have them (agents/mpi/program.mk, agents/mpi-trace); what is linked comes last. */
const PROGRAM = { flags: ['-std=c11', '-O3', '-Impi'], link: '-lm' };
/** OpenMP, its library in the program; a compiler without it makes a program of one thread. */
const OPENMP = '-fopenmp -l:libgomp.a -ldl -Wl,--as-needed';
const BUILDS: Readonly<Record<ClusterBuild, { folders: string[]; flags: string[]; link: string; wanted?: string }>> = {
  graph500: { ...PROGRAM, folders: ['graph500', 'mpi'] },
  graphalytics: { ...PROGRAM, folders: ['graphalytics', 'mpi'], wanted: OPENMP },
  agent: { folders: ['host'], flags: '-std=c11 -D_GNU_SOURCE -O2 -static -pthread'.split(' '), link: '-lm' },
  'mpi-trace': {
    folders: ['mpi-trace'],
    flags: '-std=gnu11 -Wall -Wextra -fPIC -shared -pthread -fvisibility=hidden -O2'.split(' '),
    link: '-ldl',
  },
  'mpich-end': { folders: ['mpich-end'], flags: ['-O2', '-fPIC', '-shared'], link: '-ldl' },
};

/** Sources for a machine that has a shell and a compiler alone. */
interface ClusterSource {
  /** Of the sources and of how they are compiled, hex. */
  readonly digest: string;
  /** Words that make `file` in a folder, unless it is there; they read `input`. */
  readonly command: (options: { folder: string; file: string; compiler: string }) => readonly string[];
  /** A line for each source: its path and, in base64, its text. */
  readonly input: string;
}

/** Arguments: the folder, the file in it, the compiler, what is linked, words that may be left out, flags. Two at once do not disturb each other. */
const COMPILE = sh`
folder=$1 file=$2 compiler=$3 link=$4 wanted=$5; shift 5
[ -x "$folder/$file" ] && exit
work=$folder.$$
trap 'rm -rf -- "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p -- "$folder" "$work" && cd -- "$work" || exit
while read -r path text; do
  mkdir -p -- "\${path%/*}" && printf %s "$text" | base64 -d > "$path" || exit
done
build() {
  "$compiler" "$@" */*.c -o "$file" "$link" $wanted
}
if [ -z "$wanted" ] || ! build "$@" 2> /dev/null; then
  wanted=
  build "$@" || exit
fi
mv -f -- "$file" "$folder/$file"`;

export function clusterSource(build: ClusterBuild): ClusterSource {
  const { folders, flags, link, wanted = '' } = BUILDS[build];
  const input = folders.flatMap(sourceLines).join('');
  const digest = createHash('sha256')
    .update([COMPILE, link, wanted, ...flags, input].join('\0'))
    .digest('hex');
  return {
    digest,
    input,
    command: ({ folder, file, compiler }) => scriptWords(COMPILE, folder, file, compiler, link, wanted, ...flags),
  };
}

function sourceLines(part: string): string[] {
  const folder = join(projectRoot(), 'agents', part);
  const names = readdirSync(folder).filter((name) => /\.[ch]$/.test(name));
  return names.sort().map((name) => `${part}/${name} ${readFileSync(join(folder, name)).toString('base64')}\n`);
}
