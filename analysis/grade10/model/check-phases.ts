import { badInput } from '../../../base/index.ts';
import type { PhaseTypes } from './phase-types.ts';
import type { PhaseColumns, SubphaseRows } from './phases.ts';

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

/** Ends come after starts, and children lie within their parents. */
export function checkTimes(
  { parent, startNs, endNs }: PhaseColumns,
  { row, path }: { readonly row: number; readonly path: (row: number) => string },
): void {
  const [start, end, above] = [startNs[row] ?? Number.NaN, endNs[row] ?? Number.NaN, parent[row] ?? -1];
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
    const times = `${start} and ${end}`;
    throw badInput(`${path(row)} has the times ${times}: give whole nanoseconds below 2^53 since a common origin.`);
  }
  if (end < start) {
    throw badInput(`${path(row)} ends at ${end} ns, before it starts at ${start} ns: correct its log or clock.`);
  }
  const [outerStart, outerEnd] = [startNs[above] ?? start, endNs[above] ?? end];
  if (start >= outerStart && end <= outerEnd) return;
  const [inner, outer] = [`${start}-${end} ns`, `${outerStart}-${outerEnd} ns`];
  throw badInput(`${path(row)} (${inner}) reaches outside ${path(above)} (${outer}): correct the clocks or clip it.`);
}

/** Siblings of one type differ in their ids; types that occur once have one phase. */
export function checkSiblings(
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
