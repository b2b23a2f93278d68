import { refuseMore, SIZES } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { childPath, type PhaseTypes } from './phase-types.ts';

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

/** Rows in order of their types: as types are numbered parents first, so are rows. Errors: badInput for unknown types. */
function byType(type: Uint32Array, types: PhaseTypes): Uint32Array {
  const wrong = type.findIndex((value) => value >= types.count);
  if (wrong >= 0) {
    throw badInput(
      `Row ${wrong} of the phases has type ${type[wrong]}: the execution model has types 0 to ${types.count - 1}.`,
    );
  }
  return scatter(Uint32Array.from(type.keys()), { keys: type, count: types.count }).sorted;
}

type Tree = Pick<Phases, 'childStart' | 'children'>;

/** Each row's children, in the order of `topDown` and so by type. Rows of parents that do not exist are left for the checks. */
function childrenOf({ parent }: PhaseColumns, topDown: Uint32Array): Tree {
  const rows = topDown.filter((row) => at(parent, row) >= 0 && at(parent, row) < parent.length);
  const { start, sorted } = scatter(rows, { keys: parent, count: parent.length });
  return { childStart: start, children: sorted };
}

/** Shared, as most phases are leaves. */
const NO_GROUPS: readonly SubphaseRows[] = [];

/** The same, type by type. */
function groupsOf(type: Uint32Array, { childStart, children }: Tree): Phases['groups'] {
  return Array.from({ length: type.length }, (_, row) => {
    const last = at(childStart, row + 1);
    let from = at(childStart, row);
    if (from === last) return NO_GROUPS;
    const groups: SubphaseRows[] = [];
    for (let place = from + 1; place <= last; place += 1) {
      const own = at(type, at(children, from));
      if (place < last && type[at(children, place)] === own) continue;
      groups.push({ type: own, phases: children.subarray(from, place) });
      from = place;
    }
    return groups;
  });
}

/** The only row without a parent. */
function rootOf({ parent }: PhaseColumns): number {
  const root = parent.indexOf(-1);
  if (root < 0) throw badInput('The phases have no root: log the whole job as the phase /.');
  const second = parent.indexOf(-1, root + 1);
  if (second >= 0)
    throw badInput(`Rows ${root} and ${second} of the phases have no parent: only the phase / may have none.`);
  return root;
}

/** Rows sorted by their keys, keeping their order, and where each key's begin. */
function scatter(
  rows: Uint32Array,
  { keys, count }: { readonly keys: Uint32Array | Int32Array; readonly count: number },
): { readonly start: Uint32Array; readonly sorted: Uint32Array } {
  const start = new Uint32Array(count + 1);
  for (const row of rows) {
    const after = at(keys, row) + 1;
    start[after] = at(start, after) + 1;
  }
  for (let key = 1; key <= count; key += 1) start[key] = at(start, key) + at(start, key - 1);
  const next = start.slice();
  const sorted = new Uint32Array(rows.length);
  for (const row of rows) {
    const key = at(keys, row);
    const place = at(next, key);
    sorted[place] = row;
    next[key] = place + 1;
  }
  return { start, sorted };
}

/** All columns have as many rows. */
function checkLengths({ type, parent, id, startNs, endNs }: PhaseColumns): void {
  const lengths = [type.length, parent.length, id.length, startNs.length, endNs.length];
  if (new Set(lengths).size > 1) {
    throw badInput(
      `The columns of phases have ${lengths.join(', ')} rows: give type, parent, id, start and end for each.`,
    );
  }
}

/** A phase lies under a phase of its type's parent type. */
function checkParent(
  { type, parent }: PhaseColumns,
  { row, types }: { readonly row: number; readonly types: PhaseTypes },
): void {
  const own = at(type, row);
  const above = at(parent, row);
  const wanted = at(types.parents, own);
  const found = above < 0 ? -1 : type[above];
  if (found === wanted) return;
  const received =
    found === undefined
      ? `row ${above}, which does not exist`
      : above < 0
        ? 'no parent'
        : `row ${above} of type ${at(types.paths, found)}`;
  const asked = wanted < 0 ? 'no parent' : `a parent of type ${at(types.paths, wanted)}`;
  throw badInput(`Row ${row} of the phases, a ${at(types.paths, own)}, lies under ${received}: give it ${asked}.`);
}

/** Ends come after starts, and children lie within their parents. */
function checkTimes(
  { parent, startNs, endNs }: PhaseColumns,
  { row, path }: { readonly row: number; readonly path: (row: number) => string },
): void {
  const start = at(startNs, row);
  const end = at(endNs, row);
  const above = at(parent, row);
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
    const times = `${start} and ${end}`;
    throw badInput(`${path(row)} has the times ${times}: give whole nanoseconds below 2^53 since a common origin.`);
  }
  if (end < start) {
    throw badInput(`${path(row)} ends at ${end} ns, before it starts at ${start} ns: correct its log or clock.`);
  }
  if (above < 0) return;
  const outerStart = at(startNs, above);
  const outerEnd = at(endNs, above);
  if (start >= outerStart && end <= outerEnd) return;
  const [inner, outer] = [`${start}-${end} ns`, `${outerStart}-${outerEnd} ns`];
  throw badInput(`${path(row)} (${inner}) extends beyond ${path(above)} (${outer}): correct the clocks or clip it.`);
}

/** Siblings of one type differ in their ids; types that occur once have one phase. */
function checkSiblings(
  { id }: PhaseColumns,
  groups: Phases['groups'],
  { types, path }: { readonly types: PhaseTypes; readonly path: (row: number) => string },
): void {
  for (const own of groups) {
    for (const { type, phases } of own) {
      if (phases.length < 2) continue;
      const seen = new Set<string>();
      for (const phase of phases) {
        const name = types.repeats[type] === 'none' ? '' : at(id, phase);
        if (seen.has(name)) {
          throw badInput(`The phase ${path(phase)} is listed twice: remove one or give them different ids.`);
        }
        seen.add(name);
      }
    }
  }
}

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
