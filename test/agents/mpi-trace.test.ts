import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { criticalPath } from '../../analysis/path/graph/critical-path.ts';
import { profilePath } from '../../analysis/path/graph/profile-path.ts';
import { mpiActivities } from '../../analysis/path/mpi/from-trace.ts';
import { traceProblem } from '../../experiments/trace.ts';
import { isLong } from '../times.ts';
import { cellTraceOf, hasCompiler, type Mpi, programFor, recorderFor, rowsOf, runTraced } from './run-traced.ts';

type Run = Awaited<ReturnType<typeof runTraced>>;
const [RANKS, REPEATS] = [4, isLong ? 5 : 2];
const KERNELS = ['stencil', 'transpose', 'gradient', 'window', 'ring', 'persist', 'poll', 'any', 'groups', 'file'];

/** Messages that the kernels exchange, all ranks together, times the repeats. */
const MESSAGES = RANKS * 2 + RANKS + RANKS + RANKS + (RANKS - 1) + 3 * (RANKS - 1) + RANKS;

describe.skipIf(!hasCompiler('openmpi') || !hasCompiler('mpich')).each<Mpi>(['openmpi', 'mpich'])(
  'the recorder of MPI calls under %s',
  (mpi) => {
    let run: Run;
    beforeAll(async () => {
      run = await runTraced(mpi, [programFor(mpi, 'kernels'), String(REPEATS), '20', ...KERNELS, 'threads']);
    });

    test('lets the program be', () => {
      expect([run.exitCode, run.output]).toEqual([0, expect.stringMatching(/^took [\d.]+ s/m)]);
      expect(run.trace.warnings).toEqual([]);
      expect(traceProblem(run.trace)).toBeNull();
    });

    test('records every message at both ends', () => {
      const { messages, summary } = run.trace;
      const ends = new Map<string, Record<string, string>[]>();
      for (const row of rowsOf(messages)) ends.set(row.id ?? '', [...(ends.get(row.id ?? '') ?? []), row]);
      // Two threads of each rank send their right neighbour a message each.
      expect(ends.size).toBe((MESSAGES + 2 * RANKS) * REPEATS);
      expect(summary.trace_unmatched).toBe(0);
      for (const [one = {}, other = {}] of ends.values()) {
        const [send, receive] = one.kind === 'send' ? [one, other] : [other, one];
        expect([receive.kind, receive.worker, receive.peer, receive.bytes]).toEqual([
          'receive',
          send.peer,
          send.worker,
          send.bytes,
        ]);
        expect(BigInt(receive.t_ns ?? 0)).toBeGreaterThan(BigInt(send.t_ns ?? 0));
        expect(BigInt(receive.t_ns ?? 0)).toBeGreaterThanOrEqual(BigInt(receive.posted_ns ?? 0));
        expect(BigInt(send.done_ns ?? 0)).toBeGreaterThanOrEqual(BigInt(send.t_ns ?? 0));
      }
    });

    test('is not ended by a process that the program starts', async () => {
      const { exitCode, trace } = await runTraced(mpi, [programFor(mpi, 'kernels'), '1', '1', 'child'], { ranks: 2 });
      expect([exitCode, trace.warnings]).toEqual([0, []]);
      expect(rowsOf(trace.phases).filter(({ phase }) => phase === 'MPI_Alltoall')).toHaveLength(2 * 300);
    });

    test('has the life of every rank, without a gap', () => {
      const rows = rowsOf(run.trace.phases).filter(({ thread }) => thread === '');
      for (let rank = 0; rank < RANKS; rank += 1) {
        const own = rows.filter(({ worker }) => worker === String(rank));
        const between = own.slice(1).filter(({ start_ns }, index) => start_ns !== own[index]?.end_ns);
        expect(between).toEqual([]);
        expect([own[0]?.phase, own[1]?.phase, own.at(-1)?.phase]).toEqual([
          'compute',
          'MPI_Init_thread',
          'MPI_Finalize',
        ]);
      }
      const counts = new Set(rows.filter(({ phase }) => phase === 'MPI_Alltoall').map(({ turn }) => turn));
      expect(counts.size).toBe(REPEATS);
    });

    test('numbers collective calls alike on all of their ranks', () => {
      const calls = new Map<string, Set<string>>();
      for (const { comm, turn, phase = '', worker } of rowsOf(run.trace.phases)) {
        if (turn === '' || phase === 'MPI_Wait') continue;
        const key = `${phase} ${comm} ${turn}`;
        calls.set(key, (calls.get(key) ?? new Set()).add(worker ?? ''));
      }
      for (const [key, ranks] of calls)
        expect([key, ranks.size]).toEqual([key, key.includes('Iallreduce') ? 2 : RANKS]);
    });

    test('tells threads of a rank apart', () => {
      const threads = rowsOf(run.trace.phases).filter(({ phase, thread }) => phase === 'MPI_Send' && thread !== '');
      expect(threads).toHaveLength(RANKS * REPEATS);
    });

    test('gives an activity graph whose path has the length of the program', () => {
      const { activities, slice, problems } = mpiActivities(cellTraceOf(run.trace), {
        onClock: (_, ns) => ns,
        links: null,
      });
      const path = criticalPath(activities, slice);
      expect(problems).toEqual([]);
      expect([path.broken, path.lengthNs]).toEqual([null, slice.endNs - slice.startNs]);
    });
  },
);

describe.skipIf(!hasCompiler('openmpi', 'fortran') || !hasCompiler('mpich', 'fortran'))('Fortran', () => {
  test.each<[Mpi, Parameters<typeof programFor>[1]]>([
    ['openmpi', 'mpif'],
    ['openmpi', 'use-mpi-f08'],
    ['mpich', 'use-mpi-f08'],
  ])('is recorded through %s, %s', async (mpi, binding) => {
    const { output, trace } = await runTraced(mpi, [programFor(mpi, binding)], { ranks: 2 });
    expect(output).toContain('halo is right');
    const calls = rowsOf(trace.phases).map(({ phase }) => phase);
    const count = (name: string): number => calls.filter((phase) => phase === name).length;
    expect([count('MPI_Isend'), count('MPI_Waitall'), count('MPI_Sendrecv'), count('MPI_Allreduce')]).toEqual([
      20, 20, 20, 20,
    ]);
    expect([count('MPI_Pcontrol_on'), count('MPI_Pcontrol_off')]).toEqual([2, 2]);
    expect([trace.summary.trace_unmatched, rowsOf(trace.messages).length]).toEqual([0, 80]);
  });
});

describe.skipIf(!hasCompiler('openmpi'))('a trace under Open MPI', () => {
  const kernels = (): string => programFor('openmpi', 'kernels');

  test('is there up to the last call where a rank was killed, and names the calls that others were in', async () => {
    const { exitCode, trace } = await runTraced('openmpi', [kernels(), String(REPEATS), '20', 'kill']);
    expect(exitCode).not.toBe(0);
    const received = rowsOf(trace.phases).filter(({ phase, worker }) => phase === 'MPI_Recv' && worker === '2');
    expect(received).toHaveLength(REPEATS);
    expect(trace.warnings.join(' ')).toContain('rank 2 in MPI_Recv');
    expect(traceProblem(trace)).toBeNull();
  });

  test('is bounded: short calls share records, their times are kept, and it is said', async () => {
    const words = [kernels(), '400', '20', 'stencil'];
    const { trace } = await runTraced('openmpi', words, { env: { PREDICT_MPI_TRACE_RECORDS: '200' } });
    const rows = rowsOf(trace.phases);
    const short = rows.filter(({ phase }) => phase === 'short MPI calls');
    expect(Number(trace.summary.trace_calls)).toBeLessThanOrEqual(200 * RANKS);
    expect(trace.summary.trace_merged).toBe(short.reduce((sum, { calls }) => sum + Number(calls), 0));
    const whole = rows.filter(({ phase = '' }) => phase.startsWith('MPI_'));
    expect(whole.length + Number(trace.summary.trace_merged)).toBe(RANKS * (400 * 5 + 2));
    for (let rank = 0; rank < RANKS; rank += 1) {
      const own = rows.filter(({ worker }) => worker === String(rank));
      expect(own.slice(1).filter(({ start_ns }, index) => start_ns !== own[index]?.end_ns)).toEqual([]);
    }
    // Of messages the first are kept, and the others counted.
    expect(Number(trace.summary.trace_unrecorded)).toBe(RANKS * (400 * 4 - 400));
    expect(trace.warnings.join(' ')).toMatch(/no room/);
  });

  test('keeps every mark of the program, and is not switched off by them', async () => {
    const words = [kernels(), '300', '1', 'marks'];
    const { trace } = await runTraced('openmpi', words, { ranks: 2, env: { PREDICT_MPI_TRACE_RECORDS: '1300' } });
    const marks = rowsOf(trace.phases).filter(({ phase = '' }) => phase.startsWith('MPI_Pcontrol'));
    for (const rank of ['0', '1']) {
      const own = marks.filter(({ worker }) => worker === rank).map(({ phase }) => phase);
      expect(own).toEqual(Array.from({ length: 300 }, () => ['MPI_Pcontrol_on', 'MPI_Pcontrol_off']).flat());
    }
    const short = rowsOf(trace.phases).filter(({ phase }) => phase === 'short MPI calls');
    const barriers = rowsOf(trace.phases).filter(({ phase }) => phase === 'MPI_Barrier');
    expect(barriers.length + short.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(2 * 2 * 300);
  });

  test('finds who held the others up', async () => {
    const { trace } = await runTraced('openmpi', [kernels(), '8', '20000', 'ring']);
    const { activities, slice } = mpiActivities(cellTraceOf(trace), { onClock: (_, ns) => ns, links: null });
    const path = criticalPath(activities, slice);
    const { byName, byWorker } = profilePath(activities, path);
    // Rank 0 computes ten times as long as each of the three others, and nobody computes at the same time.
    expect((byWorker['0'] ?? 0) / (byWorker['1'] ?? 1)).toBeGreaterThan(4);
    expect(Object.keys(byName)).toEqual(expect.arrayContaining(['compute', 'MPI_Recv transfer']));
    expect(path.hops).toBeGreaterThanOrEqual(8 * RANKS - 1);
  });
});

test.skipIf(!hasCompiler('openmpi') || !hasCompiler('mpich'))(
  'a recorder for another MPI than the program’s refuses with a sentence',
  async () => {
    const run = await execa(programFor('mpich', 'kernels'), ['1', '1', 'gradient'], {
      env: { LD_PRELOAD: recorderFor('openmpi'), PREDICT_MPI_TRACE: '.' },
      reject: false,
    });
    expect(run.exitCode).toBe(127);
    expect(run.stderr).toMatch(/^predict: the trace was built for Open MPI, this program runs with 'MPICH/);
  },
);
