/**
 * A search's time in seconds at the best resolution that was printed: `%f` shows 1 us, TEPS shows six digits of
 * nedge / time. `null` when the two contradict each other, which means damaged output.
 */
export function recoverTime({
  time,
  teps,
  nedge,
}: {
  time: string;
  teps?: string;
  nedge: number | null;
}): number | null {
  const printed = Number(time);
  const rate = Number(teps);
  if (teps === undefined || nedge === null || !(rate > 0) || !(nedge > 0)) return printed;
  const recovered = nedge / rate;
  const step = resolution(time);
  // `%g` has six digits and drops trailing zeros, so the text may show fewer than are known.
  const error = recovered * 5e-6;
  if (Math.abs(recovered - printed) > step + 10 * error) return null;
  return error < step / 2 ? recovered : printed;
}

/** One unit of the last printed digit: 0.000135 -> 1e-6, 9.7866e-05 -> 1e-9. */
function resolution(text: string): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const decimals = mantissa.split('.')[1]?.length ?? 0;
  return 10 ** (Number(exponent) - decimals);
}
