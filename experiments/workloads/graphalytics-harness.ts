import { badInput } from '../../base/errors.ts';
import { own } from '../../base/lists.ts';
import { PATH_NAME, PATH_NAME_RULE } from '../../base/paths.ts';
import { shortened } from '../../base/text.ts';
import {
  computeEdgeRates,
  computeMeans,
  type HarnessReport,
  type HarnessRun,
  RESOLVED_S,
} from '../harness/harness-run.ts';
import { joinReport } from '../harness/join-report.ts';
import { parseNews, readLog } from '../harness/read-log.ts';
import type { TimedRun } from '../records.ts';
import { fillTemplate } from './template.ts';
import { describeExit, failedRun, ofUsers, type RunOutput, type RunResult, type Workload } from './workload.ts';
import type { GraphalyticsHarnessDefinition } from './workload-schema.ts';

/**
 * One algorithm on one graph by the official harness of LDBC Graphalytics, in a distribution folder on the host that starts runs. The
 * harness starts its platform's program by itself; each of its repetitions is a timed run, T_proc its time.
 */
export function graphalyticsHarnessWorkload(definition: GraphalyticsHarnessDefinition): Workload {
  const { graph, algorithm, properties } = definition;
  const values = Object.values(properties).flatMap((keys) => Object.values(keys));
  return {
    ...ofUsers(definition, [graph, algorithm, ...values]),
    launch: 'head',
    programs: ['run-harness'],
    wholeRun: false,
    noun: 'run',
    callpath: () => 'Processing',
    edgeFactor: null,
    news: parseNews,
    invocation: (cell, { outputFolder, program, seed, hosts }) => {
      const fill = (text: string): string => fillTemplate(text, { cell, seed, outputFolder, hosts });
      const name = graphName(fill(graph));
      const { folder, graphs, validation, timeoutS, validate } = definition;
      const files: Record<string, Record<string, string>> = {
        'benchmark.properties': {
          'benchmark.description': definition.name,
          'benchmark.executor.port': '8011',
          'benchmark.runner.port': '8012',
        },
        'benchmarks/custom.properties': {
          'benchmark.type': 'custom',
          'benchmark.name': 'Custom Benchmark',
          'benchmark.custom.graphs': name,
          'benchmark.custom.algorithms': fill(algorithm).toUpperCase(),
          'benchmark.custom.timeout': String(timeoutS),
          'benchmark.custom.output-required': String(validate),
          'benchmark.custom.validation-required': String(validate),
          'benchmark.custom.repetitions': String(cell.roots),
          // Runs that are done outlive a driver that fails later.
          'benchmark.custom.write-result-after-each-job': 'true',
        },
        'environment.properties': { 'environment.machine.quantity': String(cell.nodes) },
        'platform.properties': { 'platform.predict.num-machines': String(cell.nodes) },
      };
      for (const [file, keys] of Object.entries(properties)) {
        const path = file === 'custom' ? 'benchmarks/custom.properties' : `${file}.properties`;
        const filled = Object.entries(keys).map(([key, text]) => [key, fill(text)] as const);
        files[path] = { ...own(files, path), ...Object.fromEntries(filled) };
      }
      const settings = Object.entries(files).flatMap(([file, keys]) =>
        Object.entries(keys).flatMap(([key, value]) => ['--set', file, `${key}=${literal(value)}`]),
      );
      const environment = [
        `PREDICT_NODES=${cell.nodes}`,
        `PREDICT_RANKS=${cell.ranks}`,
        `PREDICT_HOSTS=${hosts.join(',')}`,
      ];
      const references = validation === undefined ? [] : ['--validation', validation];
      const places = ['--folder', folder, '--output', outputFolder, '--graphs', graphs, ...references, '--graph', name];
      return {
        argv: ['env', ...environment, program('run-harness'), ...places, ...settings],
        outputs: {
          results: `${outputFolder}/results.json`,
          log: `${outputFolder}/benchmark.log`,
          programs: `${outputFolder}/programs.log`,
        },
      };
    },
    parse: parseHarnessRun,
  };
}

/** A value that the harness reads back as it is: commas would make it a list. */
function literal(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll(',', '\\,');
}

function graphName(text: string): string {
  if (PATH_NAME.test(text)) return text;
  throw badInput(`'${shortened(text)}' is no name of a graph: ${PATH_NAME_RULE}.`);
}

/** What the harness's results and logs make of a cell: every repetition has to have succeeded. */
export function parseHarnessRun(output: RunOutput): RunResult {
  const { exitCode, stdout, stderr, files = {} } = output;
  const logs = [...(files.log === undefined ? [] : [files.log]), stdout, stderr];
  if (files.results === undefined) {
    const { exception, refused } = readLog(logs);
    const said = exception ?? refused[0] ?? lastSaid(stderr);
    return failedRun(
      `The harness left no results.json and ended with ${describeExit(exitCode)}${said === null ? '' : `: ${said}`}.`,
      output,
    );
  }
  const runnerLogs = splitPrograms(files.programs ?? '');
  let report: HarnessReport;
  try {
    report = joinReport({ results: files.results, path: 'results.json', logs, runnerLogs });
  } catch (error) {
    return failedRun(error instanceof Error ? error.message : String(error), output);
  }
  const reason = failureOf(report);
  if (reason !== null) return failedRun(reason, output);
  const runs = report.runs.map((run) => withFineTime(run, runnerLogs.get(run.id) ?? ''));
  const unclocked = runs.find(({ processingS }) => !processingS);
  if (unclocked !== undefined) {
    const { id, processingS } = unclocked;
    const why =
      processingS === 0 ? 'T_proc is 0, shorter than the clock of 1 ms: take a larger graph' : 'no T_proc is told';
    return failedRun(`Run ${id} succeeded, but ${why}.`, output);
  }
  return { ok: true, summary: summaryOf(report, runs), runs: runs.map(timedRun) };
}

function failureOf({ runs, absent }: HarnessReport): string | null {
  const failed = runs.filter(({ success }) => !success);
  const [first] = failed;
  if (first !== undefined) {
    const count = runs.length === 1 ? 'The run' : `${failed.length} of ${runs.length} runs`;
    const what = `${first.algorithm ?? '?'} on ${first.graph ?? '?'}`;
    return `${count} of the harness failed, ${first.id} (${what}): ${first.reason ?? 'it does not say why'}.`;
  }
  if (runs.length === 0) return `The harness did no run. ${absent.join(' ')}`.trim();
  return absent.length > 0 ? absent.join(' ') : null;
}

/** The last line of an error output; null without any. */
function lastSaid(stderr: string): string | null {
  return stderr.trim().split(/\r?\n/).at(-1)?.trim().slice(0, 300) || null;
}

/** Ends of what the runs' programs printed, by the run's id: behind a line with the path of each file. */
function splitPrograms(text: string): ReadonlyMap<string, string> {
  const [, ...parts] = text.split(/^==> .*\/(r\w+)-[^/]*\/platform\/runner\.logs <==$/m);
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) found.set(parts[index] ?? '', parts[index + 1] ?? '');
  return found;
}

/** The harness counts milliseconds; a program that prints its own time of the same processing tells short ones apart. */
const APART_S = 0.002;

function withFineTime(run: HarnessRun, printed: string): HarnessRun {
  const { processingS } = run;
  const told = [...printed.matchAll(/^processing_time:[ \t]*([\d.eE+-]+)[ \t]*(?:s[ \t]*)?$/gm)].at(-1)?.[1];
  const fine = Number(told ?? Number.NaN);
  if (processingS === null || processingS >= RESOLVED_S || !(fine > 0)) return run;
  if (Math.abs(fine - processingS) > APART_S) return run;
  const doubt = `the harness counts T_proc as ${processingS} s in steps of 1 ms: the times are the program's own`;
  return { ...run, processingS: fine, ...computeEdgeRates({ ...run, processingS: fine }), doubt };
}

function timedRun({ processingS, edges }: HarnessRun, index: number): TimedRun {
  const ct = processingS ?? Number.NaN;
  return { index, ct, teps: edges ? edges / ct : null, nedge: edges, validateS: null };
}

/** Means over the repetitions, seconds and per second, by the names that the benchmark gives them. */
function summaryOf({ platform, nodes }: HarnessReport, runs: readonly HarnessRun[]): Record<string, number | string> {
  const [pair] = computeMeans(runs);
  const doubts = new Set(runs.flatMap(({ doubt }) => doubt ?? []));
  const told = {
    ...{ platform: platform.name, algorithm: pair?.algorithm, dataset: pair?.graph, machines: nodes },
    ...{ vertices: pair?.vertices, edges: pair?.edges, repetitions: runs.length },
    ...{ load_time: pair?.loadS, makespan: pair?.makespanS, processing_time: pair?.processingS },
    ...{ eps: pair?.eps, evps: pair?.evps, careful: [...doubts][0] },
  };
  const known = Object.entries(told).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries(known);
}
