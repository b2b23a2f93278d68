import { at } from '../../../base/lists.ts';
import { foldPhases, type SubphaseGroup } from '../fold-phases.ts';
import type { Model } from '../model/create-model.ts';
import { typeSlot, typesUsed } from '../model/uses.ts';
import { judgeByCounts } from './judge-counts.ts';
import { judgeBySubphases } from './judge-subphases.ts';
import type { LeafBottlenecks } from './leaves.ts';
import type { BottleneckPredicate } from './predicates.ts';
import type { States } from './states.ts';

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
