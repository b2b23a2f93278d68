// How long phases are bottlenecked, by predicate (thesis, section 5.5.2, table 5.12).
import { at } from '../../../base/lists.ts';
import type { JudgedJob } from '../issues/issue-rule.ts';
import { isLeaf } from '../model/phases.ts';
import { typesUsed } from '../model/uses.ts';
import { NO_BOTTLENECK } from './leaves.ts';

/** Of the time of all phases of a type, what they spend bottlenecked as one predicate has it. */
export interface BottleneckedTime {
  /** Path of the phase type. */
  readonly type: string;
  /** Null for leaves, on which all agree. */
  readonly predicate: string | null;
  /** Of all phases of the type. */
  readonly seconds: number;
  /** By path of the metric type, those that the phases or leaves below them use. */
  readonly percent: Readonly<Record<string, number>>;
  /** Of the time without any bottleneck. */
  readonly nonePercent: number;
}

/** A row for each phase type and predicate, in the order of the types; types without time are left out. */
export function computeBottleneckedTimes({ model, leaves, bottlenecks }: JudgedJob): readonly BottleneckedTime[] {
  const { phases, phaseTypes, resourceTypes, uses, timesliceNs } = model;
  const rowsOf = phaseTypes.paths.map((): number[] => []);
  for (let row = 0; row < phases.count; row += 1) at(rowsOf, at(phases.type, row)).push(row);
  return rowsOf.flatMap((rows, type) => {
    const all = rows.reduce((sum, row) => sum + at(phases.length, row), 0);
    if (all === 0) return [];
    const areLeaves = rows.every((row) => isLeaf(phases, row));
    const judged = areLeaves
      ? [{ predicate: null, states: leaves.typeStates, slices: leaves.typeSlices }]
      : bottlenecks;
    return judged.map(({ predicate, states, slices }): BottleneckedTime => {
      const held = new Map<number, number>();
      let none = 0;
      for (const row of rows) {
        const from = at(leaves.typeSlicesStart, row);
        for (const [slot, metric] of typesUsed(uses, row).entries())
          held.set(metric, (held.get(metric) ?? 0) + at(slices, from + slot));
        none += freeSlices(states, {
          from: at(leaves.typeStart, row),
          length: at(phases.length, row),
          types: typesUsed(uses, row).length,
        });
      }
      return {
        type: at(phaseTypes.paths, type),
        predicate,
        seconds: (all * timesliceNs) / 1e9,
        percent: Object.fromEntries(
          [...held].map(([metric, count]) => [at(resourceTypes.metricTypes.paths, metric), (count / all) * 100]),
        ),
        nonePercent: (none / all) * 100,
      };
    });
  });
}

/** Slices of a phase in which it is bottlenecked on none of its metric types. */
function freeSlices(
  states: Uint8Array,
  { from, length, types }: { readonly from: number; readonly length: number; readonly types: number },
): number {
  let free = 0;
  // Over slices, and so indexed directly (see `at`).
  for (let slice = 0; slice < length; slice += 1) {
    let type = 0;
    while (type < types && states[from + type * length + slice] === NO_BOTTLENECK) type += 1;
    if (type === types) free += 1;
  }
  return free;
}
