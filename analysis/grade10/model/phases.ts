import { checkLengths, checkParent, checkSiblings, checkTimes } from './check-phases.ts';
import { childPath } from './path.ts';
import { byType, childrenOf, groupsOf, rootOf } from './phase-tree.ts';
import type { PhaseTypes } from './phase-types.ts';
import { sliceBoundary } from './slices.ts';

/** The phases of one job as logged, one row each, in any order. Columns of equal length. */
export interface PhaseColumns {
  /** Index into the phase types. */
  readonly type: Uint32Array;
  /** The parent's row; -1 for the root. */
  readonly parent: Int32Array;
  /** What tells a phase from its siblings of the same type; empty for types that occur once. */
  readonly id: readonly string[];
  /** Nanoseconds since any origin that all columns of a model share; whole numbers below 2^53. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
}

/** The children of one type under a phase. */
export interface SubphaseRows {
  readonly type: number;
  readonly phases: Uint32Array;
}

/** The execution model of one job (section 4.3.1.1): rows as given, times in slices since the job's first. */
export interface Phases {
  readonly count: number;
  readonly root: number;
  readonly type: Uint32Array;
  readonly parent: Int32Array;
  readonly id: readonly string[];
  readonly first: Int32Array;
  /** Slices; 0 for a phase that covers no slice's midpoint. */
  readonly length: Int32Array;
  /** Children of row p: `children` from `childStart[p]` to `childStart[p + 1]`, grouped by type. None: a leaf. */
  readonly childStart: Uint32Array;
  readonly children: Uint32Array;
  /** The same per row and type. */
  readonly groups: readonly (readonly SubphaseRows[])[];
  /** Every row after its parent. */
  readonly topDown: Uint32Array;
}

/**
 * Checks the rows against their types and each other and turns times into slices. Errors: badInput for unknown types, a
 * missing or second root, missing parents, duplicates, ends before starts and children outside their parents.
 */
export function createPhases(
  columns: PhaseColumns,
  { types, timesliceNs }: { readonly types: PhaseTypes; readonly timesliceNs: number },
): Phases & { readonly firstSlice: number } {
  const { type, parent, id, startNs, endNs } = columns;
  const count = type.length;
  checkLengths(columns);
  const topDown = byType(type, types);
  const tree = childrenOf(columns, topDown);
  const groups = groupsOf(type, tree);
  const path = (row: number): string => pathOf({ types, type, parent, id }, row);
  const root = rootOf(columns);
  const firstSlice = sliceBoundary(startNs[root] ?? 0, timesliceNs);
  const [first, length] = [new Int32Array(count), new Int32Array(count)];
  for (const row of topDown) {
    checkParent(columns, { row, types });
    checkTimes(columns, { row, path });
    const boundary = sliceBoundary(startNs[row] ?? 0, timesliceNs);
    first[row] = boundary - firstSlice;
    length[row] = sliceBoundary(endNs[row] ?? 0, timesliceNs) - boundary;
  }
  checkSiblings(columns, { groups, types, path });
  return { count, root, type, parent, id, first, length, ...tree, groups, topDown, firstSlice };
}

/** `/Execute/Superstep[superstep=3]` of a row. */
export function phasePath(phases: Phases, types: PhaseTypes, row: number): string {
  return pathOf({ ...phases, types }, row);
}

function pathOf(
  { types, type, parent, id }: Pick<PhaseColumns, 'type' | 'parent' | 'id'> & { readonly types: PhaseTypes },
  row: number,
): string {
  const above = parent[row] ?? -1;
  if (above < 0 || above >= type.length) return '/';
  const own = type[row] ?? 0;
  const [name, suffix] = [types.names[own] ?? '', id[row] ?? ''];
  const repeats = types.repeats[own] !== 'none';
  return childPath(
    pathOf({ types, type, parent, id }, above),
    repeats ? `${name}[${types.keys[own] ?? 'key'}=${suffix}]` : name,
  );
}

/** Whether a phase has no subphases. */
export function isLeaf({ groups }: Pick<Phases, 'groups'>, phase: number): boolean {
  return groups[phase]?.length === 0;
}
