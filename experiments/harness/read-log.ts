/** What the harness's logs say of one run. */
interface LoggedRun {
  readonly algorithm: string | null;
  readonly graph: string | null;
  /** Null where the log ends before the run does. */
  readonly success: boolean | null;
  readonly codes: readonly string[];
  /** The most telling line about a failure. */
  readonly said: string | null;
}

/** benchmark-summary.log, benchmark-full.log, or what the harness prints: they share their lines. */
export interface HarnessLog {
  readonly runs: ReadonlyMap<string, LoggedRun>;
  /** How many runs the harness set out to do; null where it does not say. */
  readonly planned: number | null;
  /** Graphs and algorithms that it does not know or cannot pair: no run of them will be there. */
  readonly refused: readonly string[];
  /** The exception that ended the harness; null when none did. */
  readonly exception: string | null;
}

type Found = { -readonly [key in keyof LoggedRun]: LoggedRun[key] };

const SPECIFICATION = /\[BenchmarkRun \[(r\w+), ([A-Za-z]+)\[[^[\]]*\], ([^[\]]+?)(?:, timeout=\d+s?)?\]\]/;
const RESULT = /\b(?:Benchmark (r\w+) has|\]\] =>) (succe\w*|failed)(?: \(\[([A-Z, ]*)\]\))?/;
const ERROR_LINE = /\[ERROR\]\s+(.*)$/s;
const OF_RUNNER = /^\[Runner (r\w+)\] => (?:[\d:]+ )?(?:\[\w+\s*\] )?/;
const REFUSED =
  /(Found unknown (?:graph|algorithm) name .*|Skipping benchmark .{0,100}? cannot run .*|Failed to import .*)$/s;
const PLANNED = / \[\d+ experiments, \d+ jobs, (\d+) runs\]/;
/** Lines that only repeat that something failed. */
const EMPTY = /A benchmark failure \(|executable\.pid|benchmark runs are skipped|^Reporting|failed to complete:\s*$/;
const EXCEPTION = /^(?:Exception in thread "[^"]*" |Caused by: )?((?=[\w$]+\.)[\w$.]*(?:Exception|Error)\b.*)$/s;

/** Reads logs in the order of their lines; what they say twice counts once. No text is refused. */
export function readLog(texts: readonly string[]): HarnessLog {
  const runs = new Map<string, Found>();
  const refused = new Set<string>();
  let planned: number | null = null;
  let exception: string | null = null;
  let current: string | null = null;
  let loading: string | null = null;
  const run = (id: string): Found => {
    const known = runs.get(id) ?? { algorithm: null, graph: null, success: null, codes: [], said: null };
    runs.set(id, known);
    return known;
  };
  for (const line of texts.flatMap((text) => text.split(/\r?\n/))) {
    if (line.length > LONGEST_LINE) continue;
    const specification = SPECIFICATION.exec(line);
    const result = RESULT.exec(line);
    const id = result?.[1] ?? specification?.[1];
    if (id !== undefined) {
      const found = run(id);
      if (specification) {
        found.algorithm = specification[2]?.toUpperCase() ?? null;
        found.graph = specification[3] ?? null;
      }
      if (result) {
        found.success = result[2] !== 'failed';
        found.codes = (result[3] ?? '').split(',').flatMap((code) => code.trim() || []);
        if (found.codes.includes('DAT')) found.said ??= loading;
        current = null;
      } else current = id;
      continue;
    }
    const started = /Start of benchmark (r\w+)/.exec(line)?.[1];
    if (started !== undefined) current = started;
    planned = numberIn(PLANNED, /Executing an? .*/s.exec(line)?.[0] ?? '') ?? planned;
    if (/Loading graph/.test(line)) loading = null;
    const why = REFUSED.exec(line)?.[1];
    if (why !== undefined) refused.add(why.trim());
    const thrown = EXCEPTION.exec(line.trim())?.[1];
    if (thrown !== undefined) {
      exception = thrown;
      // The driver's own words follow the harness's line.
      if (current === null) loading = messageIn(thrown);
      else noteFor(run(current), messageIn(thrown));
    }
    const error = ERROR_LINE.exec(line)?.[1];
    if (error === undefined) continue;
    const of = OF_RUNNER.exec(error)?.[1] ?? current;
    const said = error.replace(OF_RUNNER, '').trim();
    if (of !== null && said !== '' && !EMPTY.test(said)) noteFor(run(of), said);
    else if (/Failed to load graph/.test(said)) loading ??= said;
  }
  const ended = texts.some((text) => /Benchmark ended:|Terminating Benchmark Suite/.test(text));
  return { runs, planned, refused: [...refused], exception: ended ? null : exception };
}

/** What a line of the harness tells while it runs: that a run ended, and how; null for all others. */
export function parseNews(line: string): string | null {
  const [, ended] = /\bBenchmark (r\w+ has (?:succe|failed).*)$/s.exec(line.slice(0, LONGEST_LINE)) ?? [];
  return ended === undefined ? null : `the harness's run ${ended}`;
}

/** Stack traces and output of programs may be of any length. */
const LONGEST_LINE = 10_000;

function noteFor(run: Found, said: string): void {
  run.said ??= said.slice(0, 300);
}

/** The message of an exception without the name of its class. */
function messageIn(thrown: string): string {
  return /^[\w.$]+: (.+)$/.exec(thrown)?.[1] ?? thrown;
}

function numberIn(pattern: RegExp, line: string): number | null {
  const text = pattern.exec(line)?.[1];
  return text === undefined ? null : Number(text);
}
