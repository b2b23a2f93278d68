/** The ends of an interval; null is an end without a bound. */
export interface Ends {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The ends of an interval, the unit once where both have it: `366 to 480 ms`. For columns whose head names the level; a sentence
 * takes `estimateText`. An end of null is written as `unbounded`.
 */
export function endsText({ low, high }: Ends, show: (value: number) => string, unbounded = '?'): string {
  const [from, to] = [low, high].map((end) => (end === null ? unbounded : show(end))) as [string, string];
  const unit = unitOf(from);
  return `${unit !== '' && unit === unitOf(to) ? from.slice(0, -unit.length) : from} to ${to}`;
}

/** An interval with its level (a probability): `90 % interval 366 to 480 ms`. */
export function intervalText(
  ends: Ends,
  show: (value: number) => string,
  { level = 0.9, unbounded }: { readonly level?: number; readonly unbounded?: string } = {},
): string {
  return `${Math.round(level * 100)} % interval ${endsText(ends, show, unbounded)}`;
}

/** A value with its interval: `412 ms (90 % interval 366 to 480 ms)`; the value alone where an end is not known. */
export function estimateText(
  { value, ...ends }: Ends & { readonly value: number | null },
  show: (value: number) => string,
  level = 0.9,
): string {
  if (value === null) return 'unknown';
  return ends.low === null || ends.high === null
    ? show(value)
    : `${show(value)} (${intervalText(ends, show, { level })})`;
}

/** ` ms` of `366 ms`; nothing of a text with several numbers, such as `1 min 30 s`. */
function unitOf(text: string): string {
  return /^[−-]?[\d.,\u202f]+(\s?[^\d\s.,\u202f][^\d]*)$/u.exec(text)?.[1] ?? '';
}
