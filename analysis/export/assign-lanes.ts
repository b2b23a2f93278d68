import { at } from '../../base/lists.ts';
import type { Model } from '../grade10/model/create-model.ts';
import { byName } from './trace-events.ts';

/** Phases laid out side by side: on one lane they nest, and each lies within its ancestors only. */
export interface Lanes {
  /** As to be shown: `job` first. */
  readonly names: readonly string[];
  /** Per row, index into the names. */
  readonly of: Uint32Array;
  /** All rows by their first slices, ancestors before descendants. */
  readonly order: Uint32Array;
}

const JOB = 'job';

/**
 * Finds a lane for each phase: concurrent phases have one per id (`worker 2`, and within it `worker 2 / thread 5`), shared by
 * all types with the same key; what lies in them stays there; all else is on `job`. Types that overlap their siblings get the
 * lane's name with their own. Where phases overlap against their specification (clocks that differ), the later one moves on to
 * a lane with its type's name, then numbered ones.
 */
export function assignLanes(model: Model): Lanes {
  const { phases, phaseTypes } = model;
  const order = inOrderOfTime(model);
  const labelOf = (row: number): string => concurrentLabel(model, row);
  const apart = findTypesApart(model, labelOf);
  const [context, lane]: [string[], string[]] = [[], []];
  const open = new Map<string, number[]>();
  for (const row of order) {
    const [above, type] = [at(phases.parent, row), at(phases.type, row)];
    const [label, name] = [labelOf(row), at(phaseTypes.names, type)];
    // What lies in a phase that had to move is named as if it had not: its lanes may well be free.
    const outer = above < 0 ? JOB : at(context, above);
    const inner = label === '' ? outer : outer === JOB ? label : `${outer} / ${label}`;
    context[row] = apart[type] === 1 ? `${inner} / ${name}` : inner;
    const wanted = context[row] === outer ? (above < 0 ? JOB : at(lane, above)) : context[row];
    lane[row] = firstFree(candidates(wanted, name), row, { open, phases });
  }
  const names = [...open.keys()].sort((a, b) => Number(b === JOB) - Number(a === JOB) || byName(a, b));
  const indexOf = new Map(names.map((name, index) => [name, index]));
  return { names, of: Uint32Array.from(lane, (name) => indexOf.get(name) ?? 0), order };
}

/** What tells a concurrent phase's lane from others under the same parent; empty for others. */
function concurrentLabel({ phases, phaseTypes }: Model, row: number): string {
  const type = at(phases.type, row);
  if (phaseTypes.repeats[type] !== 'concurrent') return '';
  return `${phaseTypes.keys[type] ?? at(phaseTypes.names, type)} ${at(phases.id, row)}`;
}

/** Depth first, children that end first first, then stably by first slice: so phases of no slices come before what follows. */
function inOrderOfTime({ phases }: Model): Uint32Array {
  const { first, length, children, childStart } = phases;
  const order = new Uint32Array(phases.count);
  let count = 0;
  const visit = (row: number): void => {
    order[count] = row;
    count += 1;
    const own = children.slice(at(childStart, row), at(childStart, row + 1));
    own.sort((a, b) => at(first, a) - at(first, b) || at(length, a) - at(length, b));
    for (const child of own) visit(child);
  };
  visit(phases.root);
  return order.sort((a, b) => at(first, a) - at(first, b));
}

function* candidates(wanted: string, name: string): Generator<string, never> {
  yield wanted;
  const own = wanted.endsWith(` / ${name}`) ? wanted : `${wanted} / ${name}`;
  if (own !== wanted) yield own;
  for (let number = 2; ; number += 1) yield `${own} (${number})`;
}

/** The first lane on which nothing but ancestors of the phase is going on, and opens it there. */
function firstFree(
  names: Generator<string, never>,
  row: number,
  { open, phases }: { readonly open: Map<string, number[]>; readonly phases: Model['phases'] },
): string {
  for (;;) {
    const name = names.next().value;
    const going = open.get(name) ?? [];
    open.set(name, going);
    let innermost = going.at(-1);
    while (innermost !== undefined && endOf(phases, innermost) <= at(phases.first, row)) {
      going.pop();
      innermost = going.at(-1);
    }
    if (innermost !== undefined && !isAncestor(phases, innermost, row)) continue;
    going.push(row);
    return name;
  }
}

function isAncestor({ parent }: Model['phases'], above: number, row: number): boolean {
  for (let up = at(parent, row); up >= 0; up = at(parent, up)) if (up === above) return true;
  return false;
}

/**
 * Per phase type, 1 when it needs a lane of its own: phases of it overlap siblings of another type that would share theirs.
 * Types in order of precedence: of two that overlap, the one that comes first keeps the lane. Decided per type, so that all its
 * phases are found in the same place.
 */
function findTypesApart({ phases, phaseTypes }: Model, labelOf: (row: number) => string): Uint8Array {
  const overlaps = Array.from({ length: phaseTypes.count }, () => new Set<number>());
  for (const groups of phases.groups) {
    if (groups.length < 2) continue;
    const rows = groups.flatMap(({ phases: own }) => [...own]);
    rows.sort((a, b) => at(phases.first, a) - at(phases.first, b) || endOf(phases, a) - endOf(phases, b));
    const reached = new Map<string, Map<number, number>>();
    for (const row of rows) {
      const label = labelOf(row);
      const ends = reached.get(label) ?? new Map<number, number>();
      reached.set(label, ends);
      const type = at(phases.type, row);
      for (const [other, end] of ends) {
        if (other === type || end <= at(phases.first, row)) continue;
        at(overlaps, type).add(other);
        at(overlaps, other).add(type);
      }
      ends.set(type, Math.max(ends.get(type) ?? endOf(phases, row), endOf(phases, row)));
    }
  }
  const apart = new Uint8Array(phaseTypes.count);
  for (const siblings of phaseTypes.children) {
    const together: number[] = [];
    for (const type of siblings) {
      if (together.some((other) => at(overlaps, type).has(other))) apart[type] = 1;
      else together.push(type);
    }
  }
  return apart;
}

/** The slice after a phase's last. */
function endOf({ first, length }: Model['phases'], row: number): number {
  return at(first, row) + at(length, row);
}
