// Phases of ranks in columns, as rules M1 to M7 ask for them: by search, rank and time, each with the phases of other ranks that
// are the same exchange.

import { badInput } from '../../../base/errors.ts';
import { ascending, at } from '../../../base/lists.ts';
import type { Group } from '../../platform/platform-schema.ts';
import type { Problem } from '../../problems.ts';
import { arrange, byFirst, groupByKey } from '../arrange.ts';

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
  const searches = ascending(Array.from(raw.search));
  const placeOf = new Map(searches.map((search, place) => [search, place]));
  const lines = Int32Array.from(raw.search, (search, row) => (placeOf.get(search) ?? 0) * ranks + at(raw.rank, row));
  // Within a line by start, those that start together by end.
  const { order, first } = byFirst(byFirst(groupByKey(lines, searches.length * ranks), raw.endNs), raw.startNs);
  const sorted = (column: ArrayLike<number>): Float64Array => arrange(Float64Array, column, order);
  const line = arrange(Int32Array, lines, order);
  const [startNs, endNs] = [sorted(raw.startNs), sorted(raw.endNs)];
  const [rank, kind] = [arrange(Int32Array, raw.rank, order), arrange(Uint8Array, raw.kind, order)];
  const backwards = placesWhere(line, (place) => at(endNs, place) < at(startNs, place));
  for (const place of backwards) endNs[place] = at(startNs, place);
  const overlapping = placesWhere(
    line,
    (place) => place > 0 && line[place] === line[place - 1] && at(startNs, place) < at(endNs, place - 1),
  );
  const { meeting, partners } = meetingsOf({ line, kind, step: sorted(raw.step) }, ranks);
  const groups = kinds.map((one) => (one.group === null ? [] : exchangeGroups(one.group, ranks)));
  const alone = placesWhere(line, (place) => {
    const members = groups[at(kind, place)]?.[at(rank, place)] ?? [];
    return members.some((other) => at(partners, at(meeting, place) * ranks + other) < 0);
  });
  const entriesOf = (places: readonly number[]): number[] =>
    places.map((place) => at(order, place) + 1).sort((a, b) => a - b);
  return {
    ...{ ranks, kinds, searches, first, rank, kind, startNs, endNs, meeting, partners, groups },
    ...{ asleepNs: sorted(raw.asleepNs), queuedNs: sorted(raw.queuedNs), bytes: sorted(raw.bytes) },
    problems: [
      problem('phase that ends before it starts', entriesOf(backwards)),
      problem('phase that begins before the previous one ends', entriesOf(overlapping)),
      problem('communication phase without all its ranks', entriesOf(alone)),
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

/** Phases for which something is so, by their place. */
function placesWhere(line: Int32Array, isSo: (place: number) => boolean): number[] {
  return [...line.keys()].filter(isSo);
}

/** Lines that are named of a problem. */
const NAMED = 5;

export function problem(kind: string, lines: readonly number[]): Problem {
  return { kind, count: lines.length, lines: lines.slice(0, NAMED) };
}

/** For each rank the ranks of its group, ascending, itself included. Errors: badInput for ranks that make no square grid. */
function exchangeGroups(group: Group, ranks: number): readonly Int32Array[] {
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
  readonly line: Int32Array;
  readonly kind: Uint8Array;
  readonly step: Float64Array;
}

/**
 * Which phases of the ranks are one step: those of one search, kind and step. Where a rank has several of them, the first ones of
 * all ranks meet, then the second ones. `partners` has the phase of rank r in meeting m at m * ranks + r, -1 where there is none.
 */
function meetingsOf({ line, kind, step }: Lines, ranks: number) {
  const meeting = new Int32Array(line.length);
  const steps = numbered(step);
  const kinds = 1 + kind.reduce((most, one) => Math.max(most, one), 0);
  const span = 1 + steps.reduce((highest, one) => Math.max(highest, one), 0);
  /** Of each search, kind and step, the meetings one after another. */
  const known = new Map<number, number[]>();
  /** How often the rank has been in one of them. */
  const turns = new Map<number, number>();
  let meetings = 0;
  for (const [place, own] of line.entries()) {
    if (own !== line[place - 1]) turns.clear();
    const name = (Math.floor(own / ranks) * kinds + at(kind, place)) * span + at(steps, place);
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    const same = known.get(name) ?? [];
    known.set(name, same);
    if (turn === same.length) same.push(meetings++);
    meeting[place] = at(same, turn);
  }
  const partners = new Int32Array(meetings * ranks).fill(-1);
  for (const [place, own] of line.entries()) partners[at(meeting, place) * ranks + (own % ranks)] = place;
  return { meeting, partners };
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
