import type { FlameFrame, FlameLayout, LeftOut } from '../../analysis/profiles/flame/layout-flame.ts';
import { printableLine } from '../../base/text.ts';
import { figure, type LegendEntry } from '../figures/figure.ts';
import { fixed, formatPercent, number } from '../format.ts';
import { html, type Markup, palette, raw } from '../html.ts';

/** Height of a level. */
const ROW = 20;
/** A name has one of so many tints. */
const TINTS = 6;
/** Shades each way from no change. */
const STEPS = 4;
/** The darkest shade is at least so large a change, so that noise stays pale. */
const LEAST_CHANGE = 0.02;

// Orange and blue differ for every kind of colour blindness, and in lightness from the grey between them; names keep a contrast of
// at least 4.5:1 on every box.
const LIGHT = {
  tint: ['#f7dcae', '#f4cba0', '#f1bb97', '#efd292', '#ebc6aa', '#f4c4a6'],
  up: ['#fde3c6', '#fbc58d', '#f5a452', '#ec8422'],
  down: ['#dbe8f6', '#b4d0ee', '#86b4e4', '#6a9fdb'],
  same: '#dcdfdd',
  text: '#1b2430',
};
const DARK = {
  tint: ['#5b4326', '#654a2c', '#6b4030', '#594a28', '#5f3d35', '#67502f'],
  up: ['#4a3a26', '#6a4a20', '#8a5718', '#a8620f'],
  down: ['#26374f', '#28496f', '#2a5b90', '#2f6cae'],
  same: '#363d47',
  text: '#f5f3ee',
};

/** Colours of both pages, and which names fit into a narrow one without any script. */
export const flameStyle: Markup = raw(
  [
    palette(variables(LIGHT), variables(DARK)),
    'svg.flame{display:block;width:100%;min-width:0!important;font:12px ui-sans-serif,system-ui,sans-serif}',
    'svg.flame .f>rect{fill:var(--flame)}svg.flame .f>text{fill:var(--flame-text);font-size:12px}',
    ...Array.from({ length: TINTS }, (_, index) => `.t${index}{--flame:var(--flame-tint-${index})}`),
    ...Array.from(
      { length: STEPS },
      (_, index) => `.u${index}{--flame:var(--flame-up-${index})}.d${index}{--flame:var(--flame-down-${index})}`,
    ),
    '.s{--flame:var(--flame-same)}.n0>text{display:none}',
    '@media (max-width:1000px){.n1>text{display:none}}@media (max-width:560px){.n2>text{display:none}}',
  ].join(''),
);

/** A figure of one profile, or of what changed since another. */
export function flameFigure(
  layout: FlameLayout,
  {
    title,
    note,
    unit,
    other = 'before',
  }: {
    readonly title: string;
    readonly note: string;
    readonly unit: string;
    /** What it is compared with, in a word or two. */
    readonly other?: string | undefined;
  },
): Markup {
  const change = largestChange(layout);
  return figure({
    title,
    note: [note, leftOutSentence(layout.leftOut), goneSentence(layout.gone, other)]
      .filter((text) => text !== '')
      .join(' '),
    legendTitle: change === null ? 'A box is a call path; its width is its share.' : 'Change of the share',
    legend: change === null ? [] : changeLegend(change, other),
    drawing: flameDrawing(layout, { label: title, unit, other }),
  });
}

/** The boxes as an SVG that runs no script: places in percent, so that it takes the width that it is given. */
export function flameDrawing(
  layout: FlameLayout,
  {
    label,
    unit,
    other = 'before',
    width = '100%',
  }: { readonly label: string; readonly unit: string; readonly other?: string; readonly width?: string },
): Markup {
  const change = largestChange(layout);
  const height = (layout.levels + 1) * ROW;
  return html`<svg xmlns="http://www.w3.org/2000/svg" class="flame" role="img" aria-label="${label}" width="${width}" height="${height}">
<svg class="f s n9" x="0" y="0" width="100%" height="${ROW - 1}" data-from="0" data-share="1"><title>all: ${number(layout.total)} ${unit}</title><rect width="100%" height="100%" rx="2"/><text x="5" y="13.5">all: ${number(layout.total)} ${unit}</text></svg>
${layout.frames.map((frame) => box(frame, { change, total: layout.total, unit, other }))}</svg>`;
}

function box(frame: FlameFrame, { change, ...words }: { readonly change: number | null } & Words): Markup {
  const name = printableLine(frame.name);
  const { from, share, level, before } = frame;
  const colour = change === null || before === null ? `t${tintOf(name)}` : shadeOf(share - before, change);
  const sign = colour.startsWith('u') ? '▲ ' : colour.startsWith('d') ? '▼ ' : '';
  const fits = share < 0.012 ? 'n0' : share < 0.03 ? 'n1' : share < 0.08 ? 'n2' : 'n9';
  return html`<svg class="f ${colour} ${fits}" x="${places(100 * from)}%" y="${(level + 1) * ROW}" width="${places(100 * share)}%" height="${ROW - 1}" data-from="${from.toFixed(7)}" data-share="${share.toFixed(7)}"><title>${name}
${told(frame, words)}</title><rect width="100%" height="100%" rx="2"/><text x="5" y="13.5">${sign}${name}</text></svg>
`;
}

interface Words {
  readonly total: number;
  readonly unit: string;
  readonly other: string;
}

function told({ share, ownShare, before }: FlameFrame, { total, unit, other }: Words): string {
  const here = `${formatPercent(100 * share)} (${number(share * total)} ${unit}), ${formatPercent(100 * ownShare)} of its own`;
  return before === null ? here : `${here}; ${formatPercent(100 * before)} ${other}, ${points(share - before)}`;
}

/** A difference of shares, with its sign. */
function points(difference: number): string {
  return `${difference > 0 ? '+' : ''}${fixed(100 * difference, 2)} percentage points`;
}

/** What the darkest shade stands for; null for a drawing that compares nothing. */
function largestChange({ frames }: FlameLayout): number | null {
  let most = LEAST_CHANGE;
  let compares = false;
  for (const { share, before } of frames) {
    if (before === null) continue;
    compares = true;
    most = Math.max(most, Math.abs(share - before));
  }
  return compares ? most : null;
}

/** The shade of a change: an eighth of the largest either way is none. */
function shadeOf(difference: number, most: number): string {
  const part = Math.abs(difference) / most;
  if (part < 1 / 8) return 's';
  const step = Math.min(STEPS - 1, Math.floor(part * STEPS));
  return `${difference > 0 ? 'u' : 'd'}${step}`;
}

function changeLegend(most: number, other: string): readonly LegendEntry[] {
  const entry = (label: string, colour: string): LegendEntry => ({ label, shape: 'band', solid: true, colour });
  const half = `${number(50 * most)}`;
  return [
    entry(`▼ ${number(100 * most)} points less`, 'var(--flame-down-3)'),
    entry(`▼ ${half} less`, 'var(--flame-down-1)'),
    entry(`as ${other}`, 'var(--flame-same)'),
    entry(`▲ ${half} more`, 'var(--flame-up-1)'),
    entry(`▲ ${number(100 * most)} points more`, 'var(--flame-up-3)'),
  ];
}

function leftOutSentence({ frames, share }: LeftOut): string {
  return frames === 0
    ? ''
    : `${number(frames)} boxes are omitted because they are too narrow or too deep (${formatPercent(100 * share)} together).`;
}

function goneSentence({ frames, share }: LeftOut, other: string): string {
  return frames === 0 ? '' : `${number(frames)} boxes disappeared, which had ${formatPercent(100 * share)} ${other}.`;
}

/** The same name has the same tint in every drawing (FNV-1a). */
function tintOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1) hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % TINTS;
}

/** A thousandth of a percent is a hundredth of a pixel. */
function places(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function variables({ tint, up, down, same, text }: typeof LIGHT): string {
  const list = (name: string, values: readonly string[]): string =>
    values.map((value, index) => `--flame-${name}-${index}:${value};`).join('');
  return `${list('tint', tint)}${list('up', up)}${list('down', down)}--flame-same:${same};--flame-text:${text};`;
}
