import { z } from 'zod';
import { badInput, messageOf } from '../../base/errors.ts';
import { own } from '../../base/lists.ts';
import { lastLines, shortened } from '../../base/text.ts';
import { issueOf } from '../store/damage.ts';
import type { HarnessRun } from './harness-run.ts';

/** results.json of the Graphalytics harness, before logs are known (the specification's section 4.3 and what real files hold). */
export interface HarnessResults {
  readonly id: string | null;
  readonly platform: { readonly name: string | null; readonly version: string | null };
  readonly environment: string | null;
  readonly nodes: number | null;
  readonly jobs: readonly ResultJob[];
  readonly runs: ReadonlyMap<string, ResultRun>;
  /** All properties of the benchmark; of a list only the first word. */
  readonly configurations: ReadonlyMap<string, string>;
}

interface ResultJob {
  readonly algorithm: string | null;
  readonly graph: string | null;
  readonly runs: readonly string[];
}

type ResultRun = Pick<HarnessRun, 'success' | 'loadS' | 'makespanS' | 'processingS'>;

/** Scalars are strings in real files, numbers in older ones, and may be left out. */
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();
const words = z.looseObject({ name: scalar, version: scalar, acronym: scalar });
const record = <T extends z.ZodType>(inner: T) => z.record(z.string(), inner).default({});

const runSchema = z.looseObject({ success: scalar });
const resultsSchema = z.looseObject({
  id: scalar,
  system: z
    .looseObject({
      platform: words.optional(),
      environment: z
        .looseObject({ name: scalar, machines: z.array(z.looseObject({ quantity: scalar })).optional() })
        .optional(),
    })
    .optional(),
  benchmark: z.looseObject({ configurations: record(z.unknown()) }).optional(),
  result: z.looseObject({
    jobs: record(z.looseObject({ algorithm: scalar, dataset: scalar, runs: z.array(z.string()).default([]) })),
    runs: record(runSchema),
  }),
});

/**
 * The text of a results.json, or of the harness's data.js; `path` names it in messages. Errors are `badInput` with the place of
 * what is wrong.
 */
export function readResults(text: string, path: string): HarnessResults {
  const parsed = resultsSchema.safeParse(parseJson(text, path));
  if (!parsed.success) {
    throw badInput(
      `${path} is not a report of the Graphalytics harness${issueOf(parsed.error)}: give its json/results.json.`,
    );
  }
  const { id, system, benchmark, result } = parsed.data;
  const { platform, environment } = system ?? {};
  const runs = Object.entries(result.runs).map(([name, run]) => {
    const seconds = (key: string): number | null => secondsOf(run, key, `${path}, run ${shortened(name)}`);
    const success = /^true$/i.test(String(run.success ?? ''));
    const times = { loadS: seconds('load'), makespanS: seconds('makespan'), processingS: seconds('processing') };
    return [name, { success, ...times }] as const;
  });
  return {
    id: wordOf(id),
    platform: { name: wordOf(platform?.name), version: wordOf(platform?.version) },
    environment: wordOf(environment?.name),
    nodes: nodesOf(environment?.machines ?? []),
    jobs: Object.values(result.jobs).map((job) => ({
      algorithm: wordOf(job.algorithm)?.toUpperCase() ?? null,
      graph: wordOf(job.dataset),
      runs: job.runs,
    })),
    runs: new Map(runs),
    configurations: new Map(
      Object.entries(benchmark?.configurations ?? {}).flatMap(([key, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[key, String(value)] as const] : [],
      ),
    ),
  };
}

function parseJson(text: string, path: string): unknown {
  // html/data/data.js is a script: `var data = {...}`.
  const json = text.replace(/^\ufeff?\s*(?:(?:var|let|const)\s+)?\w+\s*=\s*(?=\{)/, '').replace(/\}\s*;\s*$/, '}');
  if (json.trim() === '') throw badInput(`${path} is empty: the harness was ended before it wrote its results.`);
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = shortened(lastLines(messageOf(error), 1), 120);
    const position = positionOf(why, json);
    const isCut = position !== null && position >= json.trimEnd().length;
    const line = position === null ? null : json.slice(0, position).split('\n').length;
    const cut = isCut ? 'it is truncated' : why;
    throw badInput(
      `${path}${line === null ? '' : `, line ${line}`} is not valid JSON (${cut}): copy the file from the report again.`,
      error,
    );
  }
}

/** Where the parser's message is about; it tells a position, an end, or the text around. */
function positionOf(why: string, json: string): number | null {
  if (/end of JSON|Unterminated/i.test(why)) return json.length;
  const position = /position (\d+)/.exec(why)?.[1];
  if (position !== undefined) return Number(position);
  const [from, to] = [why.indexOf('..."'), why.lastIndexOf('"... is not valid')];
  const found = from < 0 || to <= from + 4 ? -1 : json.indexOf(why.slice(from + 4, to));
  return found < 0 ? null : found;
}

const SPELLINGS = {
  load: ['load_time', 'load-time', 'loadTime'],
  makespan: ['makespan', 'makespan_time', 'makespan-time'],
  processing: ['processing_time', 'processing-time', 'processingTime'],
} as const;

/** Seconds under either spelling; "nan" and what is left out are null. */
function secondsOf(run: Readonly<Record<string, unknown>>, key: string, where: string): number | null {
  const names = SPELLINGS[key as keyof typeof SPELLINGS];
  const name = names.find((each) => own(run, each) !== undefined);
  const value = name === undefined ? null : own(run, name);
  if (name === undefined || value === null) return null;
  const text = typeof value === 'string' ? value.trim() : String(value);
  if (text === '' || text === '-' || /^nan$/i.test(text)) return null;
  const seconds = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(seconds)) return seconds;
  throw badInput(`${where}: '${shortened(text)}' is not a time in seconds for ${name}: write a number, or nan.`);
}

/** A text that says something; null for an empty or absent one. */
function wordOf(value: string | number | boolean | null | undefined): string | null {
  const text = value === null || value === undefined ? '' : String(value).trim();
  return text === '' ? null : text;
}

/** All machines; null where any kind of them has no number. */
function nodesOf(machines: readonly { readonly quantity?: z.infer<typeof scalar> }[]): number | null {
  const counts = machines.map(({ quantity }) => Number(wordOf(quantity) ?? Number.NaN));
  const isKnown = counts.length > 0 && counts.every((count) => Number.isSafeInteger(count) && count > 0);
  return isKnown ? counts.reduce((sum, count) => sum + count, 0) : null;
}
