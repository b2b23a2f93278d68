import { at, last } from '../base/lists.ts';
import { joinWords } from '../base/text.ts';
import { formatSeconds, trimNumber } from '../base/units.ts';

/** Shown where there is no number. */
export const NONE = '–';

/** At most three significant digits, thousands apart; a dash for what is no number. */
export function number(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7)) return exponent(value);
  return Math.abs(value) >= 1000 ? grouped(Math.round(value)) : minus(trimNumber(value));
}

/** A fixed number of decimals, for columns that align. */
export function fixed(value: number | null, decimals: number): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const text = Math.abs(value).toFixed(decimals);
  const [whole = '', rest] = text.split('.');
  const sign = value < 0 && Number(text) !== 0 ? '−' : '';
  return sign + grouped(Number(whole)) + (rest === undefined ? '' : `.${rest}`);
}

/** The decimals with which the smallest value of a column keeps three significant digits, at most five. */
export function decimalsFor(values: readonly (number | null)[]): number {
  const sizes = values.filter((value): value is number => value !== null && Number.isFinite(value) && value !== 0);
  if (sizes.length === 0) return 0;
  const least = Math.min(...sizes.map(Math.abs));
  return Math.min(5, Math.max(0, 2 - Math.floor(Math.log10(least))));
}

export function formatPercent(value: number | null): string {
  return value === null || !Number.isFinite(value) ? NONE : `${number(value)}\u202f%`;
}

/** With a sign: for errors, drift and increments. */
export function signedPercent(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NONE;
  const text = fixed(value, Math.abs(value) < 100 ? 1 : 0);
  return `${value > 0 && /[1-9]/.test(text) ? '+' : ''}${text}\u202f%`;
}

export function seconds(value: number | null): string {
  return value === null || !Number.isFinite(value) ? NONE : formatSeconds(value);
}

/** 4, 9, 16 and 25 */
export function list(values: readonly (number | string)[]): string {
  const words = values.map((value) => (typeof value === 'number' ? number(value) : value));
  return words.length === 0 ? NONE : joinWords(words);
}

/** Every value of a short sweep, the ends of a long one. */
export function sweep(values: readonly number[], unit = ''): string {
  if (values.length === 0) return NONE;
  if (values.length <= 8) return list(values) + unit;
  return `${number(at(values, 0))} to ${number(last(values))}${unit} (${values.length} values)`;
}

/** `search` -> `searches`. */
export function plural(noun: string): string {
  return `${noun}${/(?:s|x|ch|sh)$/.test(noun) ? 'es' : 's'}`;
}

/** `/Search[root=3]/Bfs/Level[level=2]` -> Search 3, Level 2; `/Search[root=3]/Bfs` -> Search 3, Bfs. */
export function phaseTitle(path: string): string {
  const steps = path.split('/').filter((step) => step !== '');
  const words = steps.flatMap((step, index) => {
    const [, name = step, key = '', id] = /^([^[]*)(?:\[([^=]*)=(.*)\])?$/.exec(step) ?? [];
    if (id === undefined) return index === steps.length - 1 ? [name] : [];
    // A host or another thing that is known by its name alone.
    return name === key && !/^\d+$/.test(id) ? [id] : [`${name} ${id}`];
  });
  return words.join(', ') || 'The job';
}

function grouped(value: number): string {
  return minus(String(value).replace(/\B(?=(?:\d{3}){1,6}$)/g, '\u202f'));
}

function exponent(value: number): string {
  return minus(value.toExponential(2).replace('e+', 'e'));
}

function minus(text: string): string {
  return text.replaceAll('-', '−');
}
