import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import type { PhaseColumns, Phases } from './phase-columns.ts';
import type { PhaseTypes } from './phase-types.ts';

/** All columns have as many rows. */
export function checkLengths({ type, parent, id, startNs, endNs }: PhaseColumns): void {
  const lengths = [type.length, parent.length, id.length, startNs.length, endNs.length];
  if (new Set(lengths).size > 1) {
    throw badInput(
      `The columns of phases have ${lengths.join(', ')} rows: give type, parent, id, start and end for each.`,
    );
  }
}

/** A phase lies under a phase of its type's parent type. */
export function checkParent(
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
export function checkTimes(
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
export function checkSiblings(
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
