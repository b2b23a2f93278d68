import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../../agents/build.ts';
import { projectRoot } from '../../base/paths.ts';
import { compiled } from '../compiled.ts';
import { isLong } from '../times.ts';
import { hasCompiler, type Mpi, recorderFor, rowsOf, runTraced } from './run-traced.ts';

/** Percent of a core that ranks get here. */
const PERCENT = 10;
/** Milliseconds of a processor that each computes. */
const CPU_MS = 300;

interface Rank {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** How often a thread that slept on a lock was woken while others computed. */
  readonly woken: number;
  /** A barrier to which one rank came 300 ms late. */
  readonly waitedMs: number;
  readonly waitedCpuMs: number;
}

/** Two ranks of test/fixtures/mpi-programs/share.c over TCP under the helper and the recorder. */
async function share(mpi: Mpi, ...words: readonly string[]) {
  const source = join(projectRoot(), 'test/fixtures/mpi-programs/share.c');
  const program = compiled('share', `mpicc.${mpi}`, { words: ['-O2', source, '-pthread'], sources: [source] });
  const env = {
    LD_PRELOAD: `${recorderFor(mpi)}:${await buildProgram('idle')}`,
    PREDICT_CPU_PERCENT: String(PERCENT),
    UCX_TLS: 'tcp,self',
    OMPI_MCA_pml: 'ob1',
    OMPI_MCA_btl: 'self,tcp',
  };
  const { output, trace } = await runTraced(mpi, [program, ...words], { ranks: 2, env });
  const ranks = [...output.matchAll(/^computed (.*)$/gm)].map(([, line = '']): Rank => {
    const [wallMs = NaN, cpuMs = NaN, woken = NaN, waitedMs = NaN, waitedCpuMs = NaN] = line.split(' ').map(Number);
    return { wallMs, cpuMs, woken, waitedMs, waitedCpuMs };
  });
  expect(ranks, output).toHaveLength(2);
  return { ranks, trace };
}

function expectShares(ranks: readonly Rank[]): void {
  for (const { wallMs, cpuMs, woken } of ranks) {
    expect(cpuMs).toBeGreaterThan(CPU_MS * 0.99);
    expect(cpuMs / wallMs).toBeLessThan((PERCENT / 100) * 1.15);
    // The timer of a thread that computes ends 2,000 pieces a second.
    expect(woken).toBeLessThan(wallMs / 10);
  }
}

describe.each(['openmpi', 'mpich'] as const)('under %s a rank', (mpi) => {
  const others: readonly (readonly [string, readonly string[]])[] = [
    ['with four threads', ['4', String(CPU_MS)]],
    ['after MPI_Pcontrol(0)', ['1', String(CPU_MS), 'free']],
  ];
  // The helper is the same under both.
  test.skipIf(!hasCompiler(mpi)).each(mpi === 'openmpi' || isLong ? others : [])(
    `%s keeps to its share (needs mpicc.${mpi})`,
    async (_, words) => {
      const { ranks } = await share(mpi, ...words);
      expectShares(ranks);
    },
  );

  test.skipIf(!hasCompiler(mpi))(
    `with one thread keeps to its share, is recorded as queued while it is held, and hardly computes while it waits (needs mpicc.${mpi})`,
    async () => {
      const { ranks, trace } = await share(mpi, '1', String(CPU_MS));
      expectShares(ranks);
      const spans = rowsOf(trace.phases);
      for (const worker of ['0', '1']) {
        const own = spans.filter((span) => span.worker === worker);
        const queuedMs = own.reduce((sum, { queued_ns }) => sum + Number(queued_ns) / 1e6, 0);
        // What is left of 300 ms on 10 % are 2,700; the last piece may be owed at the end.
        expect(queuedMs).toBeGreaterThan(2_600);
      }
      // Of the one that slept; the other may begin to wait later.
      expect(Math.max(...ranks.map(({ waitedMs }) => waitedMs))).toBeGreaterThan(299);
      // Held to its share only, it would compute 30.
      for (const { waitedCpuMs } of ranks) expect(waitedCpuMs).toBeLessThan(15);
    },
  );
});

/** How often a shell gives up the processor while it computes for some 100 ms. */
async function holdsOf(variable: string, shell: string): Promise<number> {
  const script =
    'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; while read name count; do echo $name $count; done < /proc/$$/status';
  const env = { LD_PRELOAD: await buildProgram('idle'), PREDICT_CPU_PERCENT: '50', [variable]: '0' };
  const { stdout } = await execa(shell, ['-c', script], { env });
  return Number(/^voluntary_ctxt_switches: (\d+)$/m.exec(stdout)?.[1]);
}

describe('the lab holds back', () => {
  const ranks = ['OMPI_COMM_WORLD_RANK', 'PMI_RANK', 'PMIX_RANK', 'SLURM_PROCID', 'MPI_LOCALRANKID'];

  test.each(ranks)('a process with %s', async (variable) => {
    expect(await holdsOf(variable, '/bin/sh')).toBeGreaterThan(50);
  });

  test("no other, and no launcher's helper that SLURM started", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'share-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const helper = join(folder, 'hydra_pmi_proxy');
    copyFileSync('/bin/sh', helper);
    expect(await holdsOf('SLURM_PROCID', helper)).toBeLessThan(20);
    expect(await holdsOf('ANY', '/bin/sh')).toBeLessThan(20);
  });
});
