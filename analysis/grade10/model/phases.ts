import { refuseMore, SIZES } from '../../../base/bounds.ts';
import { at } from '../../../base/lists.ts';
import { checkLengths, checkParent, checkSiblings, checkTimes } from './check-phases.ts';
import type { PhaseColumns, Phases } from './phase-columns.ts';
import { childPath } from './phase-path.ts';
import { byType, childrenOf, groupsOf, rootOf } from './phase-tree.ts';
import type { PhaseTypes } from './phase-types.ts';

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
  const path = (row: number): string => pathOfRow({ types, type, parent, id }, row);
  const root = rootOf(columns);
  const firstSlice = sliceBoundary(at(startNs, root), timesliceNs);
  const [first, length] = [new Int32Array(count), new Int32Array(count)];
  for (const row of topDown) {
    checkParent(columns, { row, types });
    checkTimes(columns, { row, path });
    // Before anything is made per slice: all that lives in the job lives in the root's.
    if (row === root)
      refuseSlices(sliceBoundary(at(endNs, row), timesliceNs) - firstSlice, { of: 'The job', timesliceNs });
    const boundary = sliceBoundary(at(startNs, row), timesliceNs);
    first[row] = boundary - firstSlice;
    length[row] = sliceBoundary(at(endNs, row), timesliceNs) - boundary;
  }
  checkSiblings(columns, groups, { types, path });
  return { count, root, type, parent, id, first, length, ...tree, groups, topDown, firstSlice };
}

/** Refuses more slices than memory holds; `of` begins the sentence. */
export function refuseSlices(
  count: number,
  { of, timesliceNs }: { readonly of: string; readonly timesliceNs: number },
): void {
  refuseMore(count, SIZES.slices, {
    what: `${of} would take ${count} slices of ${timesliceNs} ns`,
    help: 'give a longer time slice',
  });
}

/** `/Execute/Superstep[superstep=3]` of a row. */
export function phasePath(phases: Phases, types: PhaseTypes, row: number): string {
  return pathOfRow({ ...phases, types }, row);
}

function pathOfRow(
  { types, type, parent, id }: Pick<PhaseColumns, 'type' | 'parent' | 'id'> & { readonly types: PhaseTypes },
  row: number,
): string {
  const above = at(parent, row);
  if (above < 0 || above >= type.length) return '/';
  const own = at(type, row);
  const name = at(types.names, own);
  return childPath(
    pathOfRow({ types, type, parent, id }, above),
    types.repeats[own] === 'none' ? name : `${name}[${types.keys[own] ?? 'key'}=${at(id, row)}]`,
  );
}

/** Whether a phase has no subphases. */
export function isLeaf({ childStart }: Pick<Phases, 'childStart'>, phase: number): boolean {
  return childStart[phase] === childStart[phase + 1];
}

/**
 * The slice boundary nearest to a time: what lies in (start, end] covers the slices `sliceBoundary(start)` up to and without
 * `sliceBoundary(end)`. Slice k = [kT, (k+1)T) counts when its midpoint is after the start and not after the end, so
 * that a stretch shorter than a slice either fills one or vanishes, and touching stretches never share or lose a slice.
 */
export function sliceBoundary(timeNs: number, timesliceNs: number): number {
  const remainder = timeNs % timesliceNs;
  const rest = remainder < 0 ? remainder + timesliceNs : remainder;
  // The subtraction first: dividing large numbers could round up to the next slice.
  return (timeNs - rest) / timesliceNs + (2 * rest >= timesliceNs ? 1 : 0);
}

/** Where each phase's stretch begins in one long array: `start[p]`, and the sum of all as the last element. */
export function offsets(count: number, sizeOf: (phase: number) => number): Uint32Array {
  const start = new Uint32Array(count + 1);
  let total = 0;
  for (let phase = 0; phase < count; phase += 1) {
    start[phase] = total;
    total += sizeOf(phase);
  }
  if (total > 2 ** 32 - 1) throw new RangeError(`${total} phase-slices are more than one array can hold`);
  start[count] = total;
  return start;
}
