import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput, messageOf, PredictError } from '../../../base/errors.ts';
import { csvFields } from '../../../base/line-reader.ts';
import { at } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { readRegular } from '../../../experiments/store/regular.ts';
import { createModel, type Model } from '../../grade10/model/create-model.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import { keyProblem, type PhaseTypes, parentPath, stepOf, typePath } from '../../grade10/model/phase-types.ts';
import type { PhaseColumns } from '../../grade10/model/phases.ts';
import { mapPhases, type Platform } from '../../platform/platform.ts';
import { readMonitorFolder } from '../monitor/read-folder.ts';

/**
 * A job that some other program ran and logged, as a model of its platform. The folder holds `phases.csv` (path, start_ns,
 * end_ns), and of `rates.csv` (metric, capacity, period_start_ns, period_end_ns, value), `waits.csv` (metric, start_ns, end_ns)
 * and the files of Grade10's resource monitor (proc-*) what there is. Errors: badInput naming the file, and
 * the line of what cannot be read.
 */
export async function readJob(
  folder: string,
  {
    platform,
    timesliceNs = platform.timesliceNs,
  }: { readonly platform: Platform; readonly timesliceNs?: number | undefined },
): Promise<{ readonly model: Model; readonly warnings: readonly string[] }> {
  const files = await readdir(folder).catch((error: unknown) => {
    throw badInput(`The job's folder ${folder} cannot be read (${messageOf(error)}).`, error);
  });
  const phasesPath = join(folder, 'phases.csv');
  const rows = await readRows(phasesPath, ['path', 'start_ns', 'end_ns']);
  if (rows.length === 0) throw badInput(`${phasesPath} lists no phases: list at least the job, path /.`);
  const starts = rows.map((row) => parseNanoseconds(row, 'start_ns'));
  // Epoch nanoseconds need an origin; slices begin at whole multiples of their length, so it is one of these.
  const slice = BigInt(Math.max(1, Math.round(timesliceNs ?? 1e7)));
  const [earliest = 0n] = starts.toSorted((x, y) => (x < y ? -1 : 1));
  const ends = rows.map((row) => parseNanoseconds(row, 'end_ns'));
  const small = ends.every((end) => end < BigInt(Number.MAX_SAFE_INTEGER));
  const origin = small ? 0n : (earliest / slice) * slice;
  const since = (row: CsvRow, name: string): number => Number(parseNanoseconds(row, name) - origin);
  const listed = rows.map((row) => ({
    path: row.field('path'),
    start_ns: since(row, 'start_ns'),
    end_ns: since(row, 'end_ns'),
  }));
  const { phases, mapping } = inFile(phasesPath, () => {
    const read = readPhases(listed, { rows: rowsByPath(listed), types: platform.phaseTypes });
    return { phases: read, mapping: mapPhases(read, platform) };
  });
  const known = new Set(platform.resourceTypes.metricTypes.paths);
  const monitored = files.some((name) => MONITORED.test(name))
    ? await readMonitorFolder(folder, {
        originNs: origin,
        // Where nobody asks for it, no capacity need be guessed.
        networkBytesPerSecond: platform.monitored?.network ?? (known.has('/host/network/bytes-in') ? null : 1),
        diskBytesPerSecond: platform.monitored?.disk ?? (known.has('/host/disk/bytes-read') ? null : 1),
      })
    : { metrics: [], notices: [] };
  const metrics = [
    ...(files.includes('rates.csv') ? await ratesIn(join(folder, 'rates.csv'), since) : []),
    ...(files.includes('waits.csv') ? await waitsIn(join(folder, 'waits.csv'), since) : []),
    // The monitor measures more than every platform's model knows.
    ...monitored.metrics.filter(({ path }) => known.has(typePath(path))),
  ];
  const model = inFile(folder, () =>
    createModel({
      ...platform,
      phases,
      metrics,
      mapping,
      timesliceNs: timesliceNs || undefined,
    }),
  );
  return { model, warnings: [...model.notices, ...monitored.notices] };
}

/** Files of Grade10's resource monitor that are read. */
const MONITORED = /^proc-(stat|net-dev|diskstats)-/;

/** Errors of what is in a file say which. */
function inFile<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof PredictError) throw badInput(`${path}: ${error.message}`, error);
    throw error;
  }
}

type Since = (row: CsvRow, name: string) => number;

async function ratesIn(path: string, since: Since): Promise<readonly MetricInput[]> {
  const groups = await rowsByMetric(path, ['capacity', 'period_start_ns', 'period_end_ns', 'value']);
  return Array.from(groups, ([metric, own]) => {
    const capacities = new Set(own.map((row) => parseField(row, 'capacity')));
    const [capacity = 0, other] = capacities;
    if (other !== undefined) {
      throw badInput(`${path}: ${metric} has the capacities ${capacity} and ${other}: give one for the whole job.`);
    }
    return {
      class: 'consumable',
      path: metric,
      capacity,
      startNs: Float64Array.from(own, (row) => since(row, 'period_start_ns')),
      endNs: Float64Array.from(own, (row) => since(row, 'period_end_ns')),
      rates: Float64Array.from(own, (row) => parseField(row, 'value')),
    };
  });
}

async function waitsIn(path: string, since: Since): Promise<readonly MetricInput[]> {
  const groups = await rowsByMetric(path, ['start_ns', 'end_ns']);
  return Array.from(groups, ([metric, own]) => ({
    class: 'blocking',
    path: metric,
    startNs: Float64Array.from(own, (row) => since(row, 'start_ns')),
    endNs: Float64Array.from(own, (row) => since(row, 'end_ns')),
  }));
}

async function rowsByMetric(path: string, columns: readonly string[]): Promise<ReadonlyMap<string, readonly CsvRow[]>> {
  const groups = new Map<string, CsvRow[]>();
  for (const row of await readRows(path, ['metric', ...columns])) {
    const own = groups.get(row.field('metric')) ?? [];
    groups.set(row.field('metric'), own);
    own.push(row);
  }
  return groups;
}

/** A row as named fields, with the place to name in messages. */
interface CsvRow {
  readonly at: string;
  readonly field: (name: string) => string;
}

/**
 * A comma-separated file with a header, fields quoted where they hold commas (RFC 4180, without line breaks in fields). Errors:
 * badInput for a file that cannot be read, columns that are missing and rows of another length.
 */
async function readRows(path: string, columns: readonly string[]): Promise<readonly CsvRow[]> {
  const bytes = await readRegular(path).catch((error: unknown) => {
    throw badInput(`${path} cannot be read (${messageOf(error)}): give a folder that holds it.`, error);
  });
  const [head = '', ...lines] = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
  const fieldsOf = (line: string, place: string): string[] => {
    const fields = csvFields(line);
    if (fields !== null) return fields;
    throw badInput(`${place}: '${shortened(line)}' has an unclosed or undoubled quote: correct it.`);
  };
  const names = fieldsOf(head, `${path}:1`);
  const missing = columns.find((column) => !names.includes(column));
  if (missing !== undefined) {
    throw badInput(`${path}:1: the column ${missing} is missing: its header must name ${columns.join(', ')}.`);
  }
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const place = `${path}:${index + 2}`;
    const fields = fieldsOf(line, place);
    if (fields.length !== names.length) {
      throw badInput(`${place}: the line has ${fields.length} of ${names.length} fields: correct or remove it.`);
    }
    return [{ at: place, field: (name) => at(fields, names.indexOf(name)) }];
  });
}

/** Whole nanoseconds, of any size. */
function parseNanoseconds({ at, field }: CsvRow, name: string): bigint {
  const text = field(name);
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw badInput(`${at}: ${name} is '${text}': give whole nanoseconds.`);
}

function parseField({ at, field }: CsvRow, name: string): number {
  const value = field(name).trim() === '' ? Number.NaN : Number(field(name));
  if (Number.isFinite(value)) return value;
  throw badInput(`${at}: ${name} is '${field(name)}': give a number.`);
}

/** A phase by its path, in ns since any origin. */
interface ListedPhase {
  readonly path: string;
  readonly start_ns: number;
  readonly end_ns: number;
}

/** The row of each path. Errors: badInput for a path listed twice. */
export function rowsByPath(phases: readonly Pick<ListedPhase, 'path'>[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const [row, { path }] of phases.entries()) {
    if (rows.has(path)) throw badInput(`The phase ${path} is listed twice: remove one or give them different ids.`);
    rows.set(path, row);
  }
  return rows;
}

/**
 * Listed phases as columns: their types and parents by path. Errors: badInput for paths that no type matches, wrong keys and
 * missing parents.
 */
export function readPhases(
  phases: readonly ListedPhase[],
  { rows, types }: { readonly rows: ReadonlyMap<string, number>; readonly types: PhaseTypes },
): PhaseColumns {
  const [type, parent] = [new Uint32Array(phases.length), new Int32Array(phases.length)];
  const id: string[] = [];
  for (const [row, { path }] of phases.entries()) {
    const own = path.startsWith('/') ? types.indexOf.get(typePath(path)) : undefined;
    if (own === undefined) {
      throw badInput(
        `The phase ${path} has no type in the execution model: add ${typePath(path)} or correct the path.`,
      );
    }
    const above = parentPath(path);
    const step = above === null ? undefined : stepOf(path);
    const repeats = types.repeats[own] !== 'none';
    const problem =
      step === null ? 'it is not a name or name[key=id]' : step && keyProblem(step, { repeats, key: types.keys[own] });
    if (problem) throw badInput(`The path of the phase ${path} is wrong: ${problem}.`);
    const aboveRow = above === null ? -1 : rows.get(above);
    if (aboveRow === undefined)
      throw badInput(`The phase ${path} has no parent: list ${above} with its start and end.`);
    type[row] = own;
    parent[row] = aboveRow;
    id.push(step?.id ?? '');
  }
  return {
    type,
    parent,
    id,
    startNs: Float64Array.from(phases, ({ start_ns }) => start_ns),
    endNs: Float64Array.from(phases, ({ end_ns }) => end_ns),
  };
}
