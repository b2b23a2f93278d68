import { sizeText } from '../../base/index.ts';
import type { PathData } from '../data.ts';
import { number, percent, seconds } from '../format.ts';
import { html, type Markup, raw } from '../html.ts';
import { figure } from './figure.ts';
import type { PartInks } from './parts.ts';
import { drawing, round, type TimeScale, timeAxis, timeScale } from './svg.ts';

type Picture = NonNullable<PathData['picture']>;

const WIDTH = 900;
const [LEFT, RIGHT, TOP] = [64, WIDTH - 16, 8];
/** Beyond this many ranks only those that the path lies on are drawn, and that is said. */
const MOST = 64;

/** Ranks over time with the critical path through them: pale what each rank did, in full colour what the end hung on. */
export function pathFigure(
  picture: Picture,
  {
    noun,
    inks,
    labels,
  }: { readonly noun: string; readonly inks: PartInks; readonly labels: ReadonlyMap<string, string> },
): Markup {
  const used = new Set(picture.steps.map(({ rank }) => rank));
  const lanes = picture.lanes.filter(({ rank }) => picture.lanes.length <= MOST || used.has(rank));
  const row = lanes.length > 30 ? 11 : 16;
  const height = TOP + lanes.length * row;
  const scale = timeScale(picture.seconds, { left: LEFT, right: RIGHT });
  const place = new Map(lanes.map(({ rank }, index) => [rank, TOP + index * row]));
  const yOf = (rank: number): number => place.get(rank) ?? TOP;
  const drawn = new Set([
    ...Object.values(picture.meanings),
    ...lanes.flatMap(({ spans }) => spans.map(({ meaning }) => meaning)),
  ]);
  const shown = [...labels].filter(([name]) => drawn.has(name));
  const title = `${noun[0]?.toUpperCase()}${noun.slice(1)} ${picture.root} on ${number(picture.nodes)} nodes${sizeText(picture.scale, ', ', number)}, ${percent(picture.bw)} bandwidth: the critical path`;
  return figure({
    scrolls: true,
    title,
    note: `${picture.sentence}${lanes.length < picture.lanes.length ? ` Ranks without a part of it are omitted (${picture.lanes.length - lanes.length} of ${picture.lanes.length}).` : ''}`,
    legendTitle: 'Pale: activity of the ranks. Full colour: the path.',
    legend: [
      ...shown.map(([name, label]) => ({ label, shape: 'band' as const, colour: inks.of(name), solid: true })),
      { label: `the path of ${seconds(picture.seconds)}`, shape: 'line' as const, colour: 'var(--ink)' },
    ],
    drawing: drawing({ width: WIDTH, height: height + 40, label: title }, [
      timeAxis(scale, { top: TOP, bottom: height }),
      ...lanes
        .map(({ rank, host }) => {
          const isNamed = lanes.length <= 30 || rank % 5 === 0 || used.has(rank);
          return isNamed
            ? html`<text x="${LEFT - 8}" y="${yOf(rank) + row - 4}" text-anchor="end" fill="currentColor"${raw(used.has(rank) ? ' font-weight="600"' : '')}>rank ${rank}<title>${host}</title></text>`
            : null;
        })
        .filter((text) => text !== null),
      ...shown.map(([name]) => {
        const d = lanes.flatMap(({ rank, spans }) =>
          spans
            .filter(({ meaning }) => meaning === name)
            .map((span) => box(scale, span, { top: yOf(rank) + 3, height: row - 6 })),
        );
        return html`<path d="${d.join('')}" fill="${inks.of(name)}" fill-opacity=".3"/>`;
      }),
      ...steps(picture, { scale, yOf, row, inks, meaningOf: meanings(picture) }),
    ]),
  });
}

/** The path: boxes of full colour, a line below them, and a line from rank to rank where it hops. */
function steps(
  { steps: all }: Picture,
  {
    scale,
    yOf,
    row,
    inks,
    meaningOf,
  }: {
    readonly scale: TimeScale;
    readonly yOf: (rank: number) => number;
    readonly row: number;
    readonly inks: PartInks;
    readonly meaningOf: (key: string) => string;
  },
): readonly Markup[] {
  const middle = (rank: number): number => yOf(rank) + row / 2;
  const boxes = all.map(
    ({ rank, from, to, key }) =>
      html`<path d="${box(scale, { from, to }, { top: yOf(rank) + 1, height: row - 2 })}" fill="${inks.of(meaningOf(key))}"><title>rank ${rank}: ${key}, ${seconds(to - from)}</title></path>`,
  );
  const line = all
    .map(({ rank, from, to }, index) => {
      const start = index === 0 ? `M${scale.x(from)} ${middle(rank)}` : `V${middle(rank)}`;
      return `${start}H${scale.x(to)}`;
    })
    .join('');
  return [
    ...boxes,
    html`<path d="${line}" fill="none" stroke="var(--ink)" stroke-width="1.6" stroke-linejoin="round"/>`,
  ];
}

function box(
  { x }: TimeScale,
  { from, to }: { readonly from: number; readonly to: number },
  { top, height }: { readonly top: number; readonly height: number },
): string {
  return `M${x(from)} ${round(top)}H${round(Math.max(x(to), x(from) + 0.3))}V${round(top + height)}H${x(from)}Z`;
}

function meanings({ meanings: known }: Picture): (key: string) => string {
  return (key) => known[key] ?? '';
}
