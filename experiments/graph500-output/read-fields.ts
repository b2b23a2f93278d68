// Result block of https://graph500.org/?page_id=12 (section "Output format") and of the reference codes 1.2 to 3.0.

import { shortened } from '../../base/text.ts';

const NUMBER = String.raw`([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)`;
const LINE = new RegExp(String.raw`^\s*(?:(bfs|sssp)[ _]+)?([A-Za-z]\w*):\s*(?:!\s*)?${NUMBER}(?:\s*(?:s|TEPS))?\s*$`);
const SINGLE = new Set('SCALE edgefactor NBFS nvtx terasize A B C D num_mpi_processes'.split(' '));
/** Whole numbers. */
const COUNTED = new Set('SCALE NBFS num_mpi_processes'.split(' '));
const DURATION = new Set(['graph_generation', 'construction_time']);
const STATISTIC =
  /^(?:(?:min|firstquartile|median|thirdquartile|max|mean|stddev)_(?:time|nedge|TEPS|validate)|harmonic_(?:mean|stddev)_TEPS)$/;

/** Names used by some dialect for a field that the 3.0 reference calls otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['nbfs', 'NBFS'],
  ['generation_time', 'graph_generation'],
]);

interface Fields {
  /** By the specification's names: SCALE, bfs_median_time, min_nedge, sssp_harmonic_mean_TEPS, ... */
  readonly values: Readonly<Record<string, number>>;
  /** A field that occurs with two different values: the text holds more than one run. */
  readonly conflict: string | null;
  /** A field with a number that no run has, as words. */
  readonly impossible: string | null;
}

/** Every `name: value` line of a result block, in any dialect, under one name each. */
export function readFields(lines: readonly string[]): Fields {
  const texts = new Map<string, string>();
  let conflict: string | null = null;
  let impossible: string | null = null;
  for (const line of lines) {
    const match = LINE.exec(line);
    const [, kernel, printed = '', value = ''] = match ?? [];
    const name = match ? fieldName(kernel, printed) : null;
    if (name === null) continue;
    if (!isPossible(name, Number(value))) impossible ??= `${name} is ${shortened(value)}`;
    const known = texts.get(name);
    if (known === undefined) texts.set(name, value);
    // stderr repeats the two durations of the block with fewer digits.
    else if (DURATION.has(name)) texts.set(name, known.length >= value.length ? known : value);
    else if (Number(known) !== Number(value)) conflict ??= name;
  }
  return { values: Object.fromEntries([...texts].map(([name, text]) => [name, Number(text)])), conflict, impossible };
}

/** Skipped validations are printed as -1; everything else is a count, a time, a rate or a probability. */
function isPossible(name: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (COUNTED.has(name)) return Number.isSafeInteger(value) && value >= 0;
  return value >= 0 || (name.endsWith('_validate') && value === -1);
}

function fieldName(kernel: string | undefined, printed: string): string | null {
  const name = (ALIASES.get(printed) ?? printed).replace(/_validation_time$/, '_validate');
  if (SINGLE.has(name) || DURATION.has(name)) return name;
  if (!STATISTIC.test(name)) return null;
  // The number of edges belongs to the search keys: the reference prints it once, for both kernels.
  if (name.endsWith('_nedge') && kernel !== 'sssp') return name;
  return `${kernel ?? 'bfs'}_${name}`;
}
