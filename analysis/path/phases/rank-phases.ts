// Phases of ranks in columns, as rules M1 to M7 ask for them: by search, rank and time, each with the phases of other ranks that
// are the same exchange.
import { at } from '../../../base/lists.ts';
import type { Group } from '../../platform/platform-schema.ts';
import type { Problem } from '../../problems.ts';
import { arrange } from '../arrange.ts';
import { exchangeGroups } from './groups.ts';
import { meetingsOf } from './meetings.ts';

/** One sort of phase: work of one rank, or an exchange that nobody leaves before its group has entered it. */
export interface PhaseKind {
  readonly name: string;
  /** Null: no exchange. */
  readonly group: Group | null;
}

/** Phases in any order, one entry per phase in each column. Times in ns on one clock. */
export interface RawPhases {
  readonly rank: ArrayLike<number>;
  /** The search that it is of, by its number (root). */
  readonly search: ArrayLike<number>;
  /** Index into the kinds. */
  readonly kind: ArrayLike<number>;
  /** What tells phases of one kind and search apart (a level), alike on all ranks. */
  readonly step: ArrayLike<number>;
  readonly startNs: ArrayLike<number>;
  readonly endNs: ArrayLike<number>;
  /** Of its time the rank slept, waiting for messages; NaN where that is not known. */
  readonly asleepNs: ArrayLike<number>;
  /** Of its time the rank could have run but had no processor; NaN where that is not known. */
  readonly queuedNs: ArrayLike<number>;
  /** Bytes handed over for other ranks; NaN where that is not known. */
  readonly bytes: ArrayLike<number>;
}

/** The same sorted by search, rank and start. */
export interface RankPhases {
  readonly ranks: number;
  readonly kinds: readonly PhaseKind[];
  /** Numbers of the searches, in their order. */
  readonly searches: readonly number[];
  /** Where the phases of rank r in search s begin: entry s * ranks + r; one entry more than there are. */
  readonly first: Uint32Array;
  readonly rank: Int32Array;
  readonly kind: Uint8Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly asleepNs: Float64Array;
  readonly queuedNs: Float64Array;
  readonly bytes: Float64Array;
  /** The step that a phase is part of, on whatever rank: an exchange or a step of work. */
  readonly meeting: Int32Array;
  /** The phase of rank r in meeting m, entry m * ranks + r; -1 where it has none. */
  readonly partners: Int32Array;
  /** Per kind and rank, whom its exchange waits for, itself included; none for work. */
  readonly groups: readonly (readonly Int32Array[])[];
  readonly problems: readonly Problem[];
}

/**
 * Lays phases out. A phase that ends before it starts counts as empty; that, phases of a rank that overlap, and exchanges that not
 * all of their group took part in are named by their entry (from 1). Errors: badInput for ranks that make no grid.
 */
export function rankPhases(
  raw: RawPhases,
  { ranks, kinds }: { readonly ranks: number; readonly kinds: readonly PhaseKind[] },
): RankPhases {
  const searches = [...new Set(Array.from(raw.search))].sort((a, b) => a - b);
  const placeOf = new Map(searches.map((search, place) => [search, place]));
  const line = Float64Array.from(
    raw.search,
    (search, row) => (placeOf.get(search) ?? 0) * ranks + (raw.rank[row] ?? 0),
  );
  const first = firstOf(line, searches.length * ranks);
  const order = inOrderOf(line, first, raw);
  const sorted = (column: ArrayLike<number>): Float64Array => arrange(Float64Array, column, order);
  const [startNs, endNs] = [sorted(raw.startNs), sorted(raw.endNs)];
  const lines = { line: sorted(line), kind: sorted(raw.kind), step: sorted(raw.step) };
  const rank = arrange(Int32Array, raw.rank, order);
  const kind = Uint8Array.from(lines.kind);
  const backwards = entriesOf(order, (place) => at(endNs, place) < at(startNs, place));
  for (const entry of backwards) {
    const place = order.indexOf(entry - 1);
    endNs[place] = at(startNs, place);
  }
  const overlapping = entriesOf(
    order,
    (place) => place > 0 && lines.line[place] === lines.line[place - 1] && at(startNs, place) < at(endNs, place - 1),
  );
  const { meeting, partners } = meetingsOf(lines, ranks);
  const groups = kinds.map((one) => (one.group === null ? [] : exchangeGroups(one.group, ranks)));
  const present = new Int32Array(partners.length / ranks);
  for (const met of meeting) present[met] = (present[met] ?? 0) + 1;
  const alone = entriesOf(order, (place) => {
    if (present[at(meeting, place)] === ranks) return false;
    const members = groups[at(kind, place)]?.[at(rank, place)];
    return members?.some((other) => at(partners, at(meeting, place) * ranks + other) < 0) === true;
  });
  return {
    ...{ ranks, kinds, searches, first, rank, kind, startNs, endNs },
    ...{
      asleepNs: sorted(raw.asleepNs),
      queuedNs: sorted(raw.queuedNs),
      bytes: sorted(raw.bytes),
      meeting,
      partners,
      groups,
    },
    problems: [
      problem('phase that ends before it starts', backwards),
      problem('phase that begins before the previous one ends', overlapping),
      problem('communication phase without all its ranks', alone),
    ].filter(({ count }) => count > 0),
  };
}

/** Of the time that a phase did not sleep, the share in which its rank had no processor; 0 where that is not known. */
export function idleShare(
  { startNs, endNs, asleepNs, queuedNs }: Pick<RankPhases, 'startNs' | 'endNs' | 'asleepNs' | 'queuedNs'>,
  place: number,
): number {
  const awake = at(endNs, place) - at(startNs, place) - (at(asleepNs, place) || 0);
  return awake > 0 ? Math.min(1, (at(queuedNs, place) || 0) / awake) : 0;
}

/** Entries (from 1, as given) of the phases for which something is so. */
function entriesOf(order: Uint32Array, isSo: (place: number) => boolean): number[] {
  const found: number[] = [];
  for (let place = 0; place < order.length; place += 1) if (isSo(place)) found.push(at(order, place) + 1);
  return found.sort((a, b) => a - b);
}

/** Rows by line, and within it by start, end, and as given: mostly they are given in the order of time. */
function inOrderOf(line: Float64Array, first: Uint32Array, { startNs, endNs }: RawPhases): Uint32Array {
  const order = new Uint32Array(line.length);
  const next = first.slice();
  for (let row = 0; row < line.length; row += 1) {
    const own = line[row] ?? 0;
    const place = next[own] ?? 0;
    order[place] = row;
    next[own] = place + 1;
  }
  const compare = (a: number, b: number): number =>
    (startNs[a] ?? 0) - (startNs[b] ?? 0) || (endNs[a] ?? 0) - (endNs[b] ?? 0) || a - b;
  for (let own = 0; own + 1 < first.length; own += 1) {
    const rows = order.subarray(first[own], first[own + 1]);
    if (rows.some((row, index) => index > 0 && compare(rows[index - 1] ?? 0, row) > 0)) rows.sort(compare);
  }
  return order;
}

function firstOf(lines: Float64Array, count: number): Uint32Array {
  const first = new Uint32Array(count + 1);
  for (const line of lines) first[line + 1] = at(first, line + 1) + 1;
  for (let line = 1; line <= count; line += 1) first[line] = at(first, line) + at(first, line - 1);
  return first;
}

/** Lines that are named of a problem. */
const NAMED = 5;

export function problem(kind: string, lines: readonly number[]): Problem {
  return { kind, count: lines.length, lines: lines.slice(0, NAMED) };
}
