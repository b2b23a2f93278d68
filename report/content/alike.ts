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

/** Whether two measured times differ by no more than is worth a word, or than visits of one setting differ (90 %). */
export function areAlike(a: MeasuredTime, b: MeasuredTime): boolean {
  const apart = Math.abs(Math.log(a.seconds / b.seconds));
  return apart < Math.log(ALIKE) || apart <= Math.hypot(halfWidth(a), halfWidth(b));
}

/** Of the interval of the time's logarithm. */
function halfWidth({ interval }: MeasuredTime): number {
  return interval === null ? 0 : Math.log(interval.high / interval.low) / 2;
}
