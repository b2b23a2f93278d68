/** How many inputs a comparison with plain references takes: PREDICT_TIMES=10 makes it ten times as many. */
export function times(runs: number): number {
  return runs * Number(process.env.PREDICT_TIMES ?? 1);
}
