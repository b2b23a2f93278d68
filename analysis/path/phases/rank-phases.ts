// Phases of ranks in columns, as rules M1 to M7 ask for them: by search, rank and time, each with the phases of other ranks that
// are the same exchange.

import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { Group } from '../../platform/platform-schema.ts';
import type { Problem } from '../../problems.ts';
import { arrange } from '../arrange.ts';

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

/** For each rank the ranks of its group, ascending, itself included. Errors: badInput for ranks that make no square grid. */
export function exchangeGroups(group: Group, ranks: number): readonly Int32Array[] {
  const everybody = Int32Array.from({ length: ranks }, (_, rank) => rank);
  if (group === 'all') return Array.from(everybody, () => everybody);
  const side = Math.round(Math.sqrt(ranks));
  if (side * side !== ranks) {
    throw badInput(
      `${ranks} ranks do not form a square grid, but a communication phase waits for a ${group} of one: check the model's 'exchanges'.`,
    );
  }
  const isMember = {
    row: (a: number, b: number) => Math.floor(a / side) === Math.floor(b / side),
    column: (a: number, b: number) => a % side === b % side,
  };
  const belongs =
    group === 'row-and-column'
      ? (a: number, b: number) => isMember.row(a, b) || isMember.column(a, b)
      : isMember[group];
  return Array.from(everybody, (rank) => everybody.filter((other) => belongs(rank, other)));
}

/** The rank of a group that entered a meeting last; a tie is the own rank's, then the lowest one's. */
export function lastToEnter(
  members: Int32Array,
  { own, entryOf }: { readonly own: number; readonly entryOf: (rank: number) => number },
): number {
  let found = own;
  let latest = entryOf(own);
  for (let place = 0; place < members.length; place += 1) {
    const rank = at(members, place);
    const entry = entryOf(rank);
    // Members ascend, so the first of those that tie is the lowest.
    if (entry > latest) [found, latest] = [rank, entry];
  }
  return found;
}

/** Columns of phases by search and rank (`line`), each line in order of time. */
interface Lines {
  readonly line: Float64Array;
  readonly kind: Float64Array;
  readonly step: Float64Array;
}

/**
 * Which phases of the ranks are one step: those of one search, kind and step. Where a rank has several of them, the first ones of
 * all ranks meet, then the second ones. `partners` has the phase of rank r in meeting m at m * ranks + r, -1 where there is none.
 */
export function meetingsOf({ line, kind, step }: Lines, ranks: number) {
  const count = line.length;
  const meeting = new Int32Array(count);
  const steps = isSmall(step) ? step : numbered(step);
  const kinds = 1 + kind.reduce((most, one) => Math.max(most, one), 0);
  const span = 1 + steps.reduce((highest, one) => Math.max(highest, one), 0);
  /** The first meeting of each search, kind and step; `next` leads from a meeting to the one of the second time, -1 at the last. */
  const firsts = new Map<number, number>();
  const next = new Int32Array(count).fill(-1);
  /** The line that was last in a meeting: one that comes again is there for another time. */
  const lastLine = new Float64Array(count).fill(-1);
  let meetings = 0;
  for (let place = 0; place < count; place += 1) {
    const own = line[place] ?? 0;
    const name = (Math.floor(own / ranks) * kinds + (kind[place] ?? 0)) * span + (steps[place] ?? 0);
    let found = firsts.get(name) ?? -1;
    if (found < 0) {
      found = meetings;
      firsts.set(name, found);
    }
    while (lastLine[found] === own) {
      if (next[found] === -1) next[found] = meetings;
      found = next[found] ?? -1;
    }
    if (found === meetings) meetings += 1;
    lastLine[found] = own;
    meeting[place] = found;
  }
  const partners = new Int32Array(meetings * ranks).fill(-1);
  for (let place = 0; place < count; place += 1) {
    partners[(meeting[place] ?? 0) * ranks + ((line[place] ?? 0) % ranks)] = place;
  }
  return { meeting, partners };
}

/** Whole numbers that need no others in their place. */
function isSmall(column: Float64Array): boolean {
  return column.every((value) => value >= 0 && value < 2 ** 20 && Number.isInteger(value));
}

/** Each value by the number of its first appearance; NaN is a value. */
function numbered(column: Float64Array): Float64Array {
  const known = new Map<number, number>();
  return column.map((value) => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  });
}
