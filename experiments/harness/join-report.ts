import { withoutEnd } from '../../base/text.ts';
import { parseProperties } from '../graphs/graph-properties.ts';
import { computeEdgeRates, type HarnessReport, type HarnessRun } from './harness-run.ts';
import { type HarnessLog, readLog } from './read-log.ts';
import { type HarnessResults, readResults } from './read-results.ts';

/** The texts of one report. */
export interface ReportTexts {
  /** results.json. */
  readonly results: string;
  /** Names it in messages. */
  readonly path: string;
  /** benchmark-summary.log, benchmark-full.log, or what the harness printed. */
  readonly logs?: readonly string[];
  /** What each run's program printed (runner.logs), by the run's id. */
  readonly runnerLogs?: ReadonlyMap<string, string>;
  /** Properties files of datasets, for graphs that the report's configuration does not describe. */
  readonly properties?: readonly { readonly text: string; readonly path: string }[];
}

/** Puts together what results and logs say of every run. Errors are `badInput` of `readResults`. */
export function joinReport({ results, path, logs = [], runnerLogs, properties = [] }: ReportTexts): HarnessReport {
  const read = readResults(results, path);
  const log = readLog(logs);
  const datasets = properties.map(({ text, path: file }) => parseProperties(text, file, { repeats: 'first' }));
  const size = (graph: string | null, what: 'vertices' | 'edges'): number | null => {
    const key = `graph.${graph}.meta.${what}`;
    const places = [read.configurations.get(key), ...datasets.map((each) => each.get(key)?.value)];
    const count = Number(places.find((text) => text !== undefined) ?? Number.NaN);
    return Number.isSafeInteger(count) && count >= 0 ? count : null;
  };
  const runs = namedRuns(read, log).map(({ id, algorithm, graph, repetition }): HarnessRun => {
    const result = read.runs.get(id);
    const logged = log.runs.get(id);
    const [vertices, edges] = [size(graph, 'vertices'), size(graph, 'edges')];
    const { success = false, ...times } = result ?? { loadS: null, makespanS: null, processingS: null };
    const codes = logged?.codes ?? [];
    const said = logged?.said ?? (codes.includes('EXE') ? tellingLine(runnerLogs?.get(id) ?? '') : null);
    const without = result === undefined ? 'the results do not mention it' : null;
    return {
      ...{ id, algorithm, graph, vertices, edges, repetition, success, ...times },
      ...computeEdgeRates({ processingS: success ? times.processingS : null, vertices, edges }),
      codes: success ? [] : codes,
      reason: success ? null : ((codes.length === 0 ? without : null) ?? reasonOf(codes, said)),
    };
  });
  const { id, platform, environment, nodes } = read;
  return { id, platform, environment, nodes, runs, absent: absentOf(read, log) };
}

/** What a program said last before its launcher's block between dashes, else the last line of all; null without any. */
function tellingLine(printed: string): string | null {
  const [own = ''] = printed.split(/^-{20}-*$/m);
  const lines = [own, printed].map((text) =>
    text.split(/\r?\n/).filter((line) => /\w/.test(line) && !/^Processing (starts|ends)/.test(line)),
  );
  const found = lines.find((each) => each.length > 0);
  return found?.at(-1)?.trim().slice(0, 300) ?? null;
}

/** Every run that a job, the results or the log name, jobs first. */
function namedRuns(read: HarnessResults, log: HarnessLog) {
  const named = new Map<string, Pick<HarnessRun, 'id' | 'algorithm' | 'graph' | 'repetition'>>();
  for (const { algorithm, graph, runs } of read.jobs) {
    for (const [index, id] of runs.entries()) named.set(id, { id, algorithm, graph, repetition: index + 1 });
  }
  for (const id of [...read.runs.keys(), ...log.runs.keys()]) {
    const { algorithm = null, graph = null } = log.runs.get(id) ?? {};
    if (!named.has(id)) named.set(id, { id, algorithm, graph, repetition: null });
  }
  return [...named.values()];
}

/** What was asked for and is not there, as far as a report tells: its configuration shows one word of each list. */
function absentOf({ jobs, runs, configurations }: HarnessResults, { refused, planned }: HarnessLog): string[] {
  const missing = (key: string, what: string, has: (name: string) => boolean): string[] => {
    const name = configurations.get(`benchmark.custom.${key}`)?.trim() ?? '';
    return name === '' || has(name) ? [] : [`No run has the requested ${what} ${name}.`];
  };
  const graph = missing('graphs', 'graph', (name) => jobs.some((job) => job.graph === name));
  const algorithm = missing('algorithms', 'algorithm', (name) =>
    jobs.some((job) => job.algorithm === name.toUpperCase()),
  );
  const few =
    planned !== null && runs.size < planned
      ? [`The harness planned ${planned} runs, but its results have ${runs.size}.`]
      : [];
  return [...graph, ...algorithm, ...refused.map((text) => `${text.replace(/\.$/, '')}.`), ...few];
}

/** The harness's failure codes, as its logs name them, in words. */
const WORDS: Readonly<Record<string, string>> = {
  DAT: 'the graph could not be loaded',
  INI: "the harness's runner did not start",
  TIM: 'it took longer than the timeout',
  EXE: "the platform's program failed",
  COM: 'it did not complete',
  VAL: 'its output differs from the reference',
  MET: 'it recorded no times',
};

/**
 * Why a run failed, as one sentence without its end. MET follows every other failure and says something by itself alone; `said` is
 * what the log says beside.
 */
function reasonOf(codes: readonly string[], said: string | null): string {
  const telling = codes.length > 1 ? codes.filter((code) => code !== 'MET') : codes;
  const words = telling.map((code) => (Object.hasOwn(WORDS, code) ? `${WORDS[code]} (${code})` : code));
  const what = words.length === 0 ? 'the harness reports a failure, but no log states the reason' : words.join(', ');
  return said === null ? what : `${what}: ${withoutEnd(said, '.')}`;
}
