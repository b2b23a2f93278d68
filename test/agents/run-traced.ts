import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectRoot } from '../../base/paths.ts';
import { type MpiTrace, mpiTrace } from '../../experiments/mpi-trace/join-ranks.ts';
import type { CellTrace } from '../../experiments/store/read-traces.ts';
import { compiled } from '../compiled.ts';

export type Mpi = 'openmpi' | 'mpich';

/** Whether this machine can compile for an MPI. */
export function hasCompiler(mpi: Mpi, language: 'c' | 'fortran' = 'c'): boolean {
  const name = `${language === 'c' ? 'mpicc' : 'mpifort'}.${mpi}`;
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}

const FOLDER = join(projectRoot(), 'dist', 'build', 'mpi-trace');
const FIXTURES = join(projectRoot(), 'test', 'fixtures', 'mpi-trace');

/** The recorder for an MPI; made anew when its sources are newer. */
export function recorderFor(mpi: Mpi): string {
  const library = join(FOLDER, `libpredict-mpi-trace-${mpi}.so`);
  const folder = join(projectRoot(), 'agents', 'mpi-trace');
  execFileSync('make', ['-s', '-C', folder, `MPICC=mpicc.${mpi}`, `OUT=${library}`]);
  return library;
}

/** What ranks of an MPI here preload besides: MPICH over UCX may wait in MPI_Finalize for ever (agents/mpich-end). */
export function mended(mpi: Mpi): readonly string[] {
  const source = join(projectRoot(), 'agents', 'mpich-end', 'mpich-end.c');
  const words = ['-O2', '-fPIC', '-shared', source, '-ldl'];
  return mpi === 'mpich' ? [compiled('libmpich-end.so', 'cc', { words, sources: [source] })] : [];
}

/** test/fixtures/mpi-trace/kernels.c, compiled, or halo.f90 through one of its bindings. */
export function programFor(mpi: Mpi, source: 'kernels' | 'use-mpi' | 'use-mpi-f08' | 'mpif'): string {
  if (source === 'kernels') {
    const file = join(FIXTURES, 'kernels.c');
    return compiled('kernels', `mpicc.${mpi}`, { words: ['-O2', '-w', file, '-pthread'], sources: [file] });
  }
  const [file, binding] = [join(FIXTURES, 'halo.f90'), { 'use-mpi': [], 'use-mpi-f08': ['-DF08'], mpif: ['-DF77'] }];
  return compiled(source, `mpifort.${mpi}`, { words: ['-cpp', ...binding[source], file], sources: [file] });
}

interface TracedRun {
  readonly exitCode: number | undefined;
  readonly output: string;
  readonly trace: MpiTrace;
}

/** Runs a program under the recorder on this machine, which may have fewer cores than ranks. */
export async function runTraced(
  mpi: Mpi,
  argv: readonly string[],
  { ranks = 4, env = {} }: { readonly ranks?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<TracedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mpi-trace-'));
  const preloads = [env.LD_PRELOAD ?? recorderFor(mpi), ...mended(mpi)];
  const own = { PREDICT_MPI_TRACE: folder, ...env, LD_PRELOAD: preloads.join(':') };
  const set = (flag: string): string[] =>
    Object.entries(own).flatMap(([name, value]) => (flag === '-x' ? ['-x', `${name}=${value}`] : [flag, name, value]));
  const launch =
    mpi === 'openmpi'
      ? ['mpirun.openmpi', '--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1', ...set('-x')]
      : ['mpiexec.mpich', ...set('-genv')];
  const [command = '', ...words] = [...launch, '-n', String(ranks), ...argv];
  const { exitCode, all } = await execa(command, words, {
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
    reject: false,
    all: true,
    timeout: 300_000,
  });
  const trace = readTraceFolder(folder);
  rmSync(folder, { recursive: true });
  return { exitCode, output: all, trace };
}

export function readTraceFolder(folder: string): MpiTrace {
  return mpiTrace(new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))])));
}

/** One row per line, by column. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [header = '', ...lines] = csv.trim().split('\n');
  const names = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((field, place) => [names[place] ?? '', field])));
}

/** The trace as the store gives it: times since the earliest span. */
export function cellTraceOf({ phases, messages }: MpiTrace): CellTrace {
  const [spans, ends] = [rowsOf(phases), rowsOf(messages)];
  const firstNs = spans.reduce(
    (least, { start_ns = '0' }) => (BigInt(start_ns) < least ? BigInt(start_ns) : least),
    2n ** 63n,
  );
  const number = (text: string | undefined): number => (text === undefined || text === '' ? Number.NaN : Number(text));
  const time = (text: string | undefined): number =>
    text === undefined || text === '' ? Number.NaN : Number(BigInt(text) - firstNs);
  const column = (rows: typeof spans, name: string, read = number): Float64Array =>
    Float64Array.from(rows, (row) => read(row[name]));
  const worker = (rows: typeof spans, name: string): Int32Array => Int32Array.from(rows, (row) => Number(row[name]));
  return {
    spans: {
      worker: worker(spans, 'worker'),
      phase: spans.map(({ phase = '' }) => phase),
      startNs: column(spans, 'start_ns', time),
      endNs: column(spans, 'end_ns', time),
      asleepNs: Float64Array.from(spans, () => Number.NaN),
      queuedNs: column(spans, 'queued_ns'),
      bytesSent: column(spans, 'bytes_sent'),
      keys: Object.fromEntries(
        ['thread', 'comm', 'turn', 'peer', 'calls', 'found'].map((key) => [key, column(spans, key)]),
      ),
    },
    messages: {
      worker: worker(ends, 'worker'),
      kind: ends.map(({ kind }) => (kind === 'send' ? 'send' : 'receive')),
      timeNs: column(ends, 't_ns', time),
      peer: worker(ends, 'peer'),
      bytes: column(ends, 'bytes'),
      id: column(ends, 'id'),
      doneNs: column(ends, 'done_ns', time),
      waitedNs: column(ends, 'waited_ns'),
      queuedNs: column(ends, 'queued_ns'),
      postedNs: column(ends, 'posted_ns', time),
    },
    counters: [],
  };
}
