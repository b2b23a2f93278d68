import { at, own } from '../../base/lists.ts';
import { type Markup, palette, raw } from '../html.ts';

/** One colour per component of the time, the same in every figure. */
export interface PartInks {
  /** A CSS variable. */
  of(name: string): string;
  /** Definitions for the light and the dark page. */
  readonly css: Markup;
}

/** Components that every page names alike; others take what is left in their order. */
const KNOWN: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  cpu: ['#c8553d', '#ff9a76'],
  network: ['#2f6db5', '#7db4ff'],
  waiting: ['#8d8aa3', '#a9a6c4'],
  unexplained: ['#d9dad3', '#3b4452'],
};
const OTHERS: readonly (readonly [light: string, dark: string])[] = [
  ['#3f8f5b', '#7fd19b'],
  ['#b58a1f', '#ecc765'],
  ['#8a4fa3', '#d29bea'],
  ['#2a8c93', '#6fd0d6'],
];

export function partInks(names: readonly string[]): PartInks {
  const free = names.filter((name) => own(KNOWN, name) === undefined);
  const colours = names.map((name) => own(KNOWN, name) ?? at(OTHERS, free.indexOf(name) % OTHERS.length));
  const rules = (page: 0 | 1): string => colours.map((pair, index) => `--part-${index}:${pair[page]};`).join('');
  const css = raw(palette(rules(0), rules(1)));
  return { of: (name) => (names.includes(name) ? `var(--part-${names.indexOf(name)})` : 'var(--soft)'), css };
}

/** Keys of one meaning in shades of its colour: the first in full, each further one paler. */
export function shadedInks(
  keys: readonly { readonly name: string; readonly meaning: string }[],
  inks: PartInks,
): Pick<PartInks, 'of'> {
  const shades = new Map(
    keys.map(({ name, meaning }, index) => {
      const before = keys.slice(0, index).filter((one) => one.meaning === meaning).length;
      const ink = inks.of(meaning);
      return [name, before === 0 ? ink : `color-mix(in srgb,${ink} ${Math.round(100 * 0.62 ** before)}%,var(--card))`];
    }),
  );
  return { of: (name) => shades.get(name) ?? 'var(--soft)' };
}
