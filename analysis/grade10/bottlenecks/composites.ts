import { at } from '../../../base/lists.ts';
import { foldPhases, type SubphaseGroup } from '../fold-phases.ts';
import type { Model } from '../model/create-model.ts';
import { typeSlot, typesUsed } from '../model/uses.ts';
import { type LeafBottlenecks, NO_BOTTLENECK } from './leaves.ts';

/** RTB (equation 4.1) under one predicate: leaves as found, composite phases as the predicate has it. */
export interface PhaseBottlenecks {
  readonly predicate: string;
  /** Laid out as the leaves' `typeStates`; composites have 1 where they are bottlenecked. */
  readonly states: Uint8Array;
  /** Slices in which a phase is bottlenecked, laid out as the leaves' `typeSlices`. */
  readonly slices: Uint32Array;
}

/** Bottlenecks of composite phases from those of their subphases, from the leaves up (equations 4.6 and 4.7). */
export function findCompositeBottlenecks(
  model: Model,
  { typeStart, typeStates, typeSlicesStart, typeSlices }: LeafBottlenecks,
  predicates: readonly BottleneckPredicate[],
): readonly PhaseBottlenecks[] {
  const { phases, uses } = model;
  const find = (phase: number, metricType: number): number => {
    const slot = typeSlot(uses, phase, metricType);
    return slot < 0 ? -1 : at(typeStart, phase) + slot * at(phases.length, phase);
  };
  const findSlices = (phase: number, metricType: number): number =>
    at(typeSlicesStart, phase) + typeSlot(uses, phase, metricType);
  const judged = predicates.map((predicate) => {
    const states: States = { states: typeStates.slice(), slices: typeSlices.slice(), find, findSlices };
    const judge =
      predicate.kind === 'count' ? judgeByCounts(predicate, model, states) : judgeBySubphases(predicate, model, states);
    return { name: predicate.name, states, judge };
  });
  const composite = (phase: number, groups: readonly SubphaseGroup<null>[]): null => {
    for (const metricType of typesUsed(uses, phase)) {
      const question = { phase, metricType, groups };
      for (const { judge, states } of judged) states.slices[findSlices(phase, metricType)] = judge(question);
    }
    return null;
  };
  if (judged.length > 0) foldPhases(phases, { leaf: () => null, composite });
  return judged.map(({ name, states: { states, slices } }) => ({ predicate: name, states, slices }));
}

/** Decides by how many subphases are bottlenecked in each slice. */
function judgeByCounts(
  { holds, per }: CountPredicate,
  { phases, sliceCount }: Model,
  { states, slices, find, findSlices }: States,
): Judge {
  const changes = { bottlenecked: new Int32Array(sliceCount + 1), defined: new Int32Array(sliceCount + 1) };
  return ({ phase, metricType, groups }) => {
    const first = at(phases.first, phase);
    const flags = { states, from: find(phase, metricType), length: at(phases.length, phase) };
    let pending = false;
    let marked = 0;
    for (const { phases: members } of groups) {
      for (const member of members) {
        const from = find(member, metricType);
        if (from < 0) continue;
        pending = true;
        const offset = at(phases.first, member) - first;
        const length = at(phases.length, member);
        add(changes.defined, offset, offset + length);
        const inside = at(slices, findSlices(member, metricType));
        if (inside === length) add(changes.bottlenecked, offset, offset + length);
        else if (inside > 0) addMarked(changes.bottlenecked, { states, from, offset, length });
      }
      if (per === 'phase' || !pending) continue;
      marked += settle(changes, holds, flags);
      pending = false;
    }
    return pending ? settle(changes, holds, flags) : marked;
  };
}

/**
 * By how much the number of bottlenecked subphases, and of all whose state is defined, differs from the slice before. States
 * mostly stay the same from slice to slice, so there is little to write.
 */
interface Changes {
  readonly bottlenecked: Int32Array;
  readonly defined: Int32Array;
}

function add(changes: Int32Array, from: number, end: number): void {
  changes[from] = at(changes, from) + 1;
  changes[end] = at(changes, end) - 1;
}

function addMarked(
  changes: Int32Array,
  { states, from, offset, length }: StateStretch & { readonly offset: number },
): void {
  let start = -1;
  for (let slice = 0; slice < length; slice += 1) {
    const marked = states[from + slice] !== NO_BOTTLENECK;
    if (marked === start >= 0) continue;
    if (!marked) add(changes, offset + start, offset + slice);
    start = marked ? slice : -1;
  }
  if (start >= 0) add(changes, offset + start, offset + length);
}

interface StateStretch {
  readonly states: Uint8Array;
  readonly from: number;
  readonly length: number;
}

/** Marks the slices for which the predicate holds, returns how many it newly marked, and leaves the changes at 0. */
function settle(
  { bottlenecked, defined }: Changes,
  holds: CountPredicate['holds'],
  { states, from, length }: StateStretch,
): number {
  let part = 0;
  let whole = 0;
  let flagged = false;
  let marked = 0;
  // Over slices, and so indexed directly (see `at`).
  for (let slice = 0; slice < length; slice += 1) {
    const morePart = bottlenecked[slice] ?? 0;
    const moreWhole = defined[slice] ?? 0;
    if (morePart !== 0 || moreWhole !== 0) {
      part += morePart;
      whole += moreWhole;
      flagged = whole > 0 && holds(part, whole);
      bottlenecked[slice] = 0;
      defined[slice] = 0;
    }
    if (!flagged || states[from + slice] !== NO_BOTTLENECK) continue;
    states[from + slice] = 1;
    marked += 1;
  }
  bottlenecked[length] = 0;
  defined[length] = 0;
  return marked;
}

/** Decides slice by slice with all subphases at hand. */
function judgeBySubphases({ holds }: SubphasePredicate, { phases }: Model, { states, find }: States): Judge {
  return ({ phase, metricType, groups }) => {
    const own = find(phase, metricType);
    const length = at(phases.length, phase);
    let marked = 0;
    const first = at(phases.first, phase);
    const members = groups.flatMap(({ type, phases: rows }) =>
      Array.from(rows, (row) => {
        const offset = at(phases.first, row) - first;
        return { phase: row, type, from: find(row, metricType), offset, end: offset + at(phases.length, row) };
      }).filter(({ from }) => from >= 0),
    );
    for (let slice = 0; slice < length; slice += 1) {
      const pairs: SubphaseState[] = [];
      for (const { phase: row, type, from, offset, end } of members) {
        if (slice < offset || slice >= end) continue;
        pairs.push({ phase: row, type, bottlenecked: states[from + slice - offset] !== NO_BOTTLENECK });
      }
      if (pairs.length === 0 || !holds(pairs, { phase, metricType, slice: first + slice })) continue;
      states[own + slice] = 1;
      marked += 1;
    }
    return marked;
  };
}

/** What a judge decides on: a composite phase and one of its metric types. */
interface Question {
  readonly phase: number;
  readonly metricType: number;
  readonly groups: readonly SubphaseGroup<null>[];
}

/** Sets the states of the phase in question, which are 0, and returns in how many slices it is bottlenecked. */
type Judge = (question: Question) => number;

/** The states of all phases; those of subphases are complete when a judge reads them. */
interface States {
  readonly states: Uint8Array;
  readonly slices: Uint32Array;
  /** Where a phase's states towards a metric type begin; -1 when none of its leaves uses that type. */
  readonly find: (phase: number, metricType: number) => number;
  /** Where its number of bottlenecked slices is, if any. */
  readonly findSlices: (phase: number, metricType: number) => number;
}

/** A subphase alive in a slice whose state towards a metric type is defined: one pair of SRTB (equation 4.7). */
interface SubphaseState {
  /** Row of the phase. */
  readonly phase: number;
  readonly type: number;
  readonly bottlenecked: boolean;
}

/** The composite phase, metric type and slice (since the job's first) that a predicate is asked about. */
interface PredicateContext {
  readonly phase: number;
  readonly metricType: number;
  readonly slice: number;
}

/**
 * Judges by how many of the subphases are bottlenecked: of all together, or (`per: 'type'`) of each type by itself, where
 * one type suffices.
 */
interface CountPredicate {
  readonly kind: 'count';
  readonly name: string;
  readonly per: 'phase' | 'type';
  /** Must depend on its arguments alone. */
  readonly holds: (bottlenecked: number, subphases: number) => boolean;
}

/** Judges with each subphase at hand: for knowledge of phases and resources. Slower than counting. */
interface SubphasePredicate {
  readonly kind: 'subphases';
  readonly name: string;
  readonly holds: (subphases: readonly SubphaseState[], context: PredicateContext) => boolean;
}

/** P* of equation 4.6; not asked about slices without subphases, where nothing is bottlenecked. */
export type BottleneckPredicate = CountPredicate | SubphasePredicate;

const anyOf = (bottlenecked: number): boolean => bottlenecked > 0;
const allOf = (bottlenecked: number, subphases: number): boolean => bottlenecked === subphases;
/** At least half. */
const majorityOf = (bottlenecked: number, subphases: number): boolean => 2 * bottlenecked >= subphases;

/** Table 4.3. */
export const predicates = {
  any: { kind: 'count', name: 'any', per: 'phase', holds: anyOf },
  all: { kind: 'count', name: 'all', per: 'phase', holds: allOf },
  majority: { kind: 'count', name: 'majority', per: 'phase', holds: majorityOf },
  majorityAny: { kind: 'count', name: 'majority+any', per: 'type', holds: majorityOf },
} as const satisfies Readonly<Record<string, BottleneckPredicate>>;
