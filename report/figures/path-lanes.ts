import { capital } from '../../base/text.ts';
import { sizeText } from '../../base/units.ts';
import type { PathPicture } from '../content/path-picture.ts';
import { number, percent, seconds } from '../format.ts';
import type { Markup } from '../html.ts';
import { lanesFigure } from './draw-lanes.ts';
import type { PartInks } from './part-inks.ts';

/** Beyond this many ranks only those that the path lies on are drawn, and that is said. */
const MOST = 64;
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
  const lanes = picture.lanes.filter(({ rank }) => picture.lanes.length <= MOST || used.has(rank));
  const left = picture.lanes.length - lanes.length;
  const places = new Map(lanes.map(({ rank }, place) => [rank, place]));
  const drawn = new Set([
    ...Object.values(meanings),
    ...lanes.flatMap(({ spans }) => spans.map(({ meaning }) => meaning)),
  ]);
  return lanesFigure({
    title: `${capital(noun)} ${root} on ${number(nodes)} nodes${sizeText(scale, ', ', number)}, ${percent(bw)} bandwidth: the critical path`,
    note: `${picture.sentence}${left > 0 ? ` Ranks without a part of it are omitted (${left} of ${picture.lanes.length}).` : ''}`,
    legendTitle: 'Pale: activity of the ranks. Full colour: the path.',
    legend: [
      ...[...labels]
        .filter(([name]) => drawn.has(name))
        .map(([name, label]) => ({ label, shape: 'band' as const, colour: inks.of(name), solid: true })),
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
