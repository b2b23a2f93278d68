import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgram, type MpiSource, mpiSource } from '../../agents/index.ts';
import { cacheFolder, infrastructure, lastLines, quote } from '../../base/index.ts';
import { type BundledProgram, writeFileWhole } from '../../experiments/index.ts';
import { headOf } from '../../inventory/index.ts';
import { findCompiler } from '../launchers/index.ts';
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
  const compiler = await compilerOn(executor, cluster, program);
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

/** The head's MPI compiler, and what it says of itself. */
async function compilerOn(executor: Executor, { inventory }: Cluster, program: BundledProgram) {
  const tell = 'command -v "$c"; uname -m; { "$c" -show; "$c" --version; getconf GNU_LIBC_VERSION; } 2>/dev/null';
  const { stdout } = await executor.exec(`${findCompiler(inventory)}; ${tell}; true`);
  const [path = '', ...about] = stdout.trim().split('\n');
  if (path.startsWith('/')) return { path, about };
  throw infrastructure(
    `${executor.host}: predict-${program} is compiled there, and there is no compiler of MPI on the PATH${inventory.mpi.command ? ' or beside mpi.command' : ''}: install the compiler of its MPI (libopenmpi-dev, mpich), or name a built program under programs.${program} in the inventory.`,
    { host: executor.host },
  );
}

async function compile(
  executor: Executor,
  { source, folder, compiler }: { readonly source: MpiSource; readonly folder: string; readonly compiler: string },
): Promise<void> {
  const [file, work] = [quote(`${folder}/${source.file}`), `${quote(folder)}.$$`];
  const command = [
    `[ -x ${file} ] && exit`,
    `trap 'rm -rf ${work}' EXIT`,
    `mkdir -p ${quote(folder)} ${work} && cd ${work} && sh -s ${quote(compiler)} && mv -f ${quote(source.file)} ${file}`,
  ].join('; ');
  const { exitCode, stderr } = await executor.exec(command, { input: source.script, timeoutMs: COMPILE_MS });
  if (exitCode === 0) return;
  throw infrastructure(
    `${executor.host}: ${source.file} could not be compiled with ${compiler}: ${lastLines(stderr)}.`,
    {
      host: executor.host,
    },
  );
}
