const FACTOR = Number(process.env.PREDICT_TIMES ?? 0.6);

/** Whether there is time for cases that tell little more than those that are always tried: `npm run test:long`. */
export const isLong = FACTOR > 1;

/** How many inputs are drawn for a property: of so many six in ten, and with PREDICT_TIMES=10, as `npm run test:long` has it, ten times as many. */
export function times(runs: number): number {
  return Math.ceil(runs * FACTOR);
}
