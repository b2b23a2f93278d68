import { cpus } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { execa } from 'execa';
import { mean, standardDeviation } from 'simple-statistics';
import { studentQuantile } from '../../modeling/judge/distributions.ts';

export interface Ended {
  readonly stdout: string;
  /** From its start to its end. */
  readonly wallSeconds: number;
  /** Of all its processes, in the program and the kernel. */
  readonly cpuSeconds: number;
}

/** Milliseconds over which a machine is watched. */
const WATCH_MS = 200;
/** Share of the processors above which the machine counts as busy. */
export const BUSY = 0.1;

/** Runs a command on the first so many processors; `threads` is what OpenMP gets. */
export async function runPinned(
  processors: number,
  [program = '', ...words]: readonly string[],
  threads = processors,
): Promise<Ended> {
  const env = {
    OMP_NUM_THREADS: String(threads),
    OMPI_ALLOW_RUN_AS_ROOT: '1',
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
    OMPI_MCA_ess_singleton_isolated: '1',
  };
  const timed = ['bash', '-c', `TIMEFORMAT='spent %R %U %S'; time "$@"`, 'bash', program, ...words];
  const { stdout, stderr } = await execa('taskset', ['-c', `0-${processors - 1}`, ...timed], { env });
  const [, wall, user, system] = /^spent (\S+) (\S+) (\S+)$/m.exec(stderr) ?? [];
  return { stdout, wallSeconds: Number(wall), cpuSeconds: Number(user) + Number(system) };
}

/** `mpirun` with so many ranks that share the processors they are pinned to. */
export function onRanks(ranks: number, command: readonly string[]): readonly string[] {
  return ranks === 1 ? command : ['mpirun', '--oversubscribe', '--bind-to', 'none', '-np', String(ranks), ...command];
}

/** The share of all processors that others use while this program waits. */
export async function shareOfOthers(): Promise<number> {
  const before = ticks();
  await setTimeout(WATCH_MS);
  const after = ticks();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function ticks(): { readonly idle: number; readonly all: number } {
  const [times, sum] = [cpus().map((cpu) => cpu.times), (values: readonly number[]) => values.reduce((a, b) => a + b)];
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((one) => Object.values(one))) };
}

/** The geometric mean of ratios of pairs with its 90 % interval. */
export function formatRatio(ours: readonly number[], theirs: readonly number[]): string {
  const logs = ours.map((one, k) => Math.log(one / (theirs[k] ?? Number.NaN)));
  const half = (studentQuantile(logs.length - 1, 0.9) * standardDeviation(logs)) / Math.sqrt(logs.length - 1);
  const [low, middle, high] = [-half, 0, half].map((off) => Math.exp(mean([...logs]) + off).toFixed(2));
  return logs.length < 2 ? `${middle}` : `${middle} (${low} to ${high})`;
}

/** Says how busy the machine was when rounds began. */
export function formatBusy(shares: readonly number[]): string {
  const busy = shares.filter((share) => share > BUSY).length;
  const worst = (100 * Math.max(...shares)).toFixed(0);
  const sentence = `${busy} of ${shares.length} rounds began on a busy machine (others used up to ${worst} %)`;
  return busy === 0 ? sentence : `${sentence}: take these figures with care`;
}
