import { badInput } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import { formatRange } from '../../base/ranges.ts';
import { joinWords } from '../../base/text.ts';
import { type Coordinates, distinct, indicesAt, type Selection, type Variable } from '../rows.ts';
import type { Form } from './form.ts';

/** How each variable is called in messages. */
export const variableLabels = { bw: 'bandwidth', scale: 'scale', nodes: 'node count' } as const satisfies Record<
  Variable,
  string
>;

/**
 * The places of the rows or cells that a model can be fitted to. What the model holds fixed must have one value: the
 * caller's, the only one there is, or for the bandwidth 100 %. Otherwise an error asks to pick one.
 */
export function selectFor(model: Form, table: Coordinates, selection: Selection): number[] {
  let indices = indicesOf(table, selection);
  // The bandwidth comes first: its default may leave a single scale.
  for (const variable of ['bw', 'scale', 'nodes'] as const) {
    if (selection[variable] !== undefined || !model.fixed.includes(variable)) continue;
    const values = ascending(indices.map((index) => at(table[variable], index)));
    if (values.length === 1) continue;
    if (variable !== 'bw' || !values.includes(100)) {
      const label = variableLabels[variable];
      throw badInput(
        `${model.title}, has a fixed ${label}, but the rows have ${formatRange(values)}: choose one, such as ${label} ${values.at(-1)}.`,
      );
    }
    indices = indicesAt(table, { ...selection, bw: 100 });
  }
  return indices;
}

/** The places that meet a selection, whatever the model: an error when there are none. */
export function indicesOf(table: Coordinates, selection: Selection): number[] {
  const indices = indicesAt(table, selection);
  if (indices.length > 0) return indices;
  throw table.length === 0 ? badInput('There are no rows to fit a model to.') : nothingSelected(table, selection);
}

function nothingSelected(table: Coordinates, selection: Selection): Error {
  const wanted = (['scale', 'bw', 'nodes'] as const).flatMap((variable) => {
    const value = selection[variable];
    return value === undefined ? [] : [{ variable, value, text: `${variableLabels[variable]} ${value}` }];
  });
  const missing = wanted.find(({ variable, value }) => !table[variable].includes(value));
  return badInput(
    missing
      ? `No row has the ${missing.text}: the rows have ${formatRange(distinct(table, missing.variable))}.`
      : `No row has ${joinWords(wanted.map(({ text }) => text))} together: drop one of them.`,
  );
}
