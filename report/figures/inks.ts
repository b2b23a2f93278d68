import * as Plot from '@observablehq/plot';
import { ascending, at, own } from '../../base/lists.ts';
import { chooseValues } from '../content/main-setting.ts';
import { type Markup, palette, raw } from '../html.ts';

/** Which colour stands for which bandwidth, node count and scale, the same in every figure. Values are CSS variables. */
export interface Inks {
  bw(bw: number): Ink;
  nodes(nodes: number): Ink;
  scale(scale: number): Ink;
  /** Definitions for the light and the dark page, and the highlighting of a series from its legend. */
  readonly css: Markup;
}

export interface Ink {
  /** Class of the series' marks and name of its legend entry. */
  readonly id: string;
  readonly colour: string;
}

interface InksOptions {
  readonly bw: readonly number[];
  readonly nodes: readonly number[];
  /** Only where a figure has a series per scale. */
  readonly scales?: readonly number[];
}

// Lightness rises (light page: falls on the far end) along each ramp, so that the order survives colour blindness;
// every stop keeps a contrast of at least 3:1 against its page.
const BANDWIDTH = {
  light: ['#c26a00', '#cf3f4f', '#8f2f9e', '#1d3f99'],
  dark: ['#ffd27a', '#ff9e8f', '#d58cff', '#6f9dff'],
};
const NODES = {
  light: ['#7d8f00', '#2b9348', '#007f7a', '#003f3c'],
  dark: ['#e4f29a', '#8fdf9b', '#35c2a8', '#1f93a0'],
};

const SCALES = {
  light: ['#b5651d', '#a63d57', '#5b3f8c', '#1b2430'],
  dark: ['#ffc98a', '#ff9db3', '#c3a6ff', '#8fa6c4'],
};

/** Colours in even steps for the values that figures show, in between for the others. */
export function inksFor({ bw, nodes, scales: all = [] }: InksOptions): Inks {
  const bandwidths = ascending(bw);
  const sizes = ascending(nodes);
  const scales = ascending(all);
  const rules = (page: 'light' | 'dark'): string =>
    [
      ...define('bw', bandwidths, BANDWIDTH[page]),
      ...define('n', sizes, NODES[page]),
      ...define('s', scales, SCALES[page]),
    ].join('');
  const named = { bw: bandwidths, n: sizes, s: scales };
  const ids = Object.entries(named).flatMap(([prefix, values]) => values.map((_, index) => `${prefix}-${index}`));
  const css = raw(
    `${palette(rules('light'), rules('dark'))}${ids
      .map((id) => `figure:has(li[data-series="${id}"]:hover) .series:not(.${id}){opacity:.12}`)
      .join('')}`,
  );
  return {
    bw: (value) => inkOf('bw', bandwidths, value),
    nodes: (value) => inkOf('n', sizes, value),
    scale: (value) => inkOf('s', scales, value),
    css,
  };
}

function inkOf(prefix: string, values: readonly number[], value: number): Ink {
  const id = `${prefix}-${Math.max(0, values.indexOf(value))}`;
  return { id, colour: `var(--${id})` };
}

/** What no figure shows has the colour of the next value that one does. */
function define(prefix: string, values: readonly number[], ramp: readonly string[]): readonly string[] {
  const shown = chooseValues(values);
  const domain = ramp.map((_, stop) => stop / (ramp.length - 1));
  const colour = Plot.scale({ color: { type: 'linear', domain, range: ramp, interpolate: 'rgb' } });
  return values.map((value, index) => {
    const place = shown.findIndex((one) => one >= value);
    return `--${prefix}-${index}:${colour?.apply(shown.length < 2 ? 1 : place / (shown.length - 1))};`;
  });
}

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
