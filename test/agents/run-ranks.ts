import { execa } from 'execa';
import { buildHostPrograms } from '../../agents/build.ts';

/** What a run of a bundled program left, whether or not it succeeded. */
export interface RanksRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type RanksProgram = 'graph500' | 'graphalytics';

let built: ReturnType<typeof buildHostPrograms> | undefined;

/** Runs it with so many ranks on this machine, which may have fewer cores; waiting ranks yield. One rank needs no launcher. */
export async function runRanks(name: RanksProgram, ranks: number, ...args: readonly string[]): Promise<RanksRun> {
  const { command, words, options } = await ranksCommand(name, ranks, args);
  const { exitCode, stdout, stderr } = await execa(command, words, options);
  return { exitCode: exitCode ?? null, stdout, stderr };
}

/** How it is started. */
export async function ranksCommand(name: RanksProgram, ranks: number, args: readonly string[]) {
  built ??= buildHostPrograms();
  const { [name]: file } = await built;
  const [command = '', ...words] = mpirunWords(ranks, file, args);
  return { command, words, options: RANKS_OPTIONS };
}

export function mpirunWords(ranks: number, program: string, args: readonly string[]): readonly string[] {
  const launch = ['--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', '-np', String(ranks)];
  return [...(ranks === 1 ? [] : ['mpirun', ...launch]), program, ...args];
}

export const RANKS_OPTIONS = {
  env: {
    OMPI_ALLOW_RUN_AS_ROOT: '1',
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
    OMPI_MCA_ess_singleton_isolated: '1',
    OMP_WAIT_POLICY: 'passive', // more threads than cores: who waits leaves its core to others
  },
  reject: false,
  timeout: 300_000,
} as const;
