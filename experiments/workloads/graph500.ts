import { badInput } from '../../base/errors.ts';
import { parseGraph500 } from '../parse-graph500.ts';
import { type Cell, type TimedRun, timedRunSchema } from '../records.ts';
import { traceProblem } from '../trace.ts';
import { admits } from './rank-rule.ts';
import { firstSaid } from './said.ts';
import { fillTemplate } from './template.ts';
import {
  describeParams,
  failedRun,
  ofUsers,
  otherRanks,
  type RunOutput,
  type RunResult,
  toldOutput,
  USUAL_RUNS,
  type Workload,
} from './workload.ts';
import type { Graph500Definition, Graph500ExternalDefinition } from './workload-schema.ts';

/** Edges per vertex of the specification. */
export const EDGE_FACTOR = 16;

/** What is the same for every Graph500 program. */
const GRAPH500 = {
  noun: 'search',
  callpath: ({ kernel }: NonNullable<Cell['params']>) => (kernel === 'sssp' ? 'Sssp' : 'Bfs'),
  edgeFactor: EDGE_FACTOR,
  wholeRun: false,
} as const;

/** Kernels that a cell may be told of; without one it measures the first. */
const KERNELS = ['bfs', 'sssp'];

/** Searches of an entry of the list. */
const ENTRY_ROOTS = 64;

/** As an entry of the list must run; the program refuses the rest. */
function isStrict({ strict }: NonNullable<Cell['params']>): boolean {
  return String(strict) === 'true';
}

/** Our own Graph500: prints what the 3.0 reference prints and leaves full-precision times and its phases in files. */
export function graph500Workload(definition: Graph500Definition): Workload {
  return {
    ...GRAPH500,
    definition,
    ranks: 'square',
    admissible: (ranks) => admits('square', ranks),
    usualRuns: USUAL_RUNS,
    choices: null,
    parameters: [],
    optional: { kernel: KERNELS, strict: ['true', 'false'] },
    programOf: describeParams,
    launch: 'ranks',
    followsOrders: (params) => !isStrict(params),
    refusal: ({ params = {}, roots }) => {
      const keepsRules = roots === ENTRY_ROOTS && definition.validate === undefined;
      return keepsRules || !isStrict(params)
        ? null
        : `--param strict=true: an entry has ${ENTRY_ROOTS} searches, all validated: give --roots ${ENTRY_ROOTS} and leave --validate out.`;
    },
    rules: (params) =>
      isStrict(params)
        ? `Runs keep the rules of a Graph500 list entry: ${ENTRY_ROOTS} searches, all validated, none before them, and each run makes its graph.`
        : 'Runs are not those of a Graph500 list entry: they warm up and may share a graph. --param strict=true keeps its rules.',
    programs: ['graph500'],
    datasets: [],
    validate: null,
    cacheFolder: 'predict-graphs',
    recorder: null,
    platform: 'graph500',
    timed: { phases: KERNELS, key: 'root' },
    invocation: (cell, where) => {
      const { program, outputFolder, cacheFolder, seed, orders } = where;
      const outputs = {
        runs: `${outputFolder}/roots.csv`,
        phases: `${outputFolder}/phases.csv`,
        messages: `${outputFolder}/messages.csv`,
      };
      const path = (output: string): string => toldOutput(output, where);
      const strict = isStrict(cell.params ?? {});
      const numbers = [
        '--scale',
        String(cell.scale),
        '--roots',
        String(cell.roots),
        '--seed',
        String(seed),
        ...(strict ? ['--strict'] : ['--warm-up', '1']),
        ...(cell.params?.kernel === undefined ? [] : ['--kernel', String(cell.params.kernel)]),
      ];
      const files = [
        ...['--phases', path(outputs.phases), '--messages', path(outputs.messages), '--roots-out', path(outputs.runs)],
        ...(orders === undefined ? [] : ['--orders', orders]),
      ];
      const cache = strict || cacheFolder === undefined ? [] : ['--graph-cache', cacheFolder];
      const { validate } = definition;
      const checks = validate === undefined ? [] : ['--validate', String(validate)];
      return { argv: [program('graph500'), ...numbers, ...files, ...cache, ...checks], outputs };
    },
    parse: parseGraph500Run,
  };
}

/** Shared with external Graph500 programs: without a file of runs the times come from the printed lines. */
function parseGraph500Run(output: RunOutput): RunResult {
  const { exitCode, stdout, stderr, files } = output;
  const result = parseGraph500([stdout, stderr], { exitCode, said: firstSaid({ stdout: '', stderr }) });
  const others = otherRanks(result.summary?.ranks ?? null, output);
  if (others !== null) return others;
  if (!result.valid) return failedRun(result.reason, output);
  const problem = traceProblem(files ?? {});
  if (problem !== null) return failedRun(problem, output);
  const printed = { ok: true as const, summary: result.fields, runs: result.searches };
  if (files?.runs === undefined) return printed;
  try {
    const runs = parseRunsCsv(files.runs);
    if (runs.length !== printed.runs.length) {
      throw badInput(`The roots file has ${runs.length} rows, the output ${printed.runs.length} searches.`);
    }
    return { ...printed, runs };
  } catch (error) {
    return failedRun(error instanceof Error ? error.message : String(error), output);
  }
}

/** A Graph500 program of the user, in any dialect that `parseGraph500` reads. */
export function graph500ExternalWorkload(definition: Graph500ExternalDefinition): Workload {
  return {
    ...GRAPH500,
    ...ofUsers(definition, definition.args),
    invocation: (cell, { seed, outputFolder, hosts }) => ({
      argv: [
        definition.binary,
        ...definition.args.map((text) => fillTemplate(text, { cell, seed, outputFolder, hosts })),
      ],
      outputs: {},
    }),
    parse: parseGraph500Run,
  };
}

const HEADER = 'root,key,time_s,nedge,teps,validate_s,bytes_sent';

/** The roots file of agents/graph500: times in seconds at full precision; validate_s is -1 when validation is off. */
export function parseRunsCsv(text: string): TimedRun[] {
  const [header, ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (header?.trim() !== HEADER) throw badInput(`The roots file does not begin with '${HEADER}'.`);
  return lines.map((line, index) => {
    const [place, , ct, nedge, teps, validate, bytes] = line.split(',').map(Number);
    const validateS = validate === undefined || validate < 0 ? null : validate;
    // A search of a lone vertex crosses no edge and has no rate.
    const parsed = timedRunSchema.safeParse({ index: place, ct, nedge, teps: teps === 0 ? null : teps, validateS });
    if (!parsed.success || bytes === undefined || !Number.isFinite(bytes)) {
      throw badInput(`The roots file is damaged at line ${index + 2}: '${line.slice(0, 80)}'.`);
    }
    return parsed.data;
  });
}
