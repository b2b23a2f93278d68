import type { PathData } from '../content/path-content.ts';
import { type PartInks, shadedInks } from '../figures/part-inks.ts';
import { pathFigure } from '../figures/path-lanes.ts';
import { html, type Markup } from '../html.ts';
import { composition } from './composition.ts';
import { bullets } from './section.ts';

/** What the meanings of keys are called beside a path. */
const LABELS: readonly (readonly [name: string, label: string])[] = [
  ['cpu', 'work'],
  ['network', 'waiting for messages'],
  ['waiting', 'waiting for all ranks'],
  ['unexplained', 'between phases'],
];

/** What the wall clock waited for: the critical path of one search drawn, and what paths are made of over nodes and bandwidths. */
export function pathPart(data: PathData, inks: PartInks): Markup {
  const { hops, doubtful } = data.doubtful;
  return html`<h3 id="path">What the wall clock waited for: the critical path</h3>
<p class="lead">Of all chains of work and messages this is the one that the end of a ${data.noun} hung on: in an exchange it goes over to the rank that everybody waited for. Its parts add up to the time of the ${data.noun}.${doubtful > 0 ? ` ${doubtful} of ${hops} rank switches are uncertain: the ranks arrived closer together than the clocks can resolve.` : ''}</p>
${bullets(data.findings.map(({ sentence }) => sentence))}
${data.picture === null ? null : html`<div class="wide">${pathFigure(data.picture, { noun: data.noun, inks, labels: new Map(LABELS) })}</div>`}
${composition(data, {
  inks: shadedInks(data.components, inks),
  words: {
    title: `composition of the critical path of a ${data.noun}`,
    note: 'The critical path, mean of each run. Transfer is time in which the rank slept for messages; work is what it did during communication. Pale bars are forecasts.',
    legendTitle: 'On the path',
    caption: `parts of the critical path of a ${data.noun}, and the least time for the bytes of its transfers at the link's rate`,
  },
  columns: [
    {
      head: 'Least for bytes',
      unit: '%',
      decimals: 0,
      value: (row) => (row.seconds > 0 ? (row.onLink / row.seconds) * 100 : null),
    },
    { head: 'Rank switches', value: (row) => row.hops, decimals: 1 },
  ],
})}`;
}
