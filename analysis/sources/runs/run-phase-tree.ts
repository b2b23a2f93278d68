import { badInput } from '../../../base/errors.ts';
import { at, own } from '../../../base/lists.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import type { PhaseTypes } from '../../grade10/model/phase-types.ts';
import type { PhaseColumns } from '../../grade10/model/phases.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import type { PlatformFile } from '../../platform/platform-schema.ts';
import { nothingToExplain } from '../../problems.ts';

/** One stretch of a run: the phase type that it is of, whose it is and when (ns). */
interface Span {
  readonly type: number;
  readonly worker: number;
  /** Its row in the trace, for its keys; null where it is the life of a worker's process. */
  readonly row: number | null;
  readonly startNs: number;
  readonly endNs: number;
  /** Of that the worker slept, ns; NaN where that is not known. */
  readonly asleepNs: number;
}

interface Row {
  readonly type: number;
  readonly parent: number;
  readonly id: string;
  start: number;
  end: number;
  asleep: number;
}

export interface PhaseTree {
  readonly columns: PhaseColumns;
  /** Per row, ns in which its worker slept; NaN where that is not known. */
  readonly asleepNs: Float64Array;
  readonly warnings: readonly string[];
}

/**
 * Hangs the spans of a run under the types that they belong to; a phase above them spans what lies within it. Ids are the
 * trace's worker (which models call rank too) and keys. A phase that ends before it starts counts as empty, names that the model lacks are left out;
 * both are said. Errors: badInput for a run that left nothing that the model knows.
 */
export function phaseTree(
  trace: CellTrace,
  { phaseTypes, measured }: Pick<Platform, 'phaseTypes' | 'measured'>,
  correct: (worker: number, ns: number) => number,
): PhaseTree {
  const spans = [
    ...traced(trace, phaseTypes, measured?.trace ?? {}),
    ...lifetimes(trace, phaseTypes, measured?.lifetime),
  ];
  if (spans.length === 0) {
    const help = measured?.trace
      ? 'its program reports none that this model knows; try the model mpi'
      : 'no rank was seen';
    throw nothingToExplain(`The run has no phases: ${help}.`);
  }
  const rows: Row[] = [
    { type: 0, parent: -1, id: '', start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY, asleep: Number.NaN },
  ];
  const known = new Map<string, number>();
  const chains = phaseTypes.paths.map((_, type) => chainOf(phaseTypes, type));
  for (const span of spans) {
    const start = correct(span.worker, span.startNs);
    const end = Math.max(start, correct(span.worker, span.endNs));
    widen(at(rows, 0), start, end);
    let parent = 0;
    for (const type of chains[span.type] ?? []) {
      const id = phaseTypes.repeats[type] === 'none' ? '' : idOf(trace, span, phaseTypes.keys[type]);
      const key = `${parent} ${type} ${id}`;
      const found = known.get(key) ?? rows.push({ type, parent, id, start, end, asleep: Number.NaN }) - 1;
      known.set(key, found);
      widen(at(rows, found), start, end);
      parent = found;
    }
    const own = at(rows, parent);
    own.asleep = Number.isNaN(own.asleep) ? span.asleepNs : own.asleep + span.asleepNs;
  }
  const columns = {
    type: Uint32Array.from(rows, ({ type }) => type),
    parent: Int32Array.from(rows, ({ parent }) => parent),
    id: rows.map(({ id }) => id),
    startNs: Float64Array.from(rows, ({ start }) => start),
    endNs: Float64Array.from(rows, ({ end }) => end),
  };
  return {
    columns,
    asleepNs: Float64Array.from(rows, ({ asleep }) => asleep),
    warnings: warningsOf(trace, spans, measured?.trace),
  };
}

function warningsOf(
  { spans: { phase } }: CellTrace,
  spans: readonly Span[],
  names: Readonly<Record<string, string | null>> | undefined,
): readonly string[] {
  const unknown =
    names === undefined ? [] : [...new Set(phase)].filter((name) => tracedType(names, name) === undefined);
  const backwards = spans.filter(({ startNs, endNs }) => endNs < startNs).length;
  return [
    ...(unknown.length > 0 ? [`The model lacks phases of the trace: ${unknown.join(', ')} are left out.`] : []),
    ...(backwards > 0 ? [`Phases of the trace end before they start (${backwards}x): they count as empty.`] : []),
  ];
}

function traced(
  { spans: { phase, worker, startNs, endNs, asleepNs } }: CellTrace,
  { indexOf }: PhaseTypes,
  names: Readonly<Record<string, string | null>>,
): Span[] {
  const known = new Map<string, number | undefined>();
  const typeOf = (name: string): number | undefined => {
    if (!known.has(name)) known.set(name, indexOf.get(tracedType(names, name) ?? ''));
    return known.get(name);
  };
  return phase.flatMap((name, row) => {
    const type = typeOf(name);
    if (type === undefined) return [];
    const [start, end, asleep] = [at(startNs, row), at(endNs, row), at(asleepNs, row)];
    return [{ type, worker: at(worker, row), row, startNs: start, endNs: end, asleepNs: asleep }];
  });
}

/** A rank lives from the first to the last reading of its process. */
function lifetimes({ counters }: CellTrace, { indexOf }: PhaseTypes, path: string | undefined): Span[] {
  const type = indexOf.get(path ?? '');
  if (type === undefined) return [];
  return counters.flatMap(({ metric, worker, timesNs }) => {
    const [startNs, endNs] = [timesNs[0], timesNs.at(-1)];
    if (metric !== RANK_SEEN || worker === null || startNs === undefined || endNs === undefined) return [];
    return [{ type, worker, row: null, startNs, endNs, asleepNs: Number.NaN }];
  });
}

/** The counter that shows that a rank's process is there. */
export const RANK_SEEN = 'rank.cpu_ns';

function idOf({ spans: { keys } }: CellTrace, { worker, row }: Span, key: string | undefined): string {
  if (key === undefined || WORKER_KEYS.includes(key)) return String(worker);
  const column = own(keys, key);
  if (column === undefined) {
    const known = [...WORKER_KEYS, ...Object.keys(keys)].join(', ');
    throw badInput(`The trace has no key ${key}, which the model needs: it has ${known}.`);
  }
  const id = row === null ? Number.NaN : at(column, row);
  // A span outside every search or level is of the one with an empty name.
  return Number.isNaN(id) ? '' : String(id);
}

/** A type and those above it, from below the root. */
function chainOf({ parents }: PhaseTypes, type: number): readonly number[] {
  const chain: number[] = [];
  for (let step = type; step > 0; step = at(parents, step)) chain.unshift(step);
  return chain;
}

function widen(row: Row, start: number, end: number): void {
  row.start = Math.min(row.start, start);
  row.end = Math.max(row.end, end);
}

type Names = NonNullable<NonNullable<PlatformFile['measured']>['trace']>;

/**
 * The phase type of a name in a trace: by the name itself, else by the longest `BEGINNING*`. Null where the model leaves it
 * out, undefined where it does not know it.
 */
function tracedType(names: Names, name: string): string | null | undefined {
  const exact = own(names, name);
  if (exact !== undefined) return exact;
  const fitting = Object.keys(names).filter((key) => key.endsWith('*') && name.startsWith(key.slice(0, -1)));
  const longest = fitting.reduce((best, key) => (key.length > best.length ? key : best), '');
  return longest === '' ? undefined : names[longest];
}
