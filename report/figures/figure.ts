import { html, type Markup, raw } from '../html.ts';

export interface LegendEntry {
  readonly label: string;
  readonly shape: 'line' | 'dash' | 'dot' | 'ring' | 'square' | 'triangle' | 'diamond' | 'band';
  readonly colour: string;
  /** Joins the entry with the marks of its series. */
  readonly series?: string;
  /** A band of full colour. */
  readonly solid?: boolean;
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
}

/** Caption, legend and drawing. */
export function figure({ title, note, legendTitle, legend, drawing, scrolls = false }: FigureOptions): Markup {
  const reach = scrolls ? html` tabindex="0" role="group" aria-label="${title}"` : null;
  return html`<figure>
<figcaption><strong>${title}</strong><span>${note}</span></figcaption>
<ul class="legend" aria-label="Legend"><li class="legend-title">${legendTitle}</li>${legend.map(entryOf)}</ul>
<div class="chart"${reach}>${drawing}</div>
</figure>
`;
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
