import { foldPhases, type SubphaseGroup } from '../fold.ts';
import type { Model } from '../model/create-model.ts';
import { isLeaf } from '../model/phases.ts';
import { typesUsed } from '../model/uses.ts';
import { offsets } from '../offsets.ts';
import { judgeByCounts } from './judge-counts.ts';
import { judgeBySubphases } from './judge-subphases.ts';
import type { LeafBottlenecks } from './leaves.ts';
import type { BottleneckPredicate } from './predicates.ts';

/** CRTB under one predicate: 1 where a composite phase is bottlenecked on a metric type. */
export interface CompositeBottlenecks {
  readonly predicate: string;
  /** Composite p's k-th metric type (as in its type set) begins at `start[p] + k * length[p]`. */
  readonly start: Uint32Array;
  readonly states: Uint8Array;
}

/** A subphase and where its states towards the metric type in question lie; `offset` is its first slice in its parent. */
export interface Member {
  readonly phase: number;
  readonly states: Uint8Array;
  readonly from: number;
  readonly offset: number;
  readonly length: number;
}

/** What a judge decides on: the subphases whose leaves use the metric type, by type. Sets `flags`, which start as 0. */
export interface Question {
  readonly phase: number;
  readonly metricType: number;
  /** The phase's first slice. */
  readonly first: number;
  readonly groups: readonly { readonly type: number; readonly members: readonly Member[] }[];
  readonly flags: Uint8Array;
}

export type Judge = (question: Question) => void;

/** Bottlenecks of composite phases from those of their subphases, from the leaves up (equations 4.6 and 4.7). */
export function findCompositeBottlenecks(
  model: Model,
  leaves: LeafBottlenecks,
  predicate: BottleneckPredicate,
): CompositeBottlenecks {
  const { phases, uses, sliceCount } = model;
  const start = offsets(phases.count, (phase) =>
    isLeaf(phases, phase) ? 0 : (phases.length[phase] ?? 0) * typesUsed(uses, phase).length,
  );
  const states = new Uint8Array(start[phases.count] ?? 0);
  const judge = predicate.kind === 'count' ? judgeByCounts(predicate, sliceCount) : judgeBySubphases(predicate);
  const memberOf = (phase: number, metricType: number, parentFirst: number): Member | null => {
    const slot = typesUsed(uses, phase).indexOf(metricType);
    if (slot < 0) return null;
    const leaf = isLeaf(phases, phase);
    const length = phases.length[phase] ?? 0;
    const from = ((leaf ? leaves.typeStart : start)[phase] ?? 0) + slot * length;
    const offset = (phases.first[phase] ?? 0) - parentFirst;
    return { phase, states: leaf ? leaves.typeStates : states, from, offset, length };
  };
  const composite = (phase: number, groups: readonly SubphaseGroup<null>[]): null => {
    const [first, length] = [phases.first[phase] ?? 0, phases.length[phase] ?? 0];
    for (const [slot, metricType] of typesUsed(uses, phase).entries()) {
      const at = (start[phase] ?? 0) + slot * length;
      const using = groups.map(({ type, phases: rows }) => {
        const members: Member[] = [];
        for (const row of rows) {
          const member = memberOf(row, metricType, first);
          if (member !== null && member.length > 0) members.push(member);
        }
        return { type, members };
      });
      judge({ phase, metricType, first, groups: using, flags: states.subarray(at, at + length) });
    }
    return null;
  };
  foldPhases(phases, { leaf: () => null, composite });
  return { predicate: predicate.name, start, states };
}
