import { badInput } from '../../../base/errors.ts';
import type { Activities, Slice } from '../activities.ts';

/** More are no profile that anybody reads. */
const MOST_SLICES = 1_000_000;

/** From the first birth to the last end of a worker. Errors: badInput where no worker runs. */
export function wholeSlice({ bornNs, goneNs }: Activities): Slice {
  let [startNs, endNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const born of bornNs) startNs = Math.min(startNs, born);
  for (const gone of goneNs) endNs = Math.max(endNs, gone);
  if (!(startNs < endNs)) throw badInput('No worker is active here, so there is no critical path.');
  return { startNs, endNs };
}

/** A slice in parts of so many ns, the last one may be shorter. Errors: badInput for more than a million. */
export function slicesOf({ startNs, endNs }: Slice, lengthNs: number): Slice[] {
  const count = Math.ceil((endNs - startNs) / lengthNs);
  if (count > MOST_SLICES) {
    throw badInput(
      `Slices of ${lengthNs} ns divide this trace into ${count} slices: use longer ones, at most ${MOST_SLICES} slices are allowed.`,
    );
  }
  return Array.from({ length: count }, (_, index) => ({
    startNs: startNs + index * lengthNs,
    endNs: Math.min(endNs, startNs + (index + 1) * lengthNs),
  }));
}
