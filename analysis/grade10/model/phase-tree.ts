import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { PhaseColumns, Phases, SubphaseRows } from './phase-columns.ts';
import type { PhaseTypes } from './phase-types.ts';

/** Rows in order of their types: as types are numbered parents first, so are rows. Errors: badInput for unknown types. */
export function byType(type: Uint32Array, types: PhaseTypes): Uint32Array {
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
export function childrenOf({ parent }: PhaseColumns, topDown: Uint32Array): Tree {
  const rows = topDown.filter((row) => at(parent, row) >= 0 && at(parent, row) < parent.length);
  const { start, sorted } = scatter(rows, { keys: parent, count: parent.length });
  return { childStart: start, children: sorted };
}

/** Shared, as most phases are leaves. */
const NO_GROUPS: readonly SubphaseRows[] = [];

/** The same, type by type. */
export function groupsOf(type: Uint32Array, { childStart, children }: Tree): Phases['groups'] {
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
export function rootOf({ parent }: PhaseColumns): number {
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
