import type { PointRow } from './statistics.ts';

/** Times that differ by less are alike. */
export const ALIKE = 1.05;

/** A measured time, seconds, with its 90 % interval; null where its scatter is not known. */
export interface MeasuredTime {
  readonly seconds: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

export function measuredTime({ meanCt, interval }: Pick<PointRow, 'meanCt' | 'interval'>): MeasuredTime {
  return { seconds: meanCt, interval };
}

/** Whether two measured times differ by no more than is worth a word, or than visits of one setting differ. */
export function areAlike(a: MeasuredTime, b: MeasuredTime): boolean {
  return apart(a, b) < Math.log(ALIKE) || isWithinScatter(a, b);
}

/** Whether they differ by no more than visits of one setting do (90 %); of times whose scatter is not known only equal ones. */
export function isWithinScatter(a: MeasuredTime, b: MeasuredTime): boolean {
  return apart(a, b) <= Math.hypot(halfWidth(a), halfWidth(b));
}

function apart(a: MeasuredTime, b: MeasuredTime): number {
  return Math.abs(Math.log(a.seconds / b.seconds));
}

/** Of the interval of the time's logarithm. */
function halfWidth({ interval }: MeasuredTime): number {
  return interval === null ? 0 : Math.log(interval.high / interval.low) / 2;
}
