import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mpichEndSource } from '../../agents/host-programs.ts';
import { infrastructure } from '../../base/errors.ts';
import { type Script, scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { type Host, headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { findCompiler } from './compile.ts';
import { deployFiles } from './work-folder.ts';

interface LibraryInput {
  /** Files on this machine. */
  readonly sources: readonly string[];
  /** Where they go, below the work folder. */
  readonly folder: string;
  /** The library's name in the work folder. */
  readonly name: string;
  /** Makes the library; arguments are that folder, the MPI compiler and the library's file. */
  readonly build: Script;
}

/**
 * Compiles a library on the head host with the compiler of its MPI and puts it on all hosts. Returns why it could not be compiled;
 * null where it was. Something must have been deployed to the hosts before.
 */
export async function provideLibrary(
  cluster: Cluster,
  hosts: readonly Host[],
  { sources, folder, name, build }: LibraryInput,
): Promise<string | null> {
  const { inventory } = cluster;
  const head = headOf(inventory);
  const remote = cluster.remotePath(folder);
  await deployFiles(cluster.on(head), sources, remote);
  const compiler = await findCompiler(cluster);
  if (compiler === null) return 'no MPI compiler was found';
  const { exitCode, stdout, stderr } = await cluster
    .on(head)
    .exec(scriptWords(build, remote, compiler.path, cluster.remotePath(name)));
  if (exitCode !== 0) return lastLines(stderr || stdout, 2);
  const others = inventory.work.shared ? [] : hosts.filter((host) => host.name !== head.name);
  if (others.length === 0) return null;
  const library = await cluster.on(head).fetch(cluster.remotePath(name));
  if (library === null)
    throw infrastructure(`${head.name}: ${cluster.remotePath(name)} was removed.`, { host: head.name });
  const local = await mkdtemp(join(tmpdir(), 'predict-'));
  try {
    await writeFile(join(local, name), library);
    await cluster.deploy(others, [join(local, name)]);
  } finally {
    await rm(local, { recursive: true, force: true });
  }
  return null;
}

/** An inventory whose ranks have libraries preloaded, beside whatever it preloads into them itself. */
export function preloading(inventory: Inventory, libraries: readonly string[]): Inventory {
  if (libraries.length === 0) return inventory;
  const { env } = inventory.mpi;
  const all = [...libraries, ...(env.LD_PRELOAD ? [env.LD_PRELOAD] : [])];
  return { ...inventory, mpi: { ...inventory.mpi, env: { ...env, LD_PRELOAD: all.join(':') } } };
}

const NAME = 'libpredict-mpich-end.so';
const BUILD = sh`cd -- "$1" && "$2" -O2 -fPIC -shared -o "$3.new" mpich-end.c -ldl && mv -f -- "$3.new" "$3"`;

/**
 * Where the head's launcher is of an MPI whose MPI_Finalize may wait for ever (`Launcher.mayHang`), all runs of this cluster get
 * the library that mends it (agents/mpich-end). Returns why they do not, one sentence; null otherwise.
 */
export async function provideEnd(cluster: Cluster, hosts: readonly Host[]): Promise<string | null> {
  const { inventory } = cluster;
  const launcher = LAUNCHERS[inventory.mpi.launcher];
  if (launcher.mayHang === undefined) return null;
  const head = headOf(inventory);
  const { stdout } = await cluster.on(head).exec([inventory.mpi.command ?? launcher.command, '--version']);
  const version = launcher.mayHang(stdout);
  if (version === null) return null;
  const why = await provideLibrary(cluster, hosts, {
    ...{ sources: [mpichEndSource()], folder: 'mpich-end', name: NAME, build: BUILD },
  });
  if (why === null) {
    cluster.preloads.push(cluster.remotePath(NAME));
    return null;
  }
  return `MPICH ${version} over UCX sometimes hangs in MPI_Finalize, and the workaround could not be installed on ${head.name} (${why.replace(/\.$/, '')}). Install its MPI compiler there (libmpich-dev), or use MPICH 4.2 or a build for ch4:ofi.`;
}
