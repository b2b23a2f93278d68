import { compareText } from '../../base/index.ts';
import type { Cell, TimedRun } from '../records.ts';
import { admits, type RankRule } from './rank-rule.ts';
import type { WorkloadDefinition } from './schema.ts';
import { parametersOf } from './template.ts';

/** Programs of ours that a workload can ask for; agents/ builds them. */
export type BundledProgram = 'graph500';

/** Where a run happens on its head host; absolute paths there. */
interface RunPlace {
  /** For files that the run leaves to be fetched. */
  readonly outputFolder: string;
  /** Kept between the runs of one group; given to workloads that name one. */
  readonly cacheFolder?: string | undefined;
  /** Where a program of ours is. */
  readonly program: (name: BundledProgram) => string;
  readonly seed: number;
}

/** What runs can leave on the head host: times, and their trace (experiments/trace.ts). */
export type OutputName = 'runs' | 'phases' | 'messages';

/** What the launcher starts on each rank, and the files to fetch afterwards. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly outputs: { readonly [name in OutputName]?: string };
}

export interface RunOutput {
  /** null: killed by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** False where the texts are only both ends of a long output. */
  readonly isWhole?: boolean;
  /** The texts of the fetched files that were there. */
  readonly files?: { readonly [name in OutputName]?: string | undefined };
}

/** `reason` is one sentence; `outputTail` the last lines of the output. */
export type RunResult =
  | { readonly ok: true; readonly summary: Record<string, number | string>; readonly runs: TimedRun[] }
  | { readonly ok: false; readonly reason: string; readonly outputTail: string[] };

/** What a workload is told, and the size exponent that comes with it. */
export interface Choice {
  readonly scale: number;
  readonly params: NonNullable<Cell['params']>;
}

/** One kind of program: how it is called, what its output means, and all else that other rooms need to know of it. */
export interface Workload {
  readonly definition: WorkloadDefinition;
  readonly ranks: RankRule;
  admissible(ranks: number): boolean;
  /** Every dataset that it is told of, with its size; null where sizes are the sweep's to choose. */
  readonly choices: readonly Choice[] | null;
  /** Names of the parameters that it reads: each needs a value, and others are refused. */
  readonly parameters: readonly string[];
  /** Programs of ours that must be on the hosts. */
  readonly programs: readonly BundledProgram[];
  /** What a program of these parameters is called; runs of one differ in size, nodes and bandwidth only. */
  programOf(params: NonNullable<Cell['params']>): string;
  /** Name of a folder below the work folder that one group of cells (nodes, scale, parameters) shares; null without. */
  readonly cacheFolder: string | null;
  /** Name of the platform model that explains its runs (analysis/platform). */
  readonly platform: string;
  /** The phase that is one timed run, and the key that tells them apart; null where none is traced. */
  readonly timed: { readonly phase: string; readonly key: string } | null;
  /** Whether what a whole run sends tells how its timed runs send: not where it makes and checks a graph beside them. */
  readonly wholeRun: boolean;
  /** What people call one timed run. */
  readonly noun: string;
  /** The part of the program that is timed, for exchange formats. */
  readonly callpath: string;
  /** Edges per vertex of its graphs; null for programs without graphs, which have no TEPS. */
  readonly edgeFactor: number | null;
  invocation(cell: Cell, where: RunPlace): Invocation;
  parse(output: RunOutput): RunResult;
}

/** `algorithm=bfs, threads=2`: every choice of parameters is a program of its own. */
export function describeParams(params: NonNullable<Cell['params']>): string {
  const named = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return named.sort(compareText).join(', ');
}

/** What is the same for every program that users bring: nothing of ours on the hosts, and no trace that we know. `templates` is all that is filled in per cell. */
export function ofUsers<D extends WorkloadDefinition & { readonly ranks: RankRule }>(
  definition: D,
  templates: readonly string[],
) {
  const { ranks } = definition;
  const parameters = parametersOf(templates);
  const admissible = (count: number): boolean => admits(ranks, count);
  return {
    definition,
    ranks,
    admissible,
    choices: null,
    parameters,
    programOf: describeParams,
    programs: [],
    cacheFolder: null,
    platform: 'mpi',
    timed: null,
  } as const;
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
