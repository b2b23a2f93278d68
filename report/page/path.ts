import { ascending, underSize } from '../../base/index.ts';
import type { PathData } from '../data.ts';
import { componentsFigure, type PartInks, pathFigure, shadedInks } from '../figures/index.ts';
import { fixed, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { grid } from './section.ts';
import { estimateColumns, folded, key, shareColumns, tableOf } from './table.ts';

/** What the meanings of keys are called beside a path. */
const LABELS: readonly (readonly [name: string, label: string])[] = [
  ['cpu', 'work'],
  ['network', 'waiting for messages'],
  ['waiting', 'waiting for all ranks'],
  ['unexplained', 'between phases'],
];

/** What the wall clock waited for: the critical path of one search drawn, and what paths are made of over nodes and bandwidths. */
export function pathPart(data: PathData, inks: PartInks): Markup {
  const [scale = 0] = ascending(data.rows.map((row) => row.scale)).reverse();
  const own = data.rows.filter((row) => row.scale === scale);
  const levels = ascending(own.map(({ bw }) => bw)).reverse();
  const shown = levels.filter((_, index) => index === 0 || index === levels.length - 1);
  const shades = shadedInks(data.components, inks);
  const words = {
    title: `composition of the critical path of a ${data.noun}`,
    note: 'The critical path, mean of each run. Transfer is time in which the rank slept for messages; work is what it did during communication. Pale bars are forecasts.',
    legendTitle: 'On the path',
  };
  const { hops, doubtful } = data.doubtful;
  return html`<h3 id="path">What the wall clock waited for: the critical path</h3>
<p class="lead">Of all chains of work and messages this is the one that the end of a ${data.noun} hung on: in an exchange it goes over to the rank that everybody waited for. Its parts add up to the time of the ${data.noun}.${doubtful > 0 ? ` ${doubtful} of ${hops} rank switches are uncertain: the ranks arrived closer together than the clocks can resolve.` : ''}</p>
<ul class="rest">${data.findings.map(({ sentence }) => html`<li>${sentence}</li>`)}</ul>
${data.picture === null ? null : html`<div class="wide">${pathFigure(data.picture, { noun: data.noun, inks, labels: new Map(LABELS) })}</div>`}
${grid(shown.map((bw) => componentsFigure(data, { scale, bw, inks: shades, words })))}
${folded('The path of every run', runs(data, scale), forecasts(data))}`;
}

function runs({ rows, components, noun }: PathData, scale: number): Markup {
  return tableOf({
    caption: underSize(
      scale,
      `parts of the critical path of a ${noun}, and the least time for the bytes of its transfers at the link's rate`,
    ),
    rows: rows.filter((row) => row.scale === scale),
    columns: [
      key.nodes,
      key.bw,
      { head: 'Path', value: (row) => row.seconds, show: seconds },
      { head: 'Rank switches', value: (row) => row.hops, decimals: 1 },
      ...shareColumns<PathData['rows'][number]>(components),
      {
        head: 'Least for bytes',
        unit: '%',
        decimals: 0,
        value: (row) => (row.seconds > 0 ? (row.onLink / row.seconds) * 100 : null),
      },
    ],
  });
}

function forecasts({ forecasts: rows, components, noun }: PathData): Markup | null {
  if (rows.length === 0) return null;
  return tableOf({
    caption: `Forecast of the path's parts, percent of a ${noun} (with 90 % intervals of redrawn runs)`,
    rows,
    columns: [
      key.scale,
      key.nodes,
      key.bw,
      ...estimateColumns<PathData['forecasts'][number]>(
        components,
        (row, name) => row.components.find((one) => one.name === name)?.percent,
        (value) => fixed(value, 0),
      ),
    ],
  });
}
