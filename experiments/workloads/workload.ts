import type { Cell, Root } from '../records.ts';
import type { RankRule } from './rank-rule.ts';
import type { WorkloadDefinition } from './schema.ts';

/** Where a run happens on its head host; absolute paths there. */
export interface RunPlace {
  readonly workFolder: string;
  /** For files that the run leaves to be fetched. */
  readonly outputFolder: string;
  /** Kept between runs, so that a graph is generated once. */
  readonly graphCache?: string | undefined;
  readonly binaries: { readonly graph500: string };
  readonly seed: number;
}

/** What the launcher starts on each rank, and the files on the head host to fetch afterwards. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly fetch: { readonly roots?: string; readonly phases?: string };
}

export interface RunOutput {
  /** null: killed by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The text of the fetched `roots` file. */
  readonly rootsCsv?: string | undefined;
}

/** `reason` is one sentence; `outputTail` the last lines of the output. */
export type RunResult =
  | { readonly ok: true; readonly summary: Record<string, number | string>; readonly roots: Root[] }
  | { readonly ok: false; readonly reason: string; readonly outputTail: string[] };

/** One kind of program: how it is called and what its output means. */
export interface Workload {
  readonly definition: WorkloadDefinition;
  readonly ranks: RankRule;
  admissible(ranks: number): boolean;
  invocation(cell: Cell, where: RunPlace): Invocation;
  parse(output: RunOutput): RunResult;
}

const TAIL_LINES = 20;

/** A failed run with the end of what it printed. */
export function failedRun(reason: string, { stdout, stderr }: RunOutput): RunResult {
  const lines = `${stdout}\n${stderr}`.split(/\r?\n/).filter((line) => line.trim() !== '');
  return { ok: false, reason, outputTail: lines.slice(-TAIL_LINES) };
}

/** How a process ended, for a sentence: `exit status 3`. */
export function describeExit(exitCode: number | null): string {
  return exitCode === null ? 'a signal' : `exit status ${exitCode}`;
}
