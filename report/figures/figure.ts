import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escapeHtml, html, type Markup, raw } from '../html.ts';
import type { Axis } from './axes.ts';

export interface FrameOptions extends Omit<FigureOptions, 'drawing'> {
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Plot.Markish[];
  readonly size?: { readonly width: number; readonly height: number };
  /** What a reader who sees nothing is told: the ends of each line. */
  readonly lines?: readonly NamedLine[];
}

interface NamedLine {
  readonly label: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** As wide as a phone's screen: its texts are as large there as on a wide page (page/sheet.ts). */
const SIZE = { width: 400, height: 290 };
/** Room for the labels at the ends of lines. */
const MARGIN = { top: 32, right: 50, bottom: 44, left: 50 };

/** Of the drawing area, for placing labels. */
export const PLOT_HEIGHT = SIZE.height - MARGIN.top - MARGIN.bottom;

/** A figure with caption, legend and an SVG that needs nothing from outside. */
export function frame({ x, y, marks, size = SIZE, lines = [], ...rest }: FrameOptions): Markup {
  const { document } = parseHTML('<html></html>');
  const plot = Plot.plot({
    document,
    className: 'plot',
    ...size,
    marginTop: MARGIN.top,
    marginRight: MARGIN.right,
    marginBottom: MARGIN.bottom,
    marginLeft: MARGIN.left,
    color: { type: 'identity' },
    symbol: { type: 'identity' },
    x: scaleOf(x),
    y: scaleOf(y),
    marks: [
      Plot.axisX([...x.ticks], { text: x.tickFormat, label: x.label, tickSize: 4, labelOffset: 39 }),
      Plot.axisY([...y.ticks], { text: y.tickFormat, label: y.label, tickSize: 0, labelOffset: 45 }),
      Plot.gridX([...x.ticks]),
      Plot.gridY([...y.ticks]),
      ...marks,
    ],
  });
  const alternative = `${rest.title}. Horizontal: ${x.label}. Vertical: ${y.label}.${lines.map((one) => lineText(one, { x, y })).join('')}`;
  return figure({ ...rest, drawing: raw(compact(String(plot.outerHTML), alternative)) });
}

function scaleOf({ type, domain }: Axis): Plot.ScaleOptions {
  return { type, domain: [...domain], ...(type === 'log' ? { base: 10 } : {}) };
}

/** ` 10 %: 0.495 at 4, 0.272 at 25.` */
function lineText({ label, points }: NamedLine, { x, y }: { readonly x: Axis; readonly y: Axis }): string {
  const ends = [...new Set([points[0], points.at(-1)])].flatMap((point) =>
    point === undefined ? [] : [`${y.tickFormat(point.y)} at ${x.tickFormat(point.x)}`],
  );
  return ends.length === 0 ? '' : ` ${label}: ${ends.join(', ')}.`;
}

/** Plot's own style sheet goes (the page has one), and so do decimals that nobody sees. */
function compact(svg: string, label: string): string {
  return (
    svg
      .replace(/<style>[^<]*<\/style>/, '')
      // Names of marks are Plot's own, and a group without a role may have no label.
      .replaceAll(' aria-label="', ' data-mark="')
      .replace('<svg ', `<svg role="img" aria-label="${escapeHtml(label)}" `)
      .replace(/ (?:d|transform|c[xy]|[xy][12]?|width|height)="[^"]*"/g, (attribute) =>
        attribute.replace(/-?(?<!\d)\d+\.\d\d+(?:e-\d+)?/g, (decimal) => String(Math.round(Number(decimal) * 10) / 10)),
      )
  );
}

export interface LegendEntry {
  readonly label: string;
  readonly shape: 'line' | 'dash' | 'dot' | 'ring' | 'square' | 'triangle' | 'diamond' | 'band';
  readonly colour: string;
  /** Joins the entry with the marks of its series. */
  readonly series?: string;
  /** A band of full colour. */
  readonly solid?: boolean;
}

/** The entry of an area of full colour. */
export function bandOf(label: string, colour: string): LegendEntry {
  return { label, shape: 'band', colour, solid: true };
}

export interface FigureOptions {
  readonly title: string;
  /** One sentence on how to read the figure. */
  readonly note: string;
  readonly legendTitle: string;
  readonly legend: readonly LegendEntry[];
  /** An SVG. */
  readonly drawing: Markup;
  /** Whether it is wider than a narrow screen, and scrolls there. */
  readonly scrolls?: boolean;
  /** What it shows, to be saved as a CSV file. */
  readonly csv?: string;
}

/** Caption, legend and drawing. */
export function figure({ title, note, legendTitle, legend, drawing, scrolls = false, csv }: FigureOptions): Markup {
  const reach = scrolls ? html` tabindex="0" role="group" aria-label="${title}"` : null;
  return html`<figure>
<figcaption>${csv === undefined ? null : csvLink(title, csv)}<strong>${title}</strong><span>${note}</span></figcaption>
<ul class="legend" aria-label="Legend"><li class="legend-title">${legendTitle}</li>${legend.map(entryOf)}</ul>
<div class="chart"${reach}>${drawing}</div>
</figure>
`;
}

/** A file in the page itself: only what an address cannot hold is written as its code. */
function csvLink(title: string, csv: string): Markup {
  const address = csv.replaceAll(/[^\w ,.:;()+*/=-]|[ ]/g, (character) => encodeURIComponent(character));
  const name = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').toLowerCase();
  return html`<a class="csv" download="${name}.csv" href="data:text/csv;charset=utf-8,${address}" aria-label="CSV of ${title}">CSV</a>`;
}

function entryOf({ label, shape, colour, series, solid = false }: LegendEntry): Markup {
  const mark = raw(solid ? SHAPES.square(colour) : SHAPES[shape](colour));
  const swatch = html`<svg width="22" height="12" viewBox="0 0 22 12" aria-hidden="true">${mark}</svg>${label}`;
  return series === undefined ? html`<li>${swatch}</li>` : html`<li data-series="${series}">${swatch}</li>`;
}

const SHAPES: Readonly<Record<LegendEntry['shape'], (colour: string) => string>> = {
  line: (colour) =>
    `<path d="M1 6H21" stroke="${colour}" stroke-width="2"/><circle cx="11" cy="6" r="3.5" fill="${colour}"/>`,
  dash: (colour) => `<path d="M1 6H21" stroke="${colour}" stroke-width="2" stroke-dasharray="4 3"/>`,
  dot: (colour) => `<circle cx="11" cy="6" r="4" fill="${colour}"/>`,
  ring: (colour) => `<circle cx="11" cy="6" r="3.5" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
  band: (colour) => `<rect x="1" y="1" width="20" height="10" rx="2" fill="${colour}" opacity=".25"/>`,
  square: (colour) => `<path d="M7 2H15V10H7Z" fill="${colour}"/>`,
  triangle: (colour) => `<path d="M11 1L16 10H6Z" fill="${colour}"/>`,
  diamond: (colour) => `<path d="M11 0L16 6L11 12L6 6Z" fill="${colour}"/>`,
};

/** One decimal is as much as anybody sees. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function drawing(
  { width, height, label }: { readonly width: number; readonly height: number; readonly label: string },
  content: readonly Markup[],
): Markup {
  return html`<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg>`;
}
