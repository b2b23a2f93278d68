import { badInput, formatRange } from '../../base/index.ts';
import { type Coordinates, distinct, indicesAt, type Variable } from '../rows.ts';
import type { Form } from './form.ts';

/** One value for some variables; the rest may have any. */
export type Selection = { readonly [V in Variable]?: number };

/** How each variable is called in messages, and the flag that picks one value. */
export const VARIABLES: Readonly<Record<Variable, { readonly label: string; readonly flag: string }>> = {
  bw: { label: 'bandwidth', flag: '--bw' },
  scale: { label: 'scale', flag: '--scale' },
  nodes: { label: 'node count', flag: '--at-nodes' },
};

/**
 * The places of the rows or cells that a model can be fitted to. What the model holds fixed must have one value: the
 * caller's, the only one there is, or for the bandwidth 100 %. Otherwise an error says which flag picks one.
 */
export function selectFor(model: Form, table: Coordinates, at: Selection): number[] {
  if (table.length === 0) throw badInput('There are no rows to fit a model to.');
  const resolved: { [V in Variable]?: number } = { ...at };
  let indices = indicesAt(table, resolved);
  if (indices.length === 0) throw nothingSelected(table, at);
  // The bandwidth comes first: its default may leave a single scale.
  for (const variable of ['bw', 'scale', 'nodes'] as const) {
    if (resolved[variable] !== undefined || !model.fixed.includes(variable)) continue;
    const values = distinctOf(table[variable], indices);
    if (values.length === 1) continue;
    if (variable !== 'bw' || !values.includes(100)) {
      const { label, flag } = VARIABLES[variable];
      throw badInput(
        `${model.title}, holds the ${label} fixed, but the rows have ${formatRange(values)}: pick one, such as ${flag} ${values.at(-1)}.`,
      );
    }
    resolved.bw = 100;
    indices = indicesAt(table, resolved);
  }
  return indices;
}

/** The places that meet a selection, whatever the model: an error when there are none. */
export function indicesOf(table: Coordinates, at: Selection): number[] {
  const indices = indicesAt(table, at);
  if (indices.length > 0) return indices;
  throw table.length === 0 ? badInput('There are no rows to fit a model to.') : nothingSelected(table, at);
}

function nothingSelected(table: Coordinates, at: Selection): Error {
  const wanted = (['scale', 'bw', 'nodes'] as const).filter((variable) => at[variable] !== undefined);
  const missing = wanted.find((variable) => !table[variable].includes(at[variable] ?? Number.NaN));
  if (missing) {
    const { label, flag } = VARIABLES[missing];
    return badInput(
      `No row has the ${label} ${at[missing]} (${flag}): the rows have ${formatRange(distinct(table, missing))}.`,
    );
  }
  const flags = wanted.map((variable) => `${VARIABLES[variable].flag} ${at[variable]}`).join(' ');
  return badInput(`No row has all of ${flags} at once: drop one of them.`);
}

function distinctOf(column: Float64Array, indices: readonly number[]): number[] {
  return [...new Set(indices.map((index) => column[index] ?? Number.NaN))].sort((a, b) => a - b);
}
