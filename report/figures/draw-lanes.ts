import { at, groupBy } from '../../base/lists.ts';
import { shortened } from '../../base/text.ts';
import { html, type Markup, raw } from '../html.ts';
import { linearAxis } from './axes.ts';
import { drawing, type FigureOptions, figure, round } from './figure.ts';

/** Seconds since the start of what is drawn. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A coloured stretch of a lane; `low` and `high` are shares of its height from below. */
export interface Box extends Span {
  readonly low?: number;
  readonly high?: number;
  readonly fill: string;
  readonly opacity?: number;
  readonly title?: string;
}

export interface Lane {
  readonly name: string;
  /** What the name stands for, where it is no more than its beginning. */
  readonly title?: string;
  readonly isBold?: boolean;
  /** Above the lane: the head of those from here on. */
  readonly heading?: string | undefined;
  /** From when to when there is something to see. */
  readonly outline?: Span;
  readonly boxes: readonly Box[];
  /** Behind its right end. */
  readonly note?: string;
}

interface LanesOptions extends Omit<FigureOptions, 'drawing' | 'scrolls'> {
  readonly lanes: readonly Lane[];
  /** The whole axis. */
  readonly seconds: number;
  /** Room for the names. */
  readonly left?: number;
  readonly row?: { readonly height: number; readonly gap: number };
  /** A line along lanes, by their places, and from one to the next. */
  readonly chain?: readonly (Span & { readonly lane: number })[];
}

const WIDTH = 1080;
const RIGHT = WIDTH - 64;
const [TOP, HEAD] = [4, 26];

/** Lanes over one axis of time, in ms where it is short: who did what when. */
export function lanesFigure({
  lanes,
  seconds,
  left = 190,
  row = { height: 15, gap: 5 },
  chain = [],
  ...rest
}: LanesOptions) {
  const x = (time: number): number => round(left + ((RIGHT - left) * time) / Math.max(1e-12, seconds));
  let bottom = TOP;
  const tops = lanes.map(({ heading }) => {
    const top = bottom + (heading === undefined ? 0 : HEAD);
    bottom = top + row.height + row.gap;
    return top;
  });
  const pathOf = (top: number, { from, to, low = 0, high = 1 }: Box): string => {
    const [above, below] = [high, low].map((share) => round(top + row.height * (1 - share)));
    return `M${x(from)} ${above}H${Math.max(x(to), round(x(from) + 0.3))}V${below}H${x(from)}Z`;
  };
  const laneOf = (
    { name, title = name, isBold = false, heading, outline, boxes, note }: Lane,
    index: number,
  ): Markup => {
    const top = at(tops, index);
    const groups = groupBy(boxes, (box) => box.title ?? `${box.fill} ${box.opacity}`);
    return html`<g>${heading === undefined ? null : html`<text x="0" y="${top - 10}" fill="currentColor" font-weight="600">${heading}</text>`}<text x="${left - 10}" y="${top + row.height - 3}" text-anchor="end" fill="currentColor"${raw(isBold ? ' font-weight="600"' : '')}>${shortened(name, 28)}<title>${title}</title></text>${
      outline === undefined
        ? null
        : html`<path d="${pathOf(top, { ...outline, fill: '' })}" fill="var(--page)" stroke="currentColor" stroke-opacity=".45" stroke-width=".8"/>`
    }${groups.map((same) => {
      const { fill, opacity = 1, title: tip } = at(same, 0);
      const d = same.map((box) => pathOf(top, box)).join('');
      return html`<path d="${d}" fill="${fill}" fill-opacity="${opacity}">${tip === undefined ? null : html`<title>${tip}</title>`}</path>`;
    })}${note === undefined ? null : html`<text x="${RIGHT + 6}" y="${top + row.height - 3}" fill="currentColor">${note}</text>`}</g>
`;
  };
  const unit = seconds < 2 ? { factor: 1e3, name: 'ms' } : { factor: 1, name: 's' };
  const { ticks } = linearAxis({ label: unit.name, values: [0, seconds * unit.factor] });
  const middle = (lane: number): number => round(at(tops, lane) + row.height / 2);
  const line = chain.map(({ lane, from, to }, index) => {
    return `${index === 0 ? `M${x(from)} ${middle(lane)}` : `V${middle(lane)}`}H${x(to)}`;
  });
  return figure({
    ...rest,
    scrolls: true,
    drawing: drawing({ width: WIDTH, height: bottom + 40, label: rest.title }, [
      ...ticks
        .filter((tick) => tick / unit.factor <= seconds)
        .map((tick) => {
          const place = x(tick / unit.factor);
          return html`<line x1="${place}" x2="${place}" y1="${TOP}" y2="${bottom}" stroke="currentColor" stroke-opacity=".12"/><text x="${place}" y="${bottom + 16}" text-anchor="middle" fill="currentColor">${tick}</text>`;
        }),
      html`<text x="${RIGHT}" y="${bottom + 32}" text-anchor="end" fill="currentColor">Time since its start (${unit.name})</text>`,
      ...lanes.map(laneOf),
      html`<path d="${line.join('')}" fill="none" stroke="var(--ink)" stroke-width="1.6" stroke-linejoin="round"/>`,
    ]),
  });
}
