import type { BottleneckReport, LimitedStretch } from '../../analysis/pictures/bottleneck-report.ts';
import { at, groupBy } from '../../base/lists.ts';
import { capital, shortened } from '../../base/text.ts';
import { sizeText } from '../../base/units.ts';
import type { PathPicture } from '../content/path-content.ts';
import { formatPercent, number, phaseTitle, seconds } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { createAxis } from './axes.ts';
import { bandOf, drawing, type FigureOptions, figure, round } from './figure.ts';
import type { PartInks } from './inks.ts';

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

interface Lane {
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
export function lanesFigure(options: LanesOptions): Markup {
  const { lanes, seconds, left = 190, row = { height: 15, gap: 5 }, chain = [], ...rest } = options;
  let bottom = TOP;
  const tops = lanes.map(({ heading }) => {
    const top = bottom + (heading === undefined ? 0 : HEAD);
    bottom = top + row.height + row.gap;
    return top;
  });
  const x = (time: number): number => round(left + ((RIGHT - left) * time) / Math.max(1e-12, seconds));
  return figure({
    ...rest,
    scrolls: true,
    drawing: drawing({ width: WIDTH, height: bottom + 40, label: rest.title }, [
      timeAxis({ seconds, x, bottom }),
      ...lanes.map((lane, index) => laneOf(lane, { top: at(tops, index), height: row.height, left, x })),
      chainOf(chain, { x, middle: (lane) => round(at(tops, lane) + row.height / 2) }),
    ]),
  });
}

type Position = (time: number) => number;

interface LanePlace {
  readonly top: number;
  readonly height: number;
  /** Of the axis. */
  readonly left: number;
  readonly x: Position;
}

function laneOf({ name, title = name, isBold = false, heading, outline, boxes, note }: Lane, place: LanePlace): Markup {
  const { top, height, left } = place;
  const groups = groupBy(boxes, (box) => box.title ?? `${box.fill} ${box.opacity}`);
  return html`<g>${heading === undefined ? null : html`<text x="0" y="${top - 10}" fill="currentColor" font-weight="600">${heading}</text>`}<text x="${left - 10}" y="${top + height - 3}" text-anchor="end" fill="currentColor"${raw(isBold ? ' font-weight="600"' : '')}>${shortened(name, 28)}<title>${title}</title></text>${
    outline === undefined
      ? null
      : html`<path d="${boxPath(outline, place)}" fill="var(--page)" stroke="currentColor" stroke-opacity=".45" stroke-width=".8"/>`
  }${groups.map((same) => {
    const { fill, opacity = 1, title: tip } = at(same, 0);
    const d = same.map((box) => boxPath(box, place)).join('');
    return html`<path d="${d}" fill="${fill}" fill-opacity="${opacity}">${tip === undefined ? null : html`<title>${tip}</title>`}</path>`;
  })}${note === undefined ? null : html`<text x="${RIGHT + 6}" y="${top + height - 3}" fill="currentColor">${note}</text>`}</g>
`;
}

/** Boxes of one look are one path: there may be thousands. */
function boxPath({ from, to, low = 0, high = 1 }: Omit<Box, 'fill'>, { top, height, x }: LanePlace): string {
  const [above, below] = [high, low].map((share) => round(top + height * (1 - share)));
  return `M${x(from)} ${above}H${Math.max(x(to), round(x(from) + 0.3))}V${below}H${x(from)}Z`;
}

interface AxisPlace {
  readonly seconds: number;
  readonly x: Position;
  readonly bottom: number;
}

function timeAxis({ seconds, x, bottom }: AxisPlace): Markup {
  const unit = seconds < 2 ? { factor: 1e3, name: 'ms' } : { factor: 1, name: 's' };
  const { ticks } = createAxis({ label: unit.name, values: [0, seconds * unit.factor] });
  const shown = ticks.filter((tick) => tick / unit.factor <= seconds);
  return html`${shown.map((tick) => {
    const place = x(tick / unit.factor);
    return html`<line x1="${place}" x2="${place}" y1="${TOP}" y2="${bottom}" stroke="currentColor" stroke-opacity=".12"/><text x="${place}" y="${bottom + 16}" text-anchor="middle" fill="currentColor">${tick}</text>`;
  })}<text x="${RIGHT}" y="${bottom + 32}" text-anchor="end" fill="currentColor">Time since its start (${unit.name})</text>`;
}

function chainOf(
  chain: NonNullable<LanesOptions['chain']>,
  { x, middle }: { readonly x: Position; readonly middle: (lane: number) => number },
): Markup {
  const steps = chain.map(({ lane, from, to }, index) => {
    return `${index === 0 ? `M${x(from)} ${middle(lane)}` : `V${middle(lane)}`}H${x(to)}`;
  });
  return html`<path d="${steps.join('')}" fill="none" stroke="var(--ink)" stroke-width="1.6" stroke-linejoin="round"/>`;
}

/** Subphases beyond this many are left out, and that is said. */
const MOST_SUBPHASES = 40;

/** The bottleneck report of one phase (figure 4.11 of the thesis): three groups of plots over one axis of time. */
export function timelineFigure(
  report: BottleneckReport,
  { inks, labels }: { readonly inks: PartInks; readonly labels: ReadonlyMap<string, string> },
): Markup {
  const title = phaseTitle(report.path);
  const outline = { from: 0, to: report.seconds };
  const boxes = (stretches: readonly LimitedStretch[]): readonly Box[] =>
    stretches.flatMap(({ from, to, groups }) =>
      groups.map((group, index) => {
        const [low, high] = [1 - (index + 1) / groups.length, 1 - index / groups.length];
        return { from, to, low, high, fill: inks.of(group) };
      }),
    );
  const resources = report.resources.map(
    ({ label, group, percent: share, stretches }, index): Lane => ({
      ...{ heading: index === 0 ? 'By resource' : undefined, name: label, outline },
      note: formatPercent(Math.round(share)),
      boxes: stretches
        .filter((one) => one.share > 0)
        .map(({ from, to, share: high }) => ({ from, to, high, fill: inks.of(group) })),
    }),
  );
  const subphases = report.subphases.slice(0, MOST_SUBPHASES).map(
    ({ name, from, to, stretches }, index): Lane => ({
      ...{ heading: index === 0 ? 'By subphase' : undefined, name: phaseTitle(name) },
      ...{ outline: { from, to }, boxes: boxes(stretches) },
    }),
  );
  const groups = [...new Set(report.resources.map(({ group }) => group))];
  const hidden = report.subphases.length - subphases.length;
  return lanesFigure({
    title: `${title}: ${seconds(report.seconds)}`,
    note: `Coloured: bottlenecked. Several colours in one row are simultaneous bottlenecks. By resource, the height is the share of ranks.${hidden > 0 ? ` ${hidden} further subphases are not drawn.` : ''}`,
    legendTitle: 'Limited by',
    legend: groups.map((group) => bandOf(labels.get(group) ?? group, inks.of(group))),
    seconds: report.seconds,
    lanes: [{ heading: 'Overview', name: title, outline, boxes: boxes(report.overview) }, ...resources, ...subphases],
  });
}

/** Beyond this many ranks only those that the path lies on are drawn, and that is said. */
const MOST_RANKS = 64;
/** Of more ranks than these not all are named. */
const MOST_NAMES = 30;

interface PathOptions {
  readonly noun: string;
  readonly inks: PartInks;
  readonly labels: ReadonlyMap<string, string>;
}

/** Ranks over time with the critical path through them: pale what each rank did, in full colour what the end hung on. */
export function pathFigure(picture: PathPicture, { noun, inks, labels }: PathOptions): Markup {
  const { steps, root, nodes, scale, bw, meanings } = picture;
  const used = new Set(steps.map(({ rank }) => rank));
  const lanes = picture.lanes.filter(({ rank }) => picture.lanes.length <= MOST_RANKS || used.has(rank));
  const left = picture.lanes.length - lanes.length;
  const places = new Map(lanes.map(({ rank }, place) => [rank, place]));
  const drawn = new Set([
    ...Object.values(meanings),
    ...lanes.flatMap(({ spans }) => spans.map(({ meaning }) => meaning)),
  ]);
  return lanesFigure({
    title: `${capital(noun)} ${root} on ${number(nodes)} nodes${sizeText(scale, ', ', number)}, ${formatPercent(bw)} bandwidth: the critical path`,
    note: `${picture.sentence}${left > 0 ? ` Ranks without a part of it are omitted (${left} of ${picture.lanes.length}).` : ''}`,
    legendTitle: 'Pale: activity of the ranks. Full colour: the path.',
    legend: [
      ...[...labels].filter(([name]) => drawn.has(name)).map(([name, label]) => bandOf(label, inks.of(name))),
      { label: `the path of ${seconds(picture.seconds)}`, shape: 'line', colour: 'var(--ink)' },
    ],
    ...{ seconds: picture.seconds, left: 70, row: { height: lanes.length > MOST_NAMES ? 9 : 14, gap: 2 } },
    lanes: lanes.map(({ rank, host, spans }) => ({
      name: lanes.length <= MOST_NAMES || rank % 5 === 0 || used.has(rank) ? `rank ${rank}` : '',
      ...{ title: host, isBold: used.has(rank) },
      boxes: [
        ...spans
          .filter(({ meaning }) => labels.has(meaning))
          .map(({ from, to, meaning }) => ({ from, to, low: 0.14, high: 0.86, fill: inks.of(meaning), opacity: 0.3 })),
        ...steps
          .filter((step) => step.rank === rank)
          .map(({ from, to, key }) => ({
            ...{ from, to, fill: inks.of(meanings[key] ?? '') },
            title: `rank ${rank}: ${key}, ${seconds(to - from)}`,
          })),
      ],
    })),
    chain: steps.map(({ rank, from, to }) => ({ lane: places.get(rank) ?? 0, from, to })),
  });
}
