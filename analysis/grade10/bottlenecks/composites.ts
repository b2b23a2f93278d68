import { foldPhases, type SubphaseGroup } from '../fold.ts';
import type { Model } from '../model/create-model.ts';
import { typeSlot, typesUsed } from '../model/uses.ts';
import { judgeByCounts } from './judge-counts.ts';
import { judgeBySubphases } from './judge-subphases.ts';
import type { LeafBottlenecks } from './leaves.ts';
import type { BottleneckPredicate } from './predicates.ts';

/** RTB (equation 4.1) under one predicate: leaves as found, composite phases as the predicate has it. */
export interface PhaseBottlenecks {
  readonly predicate: string;
  /** Laid out as the leaves' `typeStates`; composites have 1 where they are bottlenecked. */
  readonly states: Uint8Array;
}

/** What a judge decides on: a composite phase and one of its metric types. */
export interface Question {
  readonly phase: number;
  readonly metricType: number;
  readonly groups: readonly SubphaseGroup<null>[];
  /** Of all phases: the subphases' are there to be read. */
  readonly states: Uint8Array;
  /** Of the phase in question: to be set, all 0. */
  readonly flags: Uint8Array;
}

export type Judge = (question: Question) => void;

/** First state of a subphase towards a metric type; -1 when none of its leaves uses that type. */
export type FindStates = (phase: number, metricType: number) => number;

/** Bottlenecks of composite phases from those of their subphases, from the leaves up (equations 4.6 and 4.7). */
export function findCompositeBottlenecks(
  model: Model,
  { typeStart, typeStates }: LeafBottlenecks,
  predicates: readonly BottleneckPredicate[],
): readonly PhaseBottlenecks[] {
  const { phases, uses } = model;
  const find: FindStates = (phase, metricType) => {
    const slot = typeSlot(uses, phase, metricType);
    return slot < 0 ? -1 : (typeStart[phase] ?? 0) + slot * (phases.length[phase] ?? 0);
  };
  const judged = predicates.map((predicate) => ({
    predicate: predicate.name,
    states: typeStates.slice(),
    judge:
      predicate.kind === 'count' ? judgeByCounts(predicate, model, find) : judgeBySubphases(predicate, model, find),
  }));
  const composite = (phase: number, groups: readonly SubphaseGroup<null>[]): null => {
    const length = phases.length[phase] ?? 0;
    for (const metricType of typesUsed(uses, phase)) {
      const at = find(phase, metricType);
      for (const { judge, states } of judged) {
        judge({ phase, metricType, groups, states, flags: states.subarray(at, at + length) });
      }
    }
    return null;
  };
  foldPhases(phases, { leaf: () => null, composite });
  return judged.map(({ predicate, states }) => ({ predicate, states }));
}
