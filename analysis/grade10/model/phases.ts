import { badInput } from '../../../base/index.ts';
import { childPath } from './path.ts';
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
    const [start, end, above] = [startNs[row] ?? Number.NaN, endNs[row] ?? Number.NaN, parent[row] ?? -1];
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
      const times = `${start} and ${end}`;
      throw badInput(`${path(row)} has the times ${times}: give whole nanoseconds below 2^53 since a common origin.`);
    }
    if (end < start) {
      throw badInput(`${path(row)} ends at ${end} ns, before it starts at ${start} ns: correct its log or clock.`);
    }
    const [outerStart, outerEnd] = [startNs[above] ?? start, endNs[above] ?? end];
    if (start < outerStart || end > outerEnd) {
      const [inner, outer] = [`${start}-${end} ns`, `${outerStart}-${outerEnd} ns`];
      throw badInput(
        `${path(row)} (${inner}) reaches outside ${path(above)} (${outer}): correct the clocks or clip it.`,
      );
    }
    const boundary = sliceBoundary(start, timesliceNs);
    first[row] = boundary - firstSlice;
    length[row] = sliceBoundary(end, timesliceNs) - boundary;
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

function checkLengths({ type, parent, id, startNs, endNs }: PhaseColumns): void {
  const lengths = [type.length, parent.length, id.length, startNs.length, endNs.length];
  if (new Set(lengths).size > 1) {
    throw badInput(
      `The columns of phases have ${lengths.join(', ')} rows: give type, parent, id, start and end for each.`,
    );
  }
}

/** Counting sort: types are numbered parents first, so rows in order of type are too. */
function byType(type: Uint32Array, types: PhaseTypes): Uint32Array {
  const start = new Uint32Array(types.count + 1);
  for (const [row, value] of type.entries()) {
    if (value >= types.count) {
      throw badInput(
        `Row ${row} of the phases has type ${value}: the execution model has types 0 to ${types.count - 1}.`,
      );
    }
    start[value + 1] = (start[value + 1] ?? 0) + 1;
  }
  return scatter(start, { rows: type.keys(), keyOf: (row) => type[row] ?? 0 });
}

type Tree = Pick<Phases, 'childStart' | 'children'>;

function childrenOf({ parent }: PhaseColumns, topDown: Uint32Array): Tree {
  const childStart = new Uint32Array(parent.length + 1);
  for (const above of parent) if (above >= 0) childStart[above + 1] = (childStart[above + 1] ?? 0) + 1;
  const rows = topDown.filter((row) => (parent[row] ?? -1) >= 0);
  const children = scatter(childStart, { rows, keyOf: (row) => parent[row] ?? 0 });
  return { childStart, children };
}

function groupsOf(type: Uint32Array, { childStart, children }: Tree): Phases['groups'] {
  return Array.from(type, (_, row) => {
    const [groups, last]: [SubphaseRows[], number] = [[], childStart[row + 1] ?? 0];
    let from = childStart[row] ?? 0;
    for (let at = from + 1; at <= last; at += 1) {
      const own = type[children[from] ?? 0] ?? 0;
      if (at < last && type[children[at] ?? 0] === own) continue;
      groups.push({ type: own, phases: children.subarray(from, at) });
      from = at;
    }
    return groups;
  });
}

/** Turns counts (at key + 1) into starts, in place, and lists the rows by key, keeping their order. */
function scatter(
  start: Uint32Array,
  { rows, keyOf }: { readonly rows: Iterable<number>; readonly keyOf: (row: number) => number },
): Uint32Array {
  for (let key = 1; key < start.length; key += 1) start[key] = (start[key] ?? 0) + (start[key - 1] ?? 0);
  const next = start.slice();
  const sorted = new Uint32Array(start.at(-1) ?? 0);
  for (const row of rows) {
    const key = keyOf(row);
    sorted[next[key] ?? 0] = row;
    next[key] = (next[key] ?? 0) + 1;
  }
  return sorted;
}

function rootOf({ parent }: PhaseColumns): number {
  const root = parent.indexOf(-1);
  if (root < 0) throw badInput('The phases have no root: log the whole job as the phase /.');
  const second = parent.indexOf(-1, root + 1);
  if (second >= 0)
    throw badInput(`Rows ${root} and ${second} of the phases have no parent: only the phase / may have none.`);
  return root;
}

function checkParent(
  { type, parent }: PhaseColumns,
  { row, types }: { readonly row: number; readonly types: PhaseTypes },
): void {
  const [own, above] = [type[row] ?? 0, parent[row] ?? -1];
  const wanted = types.parents[own] ?? -1;
  const found = above < 0 ? -1 : (type[above] ?? -2);
  if (found === wanted) return;
  const name = types.paths[own] ?? '';
  const received =
    found === -2
      ? `row ${above}, which does not exist`
      : above < 0
        ? 'no parent'
        : `row ${above} of type ${types.paths[found] ?? ''}`;
  throw badInput(
    `Row ${row} of the phases, a ${name}, lies under ${received}: give it a parent of type ${types.paths[wanted] ?? ''}.`,
  );
}

function checkSiblings(
  { id }: PhaseColumns,
  {
    groups,
    types,
    path,
  }: {
    readonly groups: readonly (readonly SubphaseRows[])[];
    readonly types: PhaseTypes;
    readonly path: (row: number) => string;
  },
): void {
  for (const { type, phases } of groups.flat()) {
    if (phases.length < 2) continue;
    const seen = new Set<string>();
    for (const phase of phases) {
      const name = types.repeats[type] === 'none' ? '' : (id[phase] ?? '');
      if (seen.has(name)) {
        throw badInput(`The phase ${path(phase)} is listed twice: remove one or give them different ids.`);
      }
      seen.add(name);
    }
  }
}

/** Whether a phase has no subphases. */
export function isLeaf({ groups }: Pick<Phases, 'groups'>, phase: number): boolean {
  return groups[phase]?.length === 0;
}
