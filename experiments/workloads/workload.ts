import { basename } from 'node:path/posix';
import { compareText } from '../../base/text.ts';
import type { Cell, TimedRun } from '../records.ts';
import { admits, type RankRule } from './rank-rule.ts';
import type { RecordedPart } from './recorded-calls.ts';
import { firstSaid } from './said.ts';
import { parametersOf, reads } from './template.ts';
import type { WorkloadDefinition } from './workload-schema.ts';

/** Programs of ours that a workload can ask for; agents/ builds them. */
export type BundledProgram = 'graph500' | 'graphalytics' | 'run-harness';

/** Where a run happens on its head host; absolute paths there. */
interface RunPlace {
  /** For files that the run leaves to be fetched. */
  readonly outputFolder: string;
  /** Kept between the runs of one group; given to workloads that name one. */
  readonly cacheFolder?: string | undefined;
  /** Where a program of ours is. */
  readonly program: (name: BundledProgram) => string;
  /** The names of the run's hosts, in the order of ranks. */
  readonly hosts: readonly string[];
  /** Their addresses in the data network, in the same order. */
  readonly addresses?: readonly string[];
  readonly seed: number;
  /** A FIFO on the first host, from which a program that `followsOrders` is told when to measure, and where its outputs go. */
  readonly orders?: string | undefined;
  /** The folder of a dataset of the workload (`Workload.datasets`). */
  readonly datasetFolder: (name: string) => string;
}

/** Files that must be on every host, together in one folder. */
export interface DatasetFiles {
  readonly name: string;
  /** Absolute paths on the controller. */
  readonly files: readonly string[];
}

/** What runs can leave: times and their trace (experiments/trace.ts), what they computed, or another harness's results and logs. */
type OutputName = 'runs' | 'phases' | 'messages' | 'result' | 'results' | 'log' | 'programs';

/** What is started on each rank, or on the head host alone (`launch`), and the files to fetch afterwards from the first host or from it. */
export interface Invocation {
  readonly argv: readonly string[];
  readonly outputs: { readonly [name in OutputName]?: string };
  /** Of every rank, beside the inventory's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Of each rank, where there are several: it may use as many cores. */
  readonly threads?: number;
  /** Where every rank runs, an absolute path; the work folder without it. */
  readonly folder?: string;
  /** In place of `argv`: a shell command for each host, and how the job is watched. */
  readonly watch?: Watch;
}

/** A dataflow job that is started on hosts and watched. */
export interface Watch {
  /** By places of the run's hosts. */
  readonly commands: readonly string[];
  readonly periodS: number;
  readonly hz: number;
  /** Bytes of a record of its sources; null where bytes are counted. */
  readonly recordBytes: number | null;
}

export interface RunOutput {
  /** null: killed by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** How many ranks were asked for. */
  readonly ranks?: number;
  /** False where the texts are only both ends of a long output. */
  readonly isWhole?: boolean;
  /** Of a watched job: its time; null where it did not end by itself, or where nothing of it was seen (`problem`). */
  readonly watched?: { readonly seconds: number | null; readonly problem: string | null };
  /** The texts of the fetched files that were there, but the result, which may be large; and why one that has to be there was not found. */
  readonly files?: { readonly [name in Exclude<OutputName, 'result'> | 'problem']?: string | undefined };
}

interface FailedRun {
  readonly ok: false;
  /** One sentence. */
  readonly reason: string;
  /** The last lines of the output. */
  readonly outputTail: string[];
  /** How it was started is at fault: it is no result, and another try may go better. */
  readonly isSetup?: true;
}

export type RunResult =
  | { readonly ok: true; readonly summary: Record<string, number | string>; readonly runs: TimedRun[] }
  | FailedRun;

/** What a workload is told, and the size exponent that comes with it. */
export interface ParamChoice {
  readonly scale: number;
  readonly params: NonNullable<Cell['params']>;
}

/** A program that has several kernels names the phase of each. */
export interface TimedPhases {
  readonly phases: readonly string[];
  readonly key: string;
}

/** One kind of program: how it is called, what its output means, and all else that other rooms need to know of it. */
export interface Workload {
  readonly definition: WorkloadDefinition;
  readonly ranks: RankRule;
  admissible(ranks: number): boolean;
  /** Timed runs of a cell where nobody says how many. */
  readonly usualRuns: number;
  /** Every dataset that it is told of, with its size; null where sizes are the sweep's to choose. */
  readonly choices: readonly ParamChoice[] | null;
  /** Cells of different scales would be the same run: nothing that it is told has the scale. */
  readonly ignoresScale?: true;
  /** Nothing that it is told has the number of timed runs. */
  readonly ignoresRoots?: true;
  /** Names of the parameters that it reads: each needs a value, and others are refused. */
  readonly parameters: readonly string[];
  /** Names of those that it has a value of its own for, and the values that each may have. */
  readonly optional?: Readonly<Record<string, readonly string[]>>;
  /**
   * `ranks`: the launcher starts it on every rank; `head`: it runs once, on the host that starts runs, and starts its ranks itself; `watched`: a
   * command of its own on each host, watched as a dataflow job.
   */
  readonly launch: 'ranks' | 'head' | 'watched';
  /**
   * One start may serve several cells: the program prepares, says `Ready.` and then does what it is told through the FIFO
   * `RunPlace.orders` (agents/mpi/orders.h). Left out where a run is one measurement, false for parameters with which it is.
   */
  followsOrders?(params: NonNullable<Cell['params']>): boolean;
  /** Why such a cell cannot run, a sentence; null where it can. Left out where parameters go with everything. */
  refusal?(cell: Pick<Cell, 'params' | 'roots'>): string | null;
  /** Whether runs count by the rules of the benchmark that the program is, a sentence; left out where it is none. */
  rules?(params: NonNullable<Cell['params']>): string;
  /** The most hosts of one run; any number without it. */
  readonly mostNodes?: number;
  /** Programs of ours that must be on the hosts. */
  readonly programs: readonly BundledProgram[];
  /** What a program of these parameters is called; runs of one differ in size, nodes and bandwidth only. */
  programOf(params: NonNullable<Cell['params']>): string;
  /** What the hosts must have beside programs. */
  readonly datasets: readonly DatasetFiles[];
  /** Name of a folder below the work folder that one group of cells (nodes, scale, parameters) shares; null without. */
  readonly cacheFolder: string | null;
  /** What records its ranks from outside; null for programs that tell about themselves, or do not. */
  readonly recorder: 'mpi' | null;
  /** Between which recorded calls lies what its user timed; left out where it names none. */
  readonly part?: RecordedPart;
  /** A recorded call that each iteration makes once, where a printed time is the mean of iterations; left out where nothing is to be counted. */
  readonly iterationCall?: string;
  /** Name of the platform model that explains its runs (analysis/platform). */
  readonly platform: string;
  /** The phases each of which is one timed run, and the key that tells them apart; null where none is traced. */
  readonly timed: TimedPhases | null;
  /** Whether what a whole run sends tells how its timed runs send: not where it makes and checks a graph beside them. */
  readonly wholeRun: boolean;
  /** What people call one timed run. */
  readonly noun: string;
  /** The part of the program that is timed, for exchange formats. */
  callpath(params: NonNullable<Cell['params']>): string;
  /** Edges per vertex of its graphs; null for programs without graphs, which have no TEPS. */
  readonly edgeFactor: number | null;
  /** What a line of its output tells people while it runs; null for nothing. Left out where whole runs are short. */
  readonly news?: (line: string) => string | null;
  invocation(cell: Cell, where: RunPlace): Invocation;
  parse(output: RunOutput): RunResult;
  /** Judges what a run computed, a file, by what is known to be right; null for programs that judge themselves. */
  readonly validate: ((cell: Cell, result: string | null) => Promise<Verdict>) | null;
}

/** `reason`: null where the result is right, or nothing is known to be right; `summary` is added to that of the run. */
export interface Verdict {
  readonly reason: string | null;
  readonly summary: Readonly<Record<string, number | string>>;
}

/** How a program is told of a file that it leaves: by its name alone where it follows orders, which name the folder for each cell. */
export function toldOutput(path: string, { orders }: RunPlace): string {
  return orders === undefined ? path : basename(path);
}

/** As many as Graph500 has searches. */
export const USUAL_RUNS = 64;

/** `algorithm=bfs, threads=2`: every choice of parameters is a program of its own. */
export function describeParams(params: NonNullable<Cell['params']>): string {
  const named = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return named.sort(compareText).join(', ');
}

/** What is the same for every program that users bring: nothing of ours on the hosts but a recorder. `templates` is all that is filled in per cell. */
export function ofUsers<
  D extends WorkloadDefinition & {
    readonly ranks: RankRule;
    readonly trace?: 'mpi' | undefined;
    readonly part?: RecordedPart | undefined;
  },
>(definition: D, templates: readonly string[]) {
  const { ranks, part } = definition;
  const parameters = parametersOf(templates);
  const admissible = (count: number): boolean => admits(ranks, count);
  return {
    definition,
    ranks,
    admissible,
    usualRuns: USUAL_RUNS,
    choices: null,
    parameters,
    programOf: describeParams,
    launch: 'ranks',
    programs: [],
    cacheFolder: null,
    datasets: [],
    validate: null,
    recorder: definition.trace ?? null,
    ...(part === undefined ? {} : { part }),
    ...(reads('scale', templates) ? {} : { ignoresScale: true as const }),
    ...(reads('roots', templates) ? {} : { ignoresRoots: true as const }),
    platform: definition.trace === 'mpi' ? 'mpi-calls' : 'mpi',
    timed: null,
  } as const;
}

const TAIL_LINES = 20;

/** A failed run with the end of what it printed. */
export function failedRun(reason: string, { stdout, stderr }: RunOutput): FailedRun {
  const lines = `${stdout}\n${stderr}`.split(/\r?\n/).filter((line) => line.trim() !== '');
  return { ok: false, reason, outputTail: lines.slice(-TAIL_LINES) };
}

/** How a process ended, for a sentence: `exit status 3`. */
export function describeExit(exitCode: number | null): string {
  return exitCode === null ? 'a signal' : `exit status ${exitCode}`;
}

/** The same for the end of a sentence, with what the process said first: `exit status 3: no such file.` */
export function describeEnd({ exitCode, ...output }: RunOutput): string {
  const said = firstSaid(output);
  return said === '' ? `${describeExit(exitCode)}.` : `${describeExit(exitCode)}: ${said.replace(/\.$/, '')}.`;
}

/** A run that says it ran on other than the number of ranks that were asked for; null where both are the same or unknown. */
export function otherRanks(said: number | null, output: RunOutput): RunResult | null {
  const { ranks: asked } = output;
  if (said === null || asked === undefined || said === asked) return null;
  const alone =
    said === 1 ? ', so each rank ran alone: start it with the launcher of the MPI that it was built with' : '';
  const reason = `The program ran on ${said} ${said === 1 ? 'rank' : 'ranks'}, not on the ${asked} that were asked for${alone}.`;
  return { ...failedRun(reason, output), isSetup: true };
}
