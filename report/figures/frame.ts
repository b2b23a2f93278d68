import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { escapeHtml, type Markup, raw } from '../html.ts';
import type { Axis } from './axes.ts';
import { type FigureOptions, figure } from './figure.ts';

interface FrameOptions extends Omit<FigureOptions, 'drawing'> {
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Plot.Markish[];
  readonly size?: { readonly width: number; readonly height: number };
}

const SIZE = { width: 520, height: 350 };
/** Room for the labels at the ends of lines. */
const MARGIN = { top: 34, right: 52, bottom: 46, left: 54 };

/** Of the drawing area, for placing labels. */
export const PLOT_HEIGHT = SIZE.height - MARGIN.top - MARGIN.bottom;

/** A figure with caption, legend and an SVG that needs nothing from outside. */
export function frame({ x, y, marks, size = SIZE, ...rest }: FrameOptions): Markup {
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
      Plot.axisX([...x.ticks], { text: x.tickFormat, label: x.label, tickSize: 4, labelOffset: 40 }),
      Plot.axisY([...y.ticks], { text: y.tickFormat, label: y.label, tickSize: 0, labelOffset: 48 }),
      Plot.gridX([...x.ticks]),
      Plot.gridY([...y.ticks]),
      ...marks,
    ],
  });
  const svg = raw(compact(String(plot.outerHTML), `${rest.title}. Horizontal: ${x.label}. Vertical: ${y.label}.`));
  return figure({ ...rest, drawing: svg });
}

function scaleOf({ type, domain }: Axis): Plot.ScaleOptions {
  return { type, domain: [...domain], ...(type === 'log' ? { base: 10 } : {}) };
}

/** Plot's own style sheet goes (the page has one), and so do decimals that nobody sees. */
function compact(svg: string, label: string): string {
  return svg
    .replace(/<style>[^<]*<\/style>/, '')
    .replace('<svg ', `<svg role="img" aria-label="${escapeHtml(label)}" `)
    .replace(/ (?:d|transform|c[xy]|[xy][12]?|width|height)="[^"]*"/g, (attribute) =>
      attribute.replace(/-?\d+\.\d{2,}(?:e-\d+)?/g, (decimal) => String(Math.round(Number(decimal) * 10) / 10)),
    );
}
