import { median } from 'simple-statistics';
import { ascending } from '../../base/index.ts';
import type { Facts } from '../data.ts';

/** Begins the name of a choice among all forms that was made without the node counts that it is asked for. */
export const BLIND = 'auto: ';

/** How far the first model missed node counts that were kept from it; undefined where none were. */
export function missOf({ check }: Pick<Facts, 'check'>) {
  const heldOut = (check?.rows ?? []).filter((row) => row.set === 'heldOut');
  const model = heldOut[0]?.model;
  if (check === null || model === undefined) return undefined;
  const rows = heldOut.filter((row) => row.model === model);
  return {
    model: model.startsWith(BLIND)
      ? `the model chosen there (${shortTitle(model.slice(BLIND.length))})`
      : shortTitle(model),
    rows,
    medianPercent: median(rows.map((row) => Math.abs(row.errorPercent))),
    trainedOn: check.trainedOn,
    heldOut: ascending(rows.map((row) => row.nodes)),
  };
}

/** `Eq 6` of `Eq 6, refined model`: for use inside a sentence. */
export function shortTitle(title: string): string {
  return title.split(',')[0] ?? title;
}
