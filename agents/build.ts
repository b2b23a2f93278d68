import { copyFileSync, existsSync, mkdirSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { assertNever, infrastructure, PredictError } from '../base/errors.ts';
import { closeLocked, lockFile } from '../base/lock-file.ts';
import { projectRoot } from '../base/paths.ts';
import { lastLines } from '../base/text.ts';
import {
  builtFolder,
  findMachine,
  type HostPrograms,
  type Machine,
  type MpiProgram,
  programFile,
  programFor,
  sourceFolder,
} from './host-programs.ts';

const SOURCE = /\.(?:[ch]|mk|sh)$/;

/** For another command that builds. */
const WAIT_S = 600;

/** Compiles what is older than its sources of all programs, for this machine, and says where they are; `say` hears what takes seconds. */
export async function buildHostPrograms(say: (text: string) => void = () => undefined): Promise<HostPrograms> {
  const isNew = !existsSync(programFile('graphalytics'));
  if (isNew) say('predict: compiling the programs of hosts; this takes some 10 seconds.');
  return {
    agent: await buildProgram('agent'),
    idle: await buildProgram('idle'),
    graph500: await buildProgram('graph500'),
    graphalytics: await buildProgram('graphalytics'),
    'run-harness': await buildProgram('run-harness'),
  };
}

/** As `buildHostPrograms`, one of them alone. */
export async function buildProgram(name: keyof HostPrograms): Promise<string> {
  switch (name) {
    case 'agent':
    case 'idle': {
      const machine = findMachine(process.arch);
      if (machine === undefined) {
        throw infrastructure(
          `The agent cannot be built for this machine (${process.arch}): run this on x86-64 or arm64.`,
        );
      }
      await agentFor(machine);
      return programFor(name, machine);
    }
    case 'graph500':
    case 'graphalytics':
      return buildMpi(name);
    case 'run-harness': {
      const [from, to] = [join(sourceFolder('harness'), 'run-harness.sh'), programFile(name)];
      if (isStale(to, [sourceFolder('harness')])) {
        mkdirSync(dirname(to), { recursive: true });
        copyFileSync(from, to);
      }
      return to;
    }
    default:
      return assertNever(name);
  }
}

/** The agent for hosts of a kind: the one that came with the package, or built here from its sources. */
export async function agentFor(machine: Machine): Promise<string> {
  const file = programFor('agent', machine);
  const sources = sourceFolder('host');
  if (isStale(file, [sources]) || isStale(programFor('idle', machine), [sourceFolder('idle')])) {
    await makeFor(machine, sources);
  }
  const built = programFor('agent', machine);
  if (existsSync(built)) return built;
  throw infrastructure(`${built} is missing: install the package again.`);
}

async function buildMpi(name: MpiProgram): Promise<string> {
  const [folder, file] = [sourceFolder(name), programFile(name)];
  if (isStale(file, [folder, sourceFolder('mpi')]))
    await make(name, { folder, words: [`OUT=${relative(folder, file)}`], lacks: LACKS_MPI });
  return file;
}

async function makeFor(machine: Machine, folder: string): Promise<void> {
  const own = findMachine(process.arch) === machine && process.platform === 'linux';
  const compiler = own ? [] : [`CC=${machine}-linux-gnu-gcc`];
  const out = join(builtFolder('hosts'), machine);
  await make(`host-${machine}`, {
    folder,
    words: [`OUT=${relative(folder, out)}`, ...compiler],
    lacks: own ? LACKS_COMPILER : LACKS_CROSS_COMPILER[machine],
  });
}

const LACKS_COMPILER =
  "Run './predict setup' to install the compilers, or install the npm package, which contains the compiled agent.";
const LACKS_CROSS_COMPILER = {
  x86_64: lacksFor('gcc-x86-64-linux-gnu and libc6-dev-amd64-cross'),
  aarch64: lacksFor('gcc-aarch64-linux-gnu and libc6-dev-arm64-cross'),
} as const satisfies Record<Machine, string>;
const LACKS_MPI = 'Install make and an MPI compiler on this machine (on Debian make and libopenmpi-dev).';

function lacksFor(packages: string): string {
  return `Install make and that compiler (on Debian make, ${packages}), or use an npm package built elsewhere, which contains the compiled agent.`;
}

async function make(
  part: string,
  { folder, words, lacks }: { readonly folder: string; readonly words: readonly string[]; readonly lacks: string },
): Promise<void> {
  const makefile = join(folder, 'Makefile');
  // make splits names at blanks, and those of folders above may have some: all is named from the folder itself.
  const objects = join(builtFolder('build'), part);
  const args = ['-s', '-j2', '-C', folder, `BUILD=${relative(folder, objects)}`, ...words];
  // One make at a time: a second command must not link what the first has half written.
  const lock = openSync(makefile, 'r');
  try {
    await lockFile(lock, makefile, { waitS: WAIT_S });
    const result = await execa('make', args, { reject: false, all: true });
    const all = result.all ?? '';
    if (!result.failed) {
      writeFileSync(join(objects, 'said'), all);
      return;
    }
    const absent = result.code === 'ENOENT' ? 'make' : /^make.*: (\S+): No such file or directory$/m.exec(all)?.[1];
    const said = absent === undefined ? lastLines(all) || 'it says nothing' : `there is no ${absent}`;
    const message = `The host programs in agents/${basename(folder)} could not be compiled: ${said}.`;
    // What make asks for is not there (the shell's exit code 127), or the C library's headers are not.
    if (absent !== undefined || /\bError 127\b|\.h: No such file/.test(all))
      throw infrastructure(`${message} ${lacks}`);
    throw new PredictError(message, { kind: 'unexpected' });
  } finally {
    closeLocked(lock);
  }
}

/** Whether a file is missing or older than a source of its own. What has no sources here came built, as did what a package has. */
function isStale(file: string, folders: readonly [string, ...string[]]): boolean {
  if (!existsSync(folders[0])) return false;
  if (!existsSync(file)) return true;
  // The times of a package's files are those of its installation. A package has no such file.
  if (!existsSync(join(projectRoot(), 'package-lock.json'))) return false;
  const built = statSync(file).mtimeMs;
  const sources = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return sources.some((source) => SOURCE.test(source) && statSync(source).mtimeMs > built);
}
