import type { Model } from '../grade10/index.ts';
import { findTypesApart } from './overlapping-types.ts';
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
    const [above, type] = [phases.parent[row] ?? -1, phases.type[row] ?? 0];
    const [label, name] = [labelOf(row), phaseTypes.names[type] ?? ''];
    // What lies in a phase that had to move is named as if it had not: its lanes may well be free.
    const outer = context[above] ?? JOB;
    const inner = label === '' ? outer : outer === JOB ? label : `${outer} / ${label}`;
    context[row] = apart[type] === 1 ? `${inner} / ${name}` : inner;
    const wanted = context[row] === outer ? (lane[above] ?? JOB) : context[row];
    lane[row] = firstFree(candidates(wanted, name), row, { open, phases });
  }
  const names = [...open.keys()].sort((a, b) => Number(b === JOB) - Number(a === JOB) || byName(a, b));
  const indexOf = new Map(names.map((name, index) => [name, index]));
  return { names, of: Uint32Array.from(lane, (name) => indexOf.get(name) ?? 0), order };
}

/** What tells a concurrent phase's lane from others under the same parent; empty for others. */
function concurrentLabel({ phases, phaseTypes }: Model, row: number): string {
  const type = phases.type[row] ?? 0;
  if (phaseTypes.repeats[type] !== 'concurrent') return '';
  return `${phaseTypes.keys[type] ?? phaseTypes.names[type] ?? ''} ${phases.id[row] ?? ''}`;
}

/** Depth first, children that end first first, then stably by first slice: so phases of no slices come before what follows. */
function inOrderOfTime({ phases }: Model): Uint32Array {
  const { first, length, children, childStart } = phases;
  const order = new Uint32Array(phases.count);
  let count = 0;
  const visit = (row: number): void => {
    order[count] = row;
    count += 1;
    const own = children.slice(childStart[row] ?? 0, childStart[row + 1] ?? 0);
    own.sort((a, b) => (first[a] ?? 0) - (first[b] ?? 0) || (length[a] ?? 0) - (length[b] ?? 0));
    for (const child of own) visit(child);
  };
  visit(phases.root);
  return order.sort((a, b) => (first[a] ?? 0) - (first[b] ?? 0));
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
    while (going.length > 0 && endOf(phases, going.at(-1) ?? 0) <= (phases.first[row] ?? 0)) going.pop();
    const innermost = going.at(-1);
    if (innermost !== undefined && !isAncestor(phases, innermost, row)) continue;
    going.push(row);
    return name;
  }
}

function isAncestor({ parent }: Model['phases'], above: number, row: number): boolean {
  for (let at = parent[row] ?? -1; at >= 0; at = parent[at] ?? -1) if (at === above) return true;
  return false;
}

function endOf({ first, length }: Model['phases'], row: number): number {
  return (first[row] ?? 0) + (length[row] ?? 0);
}
