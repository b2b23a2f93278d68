// What recording its MPI calls costs a program: with and without the recorder in turn, by the time that the program prints.
// On machines with fewer free cores than ranks the times scatter by more than the cost: the quartiles say so.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { programFor, readTraceFolder, recorderFor } from '../agents/run-traced.ts';

// --command 'PROGRAM ARGUMENTS' [--pattern 'took ([0-9.]+)'] [--pairs N] [--ranks N]: of that program, which prints its seconds like that.
const flag = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const [PAIRS, RANKS] = [Number(flag('--pairs') ?? '9'), Number(flag('--ranks') ?? '2')];
const asked = flag('--command');
const SECONDS = new RegExp(flag('--pattern') ?? 'took +([0-9.]+) s');
const kernels = programFor('openmpi', 'kernels');
const OURS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['stencil (as NAS BT)', [kernels, '1000', '400', 'stencil']],
  ['all-to-all (as NAS FT)', [kernels, '400', '1000', 'transpose']],
  ['conjugate gradient (as NAS CG)', [kernels, '1000', '400', 'gradient']],
  ['one-sided, fences', [kernels, '1000', '400', 'window']],
  ['polling', [kernels, '1000', '400', 'poll']],
  ['Fortran, nothing but messages', [programFor('openmpi', 'use-mpi-f08'), '10000']],
];
const PROGRAMS = asked === undefined ? OURS : [[asked, asked.split(' ')] as const];

const library = recorderFor('openmpi');
const folder = mkdtempSync(join(tmpdir(), 'bench-mpi-trace-'));
if (asked === undefined) await costOfCalls();
console.log(`${RANKS} ranks, ${PAIRS} pairs of runs; cost: median of the pairs [quartiles]`);
for (const [name, argv] of PROGRAMS) {
  const ratios: number[] = [];
  const times: number[] = [];
  let [calls, bytes] = [0, 0];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const place = mkdtempSync(join(folder, 'run-'));
    // Which comes first takes turns.
    const order = pair % 2 === 0 ? [null, place] : [place, null];
    const seconds = new Map<string | null, number>();
    for (const where of order) seconds.set(where, await timeOf(argv, where));
    const [without, recorded] = [seconds.get(null) ?? 0, seconds.get(place) ?? 0];
    ratios.push(recorded / without - 1);
    times.push(without);
    const { summary, phases, messages } = readTraceFolder(place);
    calls = (summary.trace_calls ?? 0) + (summary.trace_merged ?? 0);
    bytes = phases.length + messages.length;
    rmSync(place, { recursive: true });
  }
  const percent = (share: number): string => `${(quantile(ratios, share) * 100).toFixed(1)} %`;
  const perSecond = calls / RANKS / quantile(times, 0.5);
  console.log(
    `${name}: ${percent(0.5)} [${percent(0.25)}, ${percent(0.75)}] of ${(quantile(times, 0.5) * 1e3).toFixed(0)} ms, ` +
      `${perSecond.toFixed(0)} calls/s and rank, ${(bytes / 1e6).toFixed(1)} MB of text`,
  );
}
rmSync(folder, { recursive: true });

/** What a call costs more when it is recorded, by the processor time of one rank that sends itself messages: load does not move it. */
async function costOfCalls(): Promise<void> {
  const [repeats, calls] = [40_000, 4];
  const seconds = async (env: Readonly<Record<string, string>>): Promise<number> => {
    const { stdout } = await execa(kernels, [String(repeats), '0', 'self'], {
      env: { OMPI_MCA_ess_singleton_isolated: '1', ...env },
    });
    return Number(/([\d.]+) CPU/.exec(stdout)?.[1] ?? Number.NaN);
  };
  const nanos: number[] = [];
  const without: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const place = mkdtempSync(join(folder, 'run-'));
    const plain = await seconds({});
    const recorded = await seconds({ LD_PRELOAD: library, PREDICT_MPI_TRACE: place });
    nanos.push(((recorded - plain) / repeats / calls) * 1e9);
    without.push((plain / repeats / calls) * 1e9);
    rmSync(place, { recursive: true });
  }
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(nanos, share).toFixed(0));
  console.log(
    `a call with its message costs ${middle} ns more [${low}, ${high}] than the ${quantile(without, 0.5).toFixed(0)} ns that it takes: ` +
      `${(Number(middle) * 1e-9 * 1e5 * 100).toFixed(1)} % of the time at 100,000 calls/s`,
  );
}

/** The seconds that the program says it took; `where`: recorded into that folder. */
async function timeOf(argv: readonly string[], where: string | null): Promise<number> {
  const own = where === null ? [] : ['-x', `LD_PRELOAD=${library}`, '-x', `PREDICT_MPI_TRACE=${where}`];
  const { stdout } = await execa('mpirun', [...own, '--oversubscribe', '-n', String(RANKS), ...argv], {
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
  });
  return Number(SECONDS.exec(stdout)?.[1] ?? Number.NaN);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}
