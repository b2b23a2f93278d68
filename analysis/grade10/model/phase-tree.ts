import { badInput } from '../../../base/index.ts';
import type { PhaseTypes } from './phase-types.ts';
import type { PhaseColumns, Phases, SubphaseRows } from './phases.ts';

/** Rows in order of their types: as types are numbered parents first, so are rows. Errors: badInput for unknown types. */
export function byType(type: Uint32Array, types: PhaseTypes): Uint32Array {
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

/** Each row's children, in the order of `topDown` and so by type. */
export function childrenOf({ parent }: PhaseColumns, topDown: Uint32Array): Tree {
  const childStart = new Uint32Array(parent.length + 1);
  for (const above of parent) if (above >= 0) childStart[above + 1] = (childStart[above + 1] ?? 0) + 1;
  const rows = topDown.filter((row) => (parent[row] ?? -1) >= 0);
  const children = scatter(childStart, { rows, keyOf: (row) => parent[row] ?? 0 });
  return { childStart, children };
}

/** The same, type by type. */
export function groupsOf(type: Uint32Array, { childStart, children }: Tree): Phases['groups'] {
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

/** The only row without a parent. */
export function rootOf({ parent }: PhaseColumns): number {
  const root = parent.indexOf(-1);
  if (root < 0) throw badInput('The phases have no root: log the whole job as the phase /.');
  const second = parent.indexOf(-1, root + 1);
  if (second >= 0)
    throw badInput(`Rows ${root} and ${second} of the phases have no parent: only the phase / may have none.`);
  return root;
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
