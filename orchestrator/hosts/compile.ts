import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildProgram } from '../../agents/build.ts';
import { type MpiSource, mpiSource } from '../../agents/host-programs.ts';
import { infrastructure } from '../../base/errors.ts';
import { cacheFolder } from '../../base/paths.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import type { BundledProgram } from '../../experiments/workloads/workload.ts';
import { headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import type { Executor } from './executor.ts';

/** For a compiler on a slow shared file system. */
const COMPILE_MS = 10 * 60_000;

/**
 * A program of ours, built for the cluster's hosts, as a file on this machine. One under MPI is compiled on the head host by the
 * compiler of its MPI, once for each state of sources and compiler; it stays there and in this user's cache. Something must have
 * been deployed to the head before. Errors: `infrastructure` that says what the head lacks.
 */
export async function compiledProgram(cluster: Cluster, program: BundledProgram): Promise<string> {
  if (program === 'run-harness') return buildProgram(program);
  const executor = cluster.on(headOf(cluster.inventory));
  const source = mpiSource(program);
  const compiler = await compilerOf(cluster, program);
  const { cluster: name } = cluster.inventory;
  // What one cluster compiled is never run on another.
  const key = createHash('sha256')
    .update(JSON.stringify([name, executor.host, source.digest, compiler]))
    .digest('hex');
  const folder = join(cacheFolder('programs'), key.slice(0, 32));
  const file = join(folder, source.file);
  if (existsSync(file)) return file;
  const remote = `${cluster.remotePath('programs')}/${key.slice(0, 32)}`;
  await compile(executor, { source, folder: remote, compiler: compiler.path });
  const built = await executor.fetch(`${remote}/${source.file}`);
  if (built === null) {
    throw infrastructure(`${executor.host}: ${remote}/${source.file}, which was compiled there, is gone.`, {
      host: executor.host,
    });
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileWhole(file, built);
  return file;
}

async function compilerOf(cluster: Cluster, program: BundledProgram) {
  const compiler = await findCompiler(cluster);
  if (compiler !== null) return compiler;
  const { name: host } = headOf(cluster.inventory);
  throw infrastructure(
    `${host}: predict-${program} must be compiled there, but there is no MPI compiler on the PATH${cluster.inventory.mpi.command ? ' or beside mpi.command' : ''}. Install it (libopenmpi-dev, mpich), or name a built program under programs.${program} in the inventory.`,
    { host },
  );
}

async function compile(
  executor: Executor,
  { source, folder, compiler }: { readonly source: MpiSource; readonly folder: string; readonly compiler: string },
): Promise<void> {
  const { exitCode, stderr } = await executor.exec(scriptWords(source.script, folder, source.file, compiler), {
    input: source.input,
    timeoutMs: COMPILE_MS,
  });
  if (exitCode === 0) return;
  throw infrastructure(
    `${executor.host}: ${source.file} could not be compiled with ${compiler}: ${lastLines(stderr)}.`,
    {
      host: executor.host,
    },
  );
}

/** A compiler of the launcher's MPI on the head host. */
interface Compiler {
  readonly path: string;
  /** The kind of machine, what the compiler says of itself, the C library. */
  readonly about: readonly string[];
}

const FIND = sh`
for compiler; do
  command -v "$compiler" || continue
  uname -m
  { "$compiler" -show; "$compiler" --version; getconf GNU_LIBC_VERSION; } 2>/dev/null
  break
done
true`;

/** The first compiler that the head has, those beside the inventory's own mpirun before others; null without any. */
export async function findCompiler(cluster: Cluster): Promise<Compiler | null> {
  const { mpi } = cluster.inventory;
  const { compilers } = LAUNCHERS[mpi.launcher];
  const beside = mpi.command?.includes('/') ? compilers.map((name) => join(dirname(mpi.command ?? ''), name)) : [];
  const { stdout } = await cluster.on(headOf(cluster.inventory)).exec(scriptWords(FIND, ...beside, ...compilers));
  const [path = '', ...about] = stdout.trim().split('\n');
  return path.startsWith('/') ? { path, about } : null;
}
