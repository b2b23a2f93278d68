import { sizeText } from '../../base/index.ts';
import type { CallStacks, ReportData } from '../data.ts';
import { flameFigure } from '../flame/index.ts';
import { fixed, percent, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { section } from './section.ts';
import { tableOf } from './table.ts';

/** Which code stops scaling, by the call stacks of runs of their own; null for campaigns without them. */
export function callStacks({ callStacks: data, headings }: ReportData): Markup | null {
  if (data === null) return null;
  const { answer, witnesses, refused, findings, isAllTime, noun, empty } = data;
  const notes = [
    ...(refused === null ? [] : [`Nothing is judged: ${refused}`]),
    ...(isAllTime ? [] : ['Only time on processors was recorded: what ranks wait for is not in it.']),
    ...(empty === 0 ? [] : [`${empty} profiled ${empty === 1 ? 'run' : 'runs'} left no call stacks.`]),
  ];
  return section({
    id: 'stacks',
    title: headings.callStacks,
    lead: `Runs of their own recorded the call stacks of all ranks; no time of a ${noun} elsewhere on this page comes from them. Every call path is judged by its seconds per rank: work that ranks share shrinks like one over the nodes.`,
    content: [
      ...[answer, witnesses].map((said) => (said === null ? null : html`<p>${said}</p>\n`)),
      ...notes.map((note) => html`<p class="missing" role="note">${note}</p>\n`),
      html`<ul class="rest">${findings.map(({ sentence }) => html`<li>${sentence}</li>`)}</ul>\n`,
      paths(data),
      ...data.flames.map((flame) => flameOf(flame, noun)),
    ],
  });
}

function paths({ rows, range, noun }: CallStacks): Markup {
  const { fewest, most, lowest, highest, scale } = range;
  type Row = CallStacks['rows'][number];
  const time = (head: string, value: (row: Row) => number) => ({ head, value, show: seconds });
  return tableOf({
    caption: `At ${percent(highest)} bandwidth${sizeText(scale, ' and ')}, a ${noun} per rank by call path, the one that exceeds its share most first`,
    rows,
    columns: [
      { head: 'Call path', text: ({ label }) => label },
      { head: 'Verdict', text: ({ verdict }) => verdict },
      ...(fewest < most ? [time(`${fewest} nodes`, ({ onFewest }) => onFewest)] : []),
      time(`${most} nodes`, ({ onMost }) => onMost),
      { head: 'Share', unit: '%', decimals: 0, value: (row) => row.percent },
      { head: 'Exponent', value: ({ exponent }) => exponent, show: (value) => fixed(value, 2) },
      ...(lowest < highest ? [time(`At ${lowest} %`, ({ atLowest }) => atLowest)] : []),
    ],
  });
}

function flameOf({ nodes, bw, against, layout }: CallStacks['flames'][number], noun: string): Markup {
  const place = `${nodes} nodes at ${percent(bw)} bandwidth`;
  const callers =
    'Callers stand above what they call; [asleep] and [no processor] say what a rank did off the processor.';
  const [title, note, other] =
    against === null
      ? [`Where a ${noun} goes on ${place}`, callers, undefined]
      : [
          `What changes from ${percent(against.bw)} to ${percent(bw)} bandwidth on ${nodes} nodes`,
          `Widths are shares of a ${noun} at ${percent(bw)}, colours say how they differ from those at ${percent(against.bw)}.`,
          `at ${percent(against.bw)}`,
        ];
  return html`<div class="wide">${flameFigure(layout, { title, note, unit: `s of a ${noun}`, other })}</div>\n`;
}
