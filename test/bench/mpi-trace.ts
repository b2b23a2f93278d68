// What recording its MPI calls costs a program: with and without the recorder in turn, by the time that the program prints.
// On machines with fewer free cores than ranks the times scatter by more than the cost: the quartiles say so.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { programFor, readTraceFolder, recorderFor } from '../agents/run-traced.ts';

const [PAIRS, RANKS] = [21, 2];
const kernels = programFor('openmpi', 'kernels');
const PROGRAMS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['stencil (as NAS BT)', [kernels, '1000', '400', 'stencil']],
  ['all-to-all (as NAS FT)', [kernels, '400', '1000', 'transpose']],
  ['conjugate gradient (as NAS CG)', [kernels, '1000', '400', 'gradient']],
  ['one-sided, fences', [kernels, '1000', '400', 'window']],
  ['polling', [kernels, '1000', '400', 'poll']],
  ['Fortran, nothing but messages', [programFor('openmpi', 'use-mpi-f08'), '10000']],
];

const library = recorderFor('openmpi');
const folder = mkdtempSync(join(tmpdir(), 'bench-mpi-trace-'));
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

/** The seconds that the program says it took; `where`: recorded into that folder. */
async function timeOf(argv: readonly string[], where: string | null): Promise<number> {
  const own = where === null ? [] : ['-x', `LD_PRELOAD=${library}`, '-x', `PREDICT_MPI_TRACE=${where}`];
  const { stdout } = await execa('mpirun', [...own, '-n', String(RANKS), ...argv], {
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
  });
  return Number(/took +([\d.]+) s/.exec(stdout)?.[1] ?? Number.NaN);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
}
