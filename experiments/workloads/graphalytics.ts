import { basename } from 'node:path';
import { badInput, messageOf } from '../../base/errors.ts';
import { own } from '../../base/lists.ts';
import { capital, shortened } from '../../base/text.ts';
import { ALGORITHMS, type Algorithm } from '../graphs/benchmark-terms.ts';
import { type OutputValidation, validateOutput } from '../graphs/validate/validate-output.ts';
import { type Cell, type TimedRun, timedRunSchema } from '../records.ts';
import { traceProblem } from '../trace.ts';
import { EDGE_FACTOR } from './graph500.ts';
import {
  type DatasetFiles,
  describeEnd,
  describeParams,
  failedRun,
  type ParamChoice,
  type RunOutput,
  type RunResult,
  toldOutput,
  type Verdict,
  type Workload,
} from './workload.ts';
import type { GraphalyticsDefinition } from './workload-schema.ts';

/** Of each rank; without the parameter `threads` one. */
const THREADS = Array.from({ length: 128 }, (_, index) => String(index + 1));

type Graph = GraphalyticsDefinition['graphs'][number];

/** Where a sweep's datasets are on the controller: their files, and the reference outputs that are there. */
export interface GraphFiles extends DatasetFiles {
  readonly vertexFile: string;
  readonly edgeFile: string;
  readonly references: Readonly<Partial<Record<Algorithm, string>>>;
}

/**
 * Our own kernels of Graphalytics (agents/graphalytics) on datasets in its format. A timed run is one processing of the
 * algorithm; the result of the last one is held against the reference output. `files` is empty for whoever only reads a campaign.
 */
export function graphalyticsWorkload(definition: GraphalyticsDefinition, files: readonly GraphFiles[] = []): Workload {
  const { graphs } = definition;
  const filesOf = (name: string): GraphFiles => {
    const found = files.find((one) => one.name === name);
    if (!found) throw badInput(`The graph ${name} is not at hand: name its folder with --graphs.`);
    return found;
  };
  return {
    definition,
    ranks: 'any',
    admissible: () => true,
    usualRuns: 5,
    choices: choicesOf(definition),
    parameters: ['algorithm', 'graph'],
    optional: { threads: THREADS },
    programOf: ({ algorithm, graph, ...rest }) => {
      const more = describeParams(rest);
      return `${algorithm} on ${graphs.find(({ name }) => name === graph)?.family ?? graph}${more && `, ${more}`}`;
    },
    launch: 'ranks',
    followsOrders: () => true,
    programs: ['graphalytics'],
    datasets: files,
    cacheFolder: 'predict-graphs',
    recorder: null,
    platform: 'graphalytics',
    timed: { phases: ['process'], key: 'root' },
    wholeRun: false,
    noun: 'run',
    callpath: () => 'Processing',
    edgeFactor: EDGE_FACTOR,
    invocation: (cell, where) => {
      const { program, outputFolder, cacheFolder, datasetFolder, orders } = where;
      const { graph, algorithm } = toldTo(cell, graphs);
      const { vertexFile, edgeFile } = filesOf(graph.name);
      const folder = datasetFolder(graph.name);
      const threads = cell.params?.threads;
      const outputs = {
        runs: `${outputFolder}/runs.csv`,
        phases: `${outputFolder}/phases.csv`,
        messages: `${outputFolder}/messages.csv`,
        result: `${outputFolder}/result`,
      };
      const options = {
        algorithm,
        vertices: `${folder}/${basename(vertexFile)}`,
        edges: `${folder}/${basename(edgeFile)}`,
        directed: graph.directed,
        weighted: graph.weighted,
        ...told(algorithm, graph),
        ...(threads === undefined ? {} : { threads }),
        repetitions: cell.roots,
        // By orders the first level may be no slower than those that follow.
        'warm-up': cell.roots > 1 || orders !== undefined ? 1 : 0,
        output: toldOutput(outputs.result, where),
        'runs-out': toldOutput(outputs.runs, where),
        phases: toldOutput(outputs.phases, where),
        messages: toldOutput(outputs.messages, where),
        ...(orders === undefined ? {} : { orders }),
        ...(cacheFolder === undefined ? {} : { 'graph-cache': cacheFolder }),
      };
      const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const argv = [program('graphalytics'), ...words];
      return { argv, outputs, ...(threads === undefined ? {} : { threads: Number(threads) }) };
    },
    parse: parseRun,
    validate: async (cell, result) => {
      const { graph, algorithm } = toldTo(cell, graphs);
      return await judged(algorithm, { result, reference: filesOf(graph.name).references[algorithm] });
    },
  };
}

/** Every graph with each of the algorithms that were asked for and that it is made for. */
function choicesOf({ graphs, algorithms }: GraphalyticsDefinition): readonly ParamChoice[] {
  return graphs.flatMap(({ name, scale, parameters }) =>
    algorithms
      .filter((algorithm) => own(parameters, algorithm) !== undefined)
      .map((algorithm) => ({ scale, params: { algorithm, graph: name } })),
  );
}

/** Errors: `badInput` for a cell that the definition does not know. */
function toldTo(
  { params = {} }: Cell,
  graphs: readonly Graph[],
): { readonly graph: Graph; readonly algorithm: Algorithm } {
  const graph = graphs.find(({ name }) => name === params.graph);
  const algorithm = ALGORITHMS.find((name) => name === params.algorithm);
  if (!graph || !algorithm) throw badInput(`There is no ${params.algorithm} on ${params.graph} in this campaign.`);
  return { graph, algorithm };
}

/** What an algorithm is told, as options of the program. */
function told(algorithm: Algorithm, { parameters }: Graph): Readonly<Record<string, string | number>> {
  const { source, iterations, damping } = parameters[algorithm] ?? {};
  return {
    ...(source === undefined ? {} : { source }),
    ...(iterations === undefined ? {} : { iterations }),
    ...(damping === undefined ? {} : { damping }),
  };
}

function parseRun(output: RunOutput): RunResult {
  const { exitCode, files } = output;
  if (exitCode !== 0) return failedRun(reasonOf(output), output);
  const problem = traceProblem(files ?? {});
  if (problem !== null) return failedRun(problem, output);
  if (files?.runs === undefined) return failedRun('The run left no file of its times.', output);
  try {
    const { runs, summary } = parseRepetitions(files.runs);
    return { ok: true, summary: { ...summary, ...printed(output.stdout) }, runs };
  } catch (error) {
    return failedRun(messageOf(error), output);
  }
}

/**
 * What the program says of its memory (bytes of the largest rank), of equal work beside its runs, whether the graph came from the cache,
 * and how many vertices have how many neighbours (`1:1200 2:640`).
 */
function printed(stdout: string): Record<string, number | string> {
  const found = (name: string): string | undefined => new RegExp(`^${name}:\\s+(\\S.*)$`, 'm').exec(stdout)?.[1];
  const [cache, degrees] = [found('graph_cache'), found('degrees')];
  const numbers = ['memory_bytes_per_rank', 'reference_time'].flatMap((name) => {
    const value = Number(found(name));
    return Number.isFinite(value) ? [[name, value] as const] : [];
  });
  return {
    ...(cache === undefined ? {} : { graph_cache: cache }),
    ...(degrees === undefined ? {} : { degrees }),
    ...Object.fromEntries(numbers),
  };
}

/** The program's own sentence, where it said one. */
function reasonOf(output: RunOutput): string {
  const said = /^predict-graphalytics: (?!warning)(.+)$/m.exec(output.stderr)?.[1];
  return said === undefined ? `The kernel ended with ${describeEnd(output)}` : capital(said);
}

/** By the rules of the benchmark; what no reference output is there for stays unjudged, and the summary says so. */
async function judged(
  algorithm: Algorithm,
  { result, reference }: { readonly result: string | null; readonly reference: string | undefined },
): Promise<Verdict> {
  if (reference === undefined) return { reason: null, summary: { validation: 'no reference output' } };
  if (result === null) return { reason: 'The run left no result to validate.', summary: {} };
  const verdict = await validateOutput(result, reference, algorithm);
  return verdict.ok
    ? { reason: null, summary: { validation: 'passed' } }
    : { reason: `The result is wrong: ${describeValidation(verdict)}.`, summary: { validation: 'failed' } };
}

function describeValidation(validation: OutputValidation): string {
  const { compared, mismatchCount, mismatches, missing, unexpected, repeated, malformed } = validation;
  const [first] = mismatches;
  const example = first && ` (vertex ${first.vertex} has ${first.actual} instead of ${first.expected})`;
  const said = [
    [mismatchCount, `of ${compared} values differ${example ?? ''}`],
    [missing, 'vertices are missing'],
    [unexpected, 'lines have vertices that the reference does not have'],
    [repeated, 'lines repeat a vertex'],
    [malformed, "lines are no 'vertex value'"],
  ] as const;
  return said.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : [])).join('; ');
}

const HEADER = 'run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest';

/**
 * The runs file of agents/graphalytics: one line for each processing of the algorithm, seconds at full precision. `teps` are
 * the benchmark's edges per second. Errors: `badInput` with the line.
 */
export function parseRepetitions(text: string): {
  readonly runs: TimedRun[];
  readonly summary: Record<string, number | string>;
} {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (header?.trim() !== HEADER) throw badInput(`The file of runs does not begin with '${HEADER}'.`);
  let summary: Record<string, number | string> = {};
  const runs = lines.map((line, index) => {
    const fields = line.split(',');
    const [place, ct, loadS, makespanS, edges, vertices, iterations, bytes] = fields.slice(0, 8).map(Number);
    const digest = fields[8];
    const others = [loadS, makespanS, edges, vertices, iterations, bytes];
    const teps = edges !== undefined && ct !== undefined && edges > 0 ? edges / ct : null;
    const parsed = timedRunSchema.safeParse({ index: place, ct, teps, nedge: edges, validateS: null });
    if (!parsed.success || digest === undefined || !others.every((value) => Number.isFinite(value))) {
      throw badInput(`The file of runs is damaged at line ${index + 2}: '${shortened(line)}'.`);
    }
    const whole = { vertices, edges, iterations, load_time: loadS, makespan: makespanS, digest };
    summary = Object.fromEntries(
      Object.entries(whole).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    return parsed.data;
  });
  if (runs.length === 0) throw badInput('The file of runs has no run.');
  return { runs, summary };
}
