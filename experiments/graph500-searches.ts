import { shortened } from '../base/text.ts';
import type { TimedRun } from './records.ts';

const LINE =
  /^\s*(Time|TEPS|Validate time) for (?:(BFS|SSSP) )?(\d+) is ([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?:\s*(?:s|TEPS))?\s*$/;

/** What is printed of one search, as texts: their digits tell the resolution. */
export interface PrintedSearch {
  readonly root: number;
  time?: string;
  teps?: string;
  validate?: string;
}

/** Breadth-first search, or shortest paths. */
export type Kernel = 'bfs' | 'sssp';

/**
 * The searches of one kernel in order of their number, and whether one of them is printed twice with other values: shortest paths where
 * nothing else was timed, else the breadth-first searches.
 */
export function readSearches(lines: readonly string[]): {
  kernel: Kernel;
  searches: PrintedSearch[];
  repeated: boolean;
} {
  const byRoot = new Map<number, PrintedSearch>();
  let repeated = false;
  const found = lines.map((line) => LINE.exec(line)).filter((match) => match !== null);
  const kernel = found.length > 0 && found.every(([, , name]) => name === 'SSSP') ? 'sssp' : 'bfs';
  for (const [, what, name, index, value = ''] of found) {
    if ((name === 'SSSP') !== (kernel === 'sssp')) continue;
    const root = Number(index);
    const search: PrintedSearch = byRoot.get(root) ?? { root };
    const key = what === 'Time' ? 'time' : what === 'TEPS' ? 'teps' : 'validate';
    if (search[key] !== undefined && search[key] !== value) repeated = true;
    search[key] = value;
    byRoot.set(root, search);
  }
  return { kernel, searches: [...byRoot.values()].sort((a, b) => a.root - b.root), repeated };
}

/** The searches that have a time, and one sentence on what makes a time useless; `nedge` is the same for all of them, or null. */
export function timeSearches(
  searches: readonly PrintedSearch[],
  nedge: number | null,
): { timed: TimedRun[]; damaged: string | null } {
  const timed: TimedRun[] = [];
  let damaged: string | null = null;
  for (const { root, time, teps, validate } of searches) {
    if (time === undefined) continue;
    const wrong = [time, teps ?? '0', validate ?? '0'].find(
      (text) => !(Number(text) >= -1 && Number.isFinite(Number(text))),
    );
    if (wrong !== undefined || !Number.isSafeInteger(root)) {
      damaged ??= `The output is damaged: search ${root} has the number ${shortened(wrong ?? String(root))}.`;
      continue;
    }
    const ct = recoverTime(time, teps, nedge);
    if (ct === null) damaged ??= `The output is damaged: time and TEPS of search ${root} contradict each other.`;
    else if (!(ct > 0))
      damaged ??= `The time of search ${root} is printed as ${shortened(time)}, which is too imprecise to use.`;
    else {
      const validateS = validate === undefined || Number(validate) < 0 ? null : Number(validate);
      timed.push({ index: root, ct, teps: Number(teps) > 0 ? Number(teps) : null, nedge, validateS });
    }
  }
  return { timed, damaged };
}

/**
 * A search's time in seconds at the best resolution that was printed: `%f` shows 1 us, TEPS shows six digits of
 * nedge / time. `null` when the two contradict each other, which means damaged output.
 */
function recoverTime(time: string, teps: string | undefined, nedge: number | null): number | null {
  const printed = Number(time);
  const rate = Number(teps);
  if (nedge === null || !(rate > 0) || !(nedge > 0)) return printed;
  const recovered = nedge / rate;
  if (!(recovered > 0 && Number.isFinite(recovered))) return null;
  const step = resolution(time);
  // `%g` has six digits and drops trailing zeros, so the text may show fewer than are known.
  const error = recovered * 5e-6;
  if (Math.abs(recovered - printed) > step + 10 * error) return null;
  return error < step / 2 ? recovered : printed;
}

/** One unit of the last printed digit: 0.000135 -> 1e-6, 9.7866e-05 -> 1e-9. */
function resolution(text: string): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return 10 ** (Number(exponent) - decimals);
}

const STATISTICS = ['min', 'firstquartile', 'median', 'thirdquartile', 'max', 'mean', 'stddev'] as const;

/** Order statistics as printed; null where a dialect leaves one out. */
type Spread = Readonly<Record<(typeof STATISTICS)[number], number | null>>;

/** One kernel's statistics: `time` in seconds, `teps` in traversed edges per second. */
interface KernelSummary {
  readonly time: Spread;
  readonly teps: Spread;
  readonly harmonicMeanTeps: number | null;
  readonly harmonicStddevTeps: number | null;
  /** Seconds; null when validation was off. */
  readonly validate: Spread | null;
}

export interface Graph500Summary {
  readonly scale: number;
  readonly edgefactor: number | null;
  readonly nbfs: number | null;
  readonly ranks: number | null;
  readonly constructionS: number | null;
  readonly generationS: number | null;
  readonly nedge: Spread;
  readonly bfs: KernelSummary;
  readonly sssp: KernelSummary | null;
}

type Values = Readonly<Record<string, number>>;

/** The result block in one shape for all dialects; null without a SCALE. */
export function readSummary(values: Values): Graph500Summary | null {
  if (values.SCALE === undefined) return null;
  const hasSssp = Object.keys(values).some((name) => name.startsWith('sssp_'));
  return {
    scale: values.SCALE,
    edgefactor: values.edgefactor ?? null,
    nbfs: values.NBFS ?? null,
    ranks: values.num_mpi_processes ?? null,
    constructionS: values.construction_time ?? null,
    generationS: values.graph_generation ?? null,
    nedge: spread(values, '', '_nedge'),
    bfs: kernel(values, 'bfs_'),
    sssp: hasSssp ? kernel(values, 'sssp_') : null,
  };
}

function kernel(values: Values, before: string): KernelSummary {
  const validate = spread(values, before, '_validate');
  return {
    time: spread(values, before, '_time'),
    teps: spread(values, before, '_TEPS'),
    harmonicMeanTeps: values[`${before}harmonic_mean_TEPS`] ?? null,
    harmonicStddevTeps: values[`${before}harmonic_stddev_TEPS`] ?? null,
    // The reference prints -1 for every statistic of a validation that was skipped.
    validate: validate.min !== null && validate.min >= 0 ? validate : null,
  };
}

function spread(values: Values, before: string, after: string): Spread {
  return Object.fromEntries(STATISTICS.map((name) => [name, values[before + name + after] ?? null])) as Spread;
}
