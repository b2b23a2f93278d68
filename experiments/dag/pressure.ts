/** Below this share of waiting, what an instance waits for says nothing. */
const LEAST_WAITING = 0.05;
/** Of what equals it the last digits of a sum must not make less. */
const ROUNDING = 1e-12;

/** Share of an instance's waiting that it is blocked writing to one edge; 0 where it hardly waits at all. */
export function pressureOf(blocked: number, waiting: number): number {
  return waiting < LEAST_WAITING - ROUNDING ? 0 : Math.min(1, blocked / waiting);
}
