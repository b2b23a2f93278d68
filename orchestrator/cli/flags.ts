import { asSeconds, badInput, type Seconds } from '../../base/index.ts';

/** Flags that may be left out. */
export type Optional<Names extends string> = { readonly [Name in Names]?: string };

/** What a flag says; undefined without it. */
export function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/** `90`, `90s`, `10m`, `2h` -> seconds, above 0. */
export function parseSeconds(text: string, what: string): Seconds {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(s|m|h)?\s*$/.exec(text);
  const value = Number(match?.[1]) * { s: 1, m: 60, h: 3600 }[(match?.[2] ?? 's') as 's' | 'm' | 'h'];
  if (!match || !(value > 0)) throw badInput(`${what}: '${text}' is no time: write for example 90, 90s, 10m or 2h.`);
  return asSeconds(value);
}

export function parseCount(text: string, what: string, least = 1): number {
  if (!/^\s*\d+\s*$/.test(text) || Number(text) < least) {
    throw badInput(`${what}: '${text}' is not a whole number of at least ${least}.`);
  }
  return Number(text);
}

/** A number above 0. */
export function parseNumber(text: string, what: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw badInput(`${what}: '${text}' is no number above 0.`);
  return value;
}
