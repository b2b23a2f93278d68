import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildProgram } from '../../agents/build.ts';
import { type ClusterBuild, clusterSource, fileName } from '../../agents/host-programs.ts';
import { cacheFolder } from '../../base/paths.ts';
import { scriptWords, sh } from '../../base/shell.ts';
import { lastLines } from '../../base/text.ts';
import { writeFileWhole } from '../../experiments/store/whole.ts';
import type { BundledProgram } from '../../experiments/workloads/workload.ts';
import { headOf } from '../../inventory/inventory-schema.ts';
import { LAUNCHERS } from '../launchers/launchers.ts';
import type { Cluster } from './cluster.ts';
import { type Executor, hostFault } from './executor.ts';

/** For a compiler on a slow shared file system. */
const COMPILE_MS = 10 * 60_000;

/**
 * A program of ours, built for the cluster's hosts, as a file on this machine. Something must have been deployed to the head before.
 * Errors: `infrastructure` that says what the head lacks.
 */
export async function compiledProgram(cluster: Cluster, program: BundledProgram): Promise<string> {
  if (program === 'run-harness') return buildProgram(program);
  const compiled = await compileOnHead(cluster, { build: program, file: fileName(program) });
  if ('path' in compiled) return compiled.path;
  const { name, beside } = { name: headOf(cluster.inventory).name, beside: cluster.inventory.mpi.command };
  const { compiler, said } = compiled;
  if (compiler !== null) throw hostFault(name, `${fileName(program)} could not be compiled with ${compiler}: ${said}.`);
  throw hostFault(
    name,
    `predict-${program} must be compiled there, but there is no MPI compiler on the PATH${beside ? ' or beside mpi.command' : ''}. Install it (libopenmpi-dev, mpich), or name a built program under programs.${program} in the inventory.`,
  );
}

/** A file on this machine, or what the compiler said against it. */
type Compiled = { readonly path: string } | { readonly compiler: string | null; readonly said: string };

/**
 * Compiles on the head host by the compiler of its MPI, once for each state of sources and compiler: the file stays there and in this
 * user's cache. Something must have been deployed to the head before.
 */
export async function compileOnHead(
  cluster: Cluster,
  { build, file }: { readonly build: ClusterBuild; readonly file: string },
): Promise<Compiled> {
  const compiler = await findCompiler(cluster);
  if (compiler === null) return { compiler: null, said: 'no MPI compiler was found' };
  const executor = cluster.on(headOf(cluster.inventory));
  const place = cluster.remotePath('programs');
  return await compileOn(executor, place, { build, file, compiler, cluster: cluster.inventory.cluster });
}

/** The same on any host by a compiler of its own: `place` is a folder there for what is built. */
export async function compileOn(
  executor: Executor,
  place: string,
  {
    build,
    file,
    compiler,
    cluster = '',
  }: {
    readonly build: ClusterBuild;
    readonly file: string;
    readonly compiler: Compiler;
    /** What one cluster compiled is never run on another. */
    readonly cluster?: string;
  },
): Promise<Compiled> {
  const { digest, command, input } = clusterSource(build);
  const key = createHash('sha256')
    .update(JSON.stringify([cluster, executor.host, digest, compiler]))
    .digest('hex')
    .slice(0, 32);
  const folder = join(cacheFolder('programs'), key);
  const path = join(folder, file);
  if (existsSync(path)) return { path };
  const remote = `${place}/${key}`;
  const words = command({ folder: remote, file, compiler: compiler.path });
  const { exitCode, stdout, stderr } = await executor.exec(words, { input, timeoutMs: COMPILE_MS });
  if (exitCode !== 0) return { compiler: compiler.path, said: lastLines(stderr || stdout) };
  const built = await executor.fetch(`${remote}/${file}`);
  if (built === null) throw hostFault(executor.host, `${remote}/${file}, which was compiled there, is gone.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileWhole(path, built);
  return { path };
}

/** A compiler on a host: of the launcher's MPI on the head, or any. */
interface Compiler {
  readonly path: string;
  /** The kind of machine, what the compiler and its MPI say of themselves, the C library. */
  readonly about: readonly string[];
}

/** Arguments: compilers, the best first. Open MPI's tells its version by --showme:version, MPICH's by -v. */
const FIND = sh`
for compiler; do
  command -v "$compiler" || continue
  uname -m
  { "$compiler" -show; "$compiler" --version; "$compiler" --showme:version; "$compiler" -v; getconf GNU_LIBC_VERSION; } 2>/dev/null
  break
done
true`;

/** The first compiler that the head has, those beside the inventory's own mpirun before others; null without any. */
async function findCompiler(cluster: Cluster): Promise<Compiler | null> {
  const { mpi } = cluster.inventory;
  const { compilers } = LAUNCHERS[mpi.launcher];
  const beside = mpi.command?.includes('/') ? compilers.map((name) => join(dirname(mpi.command ?? ''), name)) : [];
  const { stdout } = await cluster.on(headOf(cluster.inventory)).exec(scriptWords(FIND, ...beside, ...compilers));
  const [path = '', ...about] = stdout.trim().split('\n');
  return path.startsWith('/') ? { path, about } : null;
}
