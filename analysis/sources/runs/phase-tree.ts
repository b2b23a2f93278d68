import { badInput } from '../../../base/index.ts';
import type { CellTrace } from '../../../experiments/index.ts';
import type { PhaseColumns, PhaseTypes } from '../../grade10/index.ts';
import type { Platform } from '../../platform/index.ts';

/** One stretch of a run: the phase type that it is of, whose it is and when (ns). */
interface Span {
  readonly type: number;
  readonly rank: number;
  readonly root: number;
  readonly level: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Of that the rank slept, ns; NaN where that is not known. */
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
  /** Per row, ns in which the rank slept; NaN where that is not known. */
  readonly asleepNs: Float64Array;
  readonly warnings: readonly string[];
}

/**
 * Hangs the phases of a run under the types that they belong to; a phase above them spans what lies within it. Ids are the
 * trace's rank, root and level. A phase that ends before it starts counts as empty, names that the model lacks are left out;
 * both are said. Errors: badInput for a run that left nothing that the model knows.
 */
export function phaseTree(
  trace: CellTrace,
  { phaseTypes, measured }: Pick<Platform, 'phaseTypes' | 'measured'>,
  correct: (rank: number, ns: number) => number,
): PhaseTree {
  const spans = [
    ...traced(trace, phaseTypes, measured?.trace ?? {}),
    ...lifetimes(trace, phaseTypes, measured?.lifetime),
  ];
  if (spans.length === 0) {
    const help = measured?.trace
      ? 'its program reports none that this model knows, try --model mpi'
      : 'no rank was seen';
    throw badInput(`The run has no phases: ${help}.`);
  }
  const rows: Row[] = [
    { type: 0, parent: -1, id: '', start: Number.POSITIVE_INFINITY, end: Number.NEGATIVE_INFINITY, asleep: Number.NaN },
  ];
  const known = new Map<string, number>();
  const chains = phaseTypes.paths.map((_, type) => chainOf(phaseTypes, type));
  for (const span of spans) {
    const start = correct(span.rank, span.startNs);
    const end = Math.max(start, correct(span.rank, span.endNs));
    widen(rows[0], start, end);
    let parent = 0;
    for (const type of chains[span.type] ?? []) {
      const id = phaseTypes.repeats[type] === 'none' ? '' : idOf(span, phaseTypes.keys[type]);
      const key = `${parent} ${type} ${id}`;
      const found = known.get(key) ?? rows.push({ type, parent, id, start, end, asleep: Number.NaN }) - 1;
      known.set(key, found);
      widen(rows[found], start, end);
      parent = found;
    }
    const own = rows[parent];
    if (own) own.asleep = Number.isNaN(own.asleep) ? span.asleepNs : own.asleep + span.asleepNs;
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
  { phases }: CellTrace,
  spans: readonly Span[],
  names: Readonly<Record<string, string | null>> | undefined,
): readonly string[] {
  const unknown = names === undefined ? [] : [...new Set(phases.phase)].filter((name) => names[name] === undefined);
  const backwards = spans.filter(({ startNs, endNs }) => endNs < startNs).length;
  return [
    ...(unknown.length > 0 ? [`The model lacks phases of the trace: ${unknown.join(', ')} are left out.`] : []),
    ...(backwards > 0 ? [`Phases of the trace end before they start (${backwards}x): they count as empty.`] : []),
  ];
}

function traced(
  { phases }: CellTrace,
  { indexOf }: PhaseTypes,
  names: Readonly<Record<string, string | null>>,
): Span[] {
  return phases.phase.flatMap((name, row) => {
    const type = indexOf.get(names[name] ?? '');
    if (type === undefined) return [];
    const { rank, root, level, startNs, endNs, asleepNs } = phases;
    return [
      {
        type,
        rank: rank[row] ?? 0,
        root: root[row] ?? 0,
        level: level[row] ?? 0,
        startNs: startNs[row] ?? 0,
        endNs: endNs[row] ?? 0,
        asleepNs: asleepNs[row] ?? Number.NaN,
      },
    ];
  });
}

/** A rank lives from the first to the last reading of its process. */
function lifetimes({ counters }: CellTrace, { indexOf }: PhaseTypes, path: string | undefined): Span[] {
  const type = indexOf.get(path ?? '');
  if (type === undefined) return [];
  return counters.flatMap(({ metric, rank, timesNs }) =>
    metric === RANK_SEEN && rank !== null
      ? [{ type, rank, root: 0, level: 0, startNs: timesNs[0] ?? 0, endNs: timesNs.at(-1) ?? 0, asleepNs: Number.NaN }]
      : [],
  );
}

/** The counter that shows that a rank's process is there. */
export const RANK_SEEN = 'rank.cpu_ns';

function idOf(span: Span, key: string | undefined): string {
  return String(key === 'root' ? span.root : key === 'level' ? span.level : span.rank);
}

/** A type and those above it, from below the root. */
function chainOf({ parents }: PhaseTypes, type: number): readonly number[] {
  const chain: number[] = [];
  for (let at = type; at > 0; at = parents[at] ?? -1) chain.unshift(at);
  return chain;
}

function widen(row: Row | undefined, start: number, end: number): void {
  if (row === undefined) return;
  row.start = Math.min(row.start, start);
  row.end = Math.max(row.end, end);
}
