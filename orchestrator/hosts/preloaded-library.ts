import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure } from '../../base/errors.ts';
import { type Script, scriptWords } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { type Host, headOf, type Inventory } from '../../inventory/inventory-schema.ts';
import type { Cluster } from './cluster.ts';
import { deployFiles } from './deploy-files.ts';
import { findCompiler } from './find-compiler.ts';

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
