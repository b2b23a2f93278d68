import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/index.ts';

/** What a run of the bundled Graph500 left, whether or not it succeeded. */
export interface Graph500Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it with so many ranks on this machine, which may have fewer cores; waiting ranks yield. One rank needs no launcher. */
export async function runGraph500(ranks: number, ...args: readonly string[]): Promise<Graph500Run> {
  const { graph500 } = await buildHostPrograms();
  const launch = ['--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', '-np', String(ranks)];
  const [program, own] = ranks === 1 ? [graph500, args] : ['mpirun', [...launch, graph500, ...args]];
  const { exitCode, stdout, stderr } = await execa(program, own, {
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
    reject: false,
    timeout: 60_000,
  });
  return { exitCode: exitCode ?? null, stdout, stderr };
}
