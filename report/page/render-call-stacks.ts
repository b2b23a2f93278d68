import { sizeText } from '../../base/units.ts';
import type { CallStacks } from '../content/call-stacks.ts';
import { flameFigure } from '../flame/flame-figure.ts';
import { fixed, formatPercent, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { bullets, type PageSection, renderTable } from './render-table.ts';

/** Which code stops scaling, by the call stacks of runs of their own. */
export const callStacksSection: PageSection = {
  id: 'stacks',
  name: 'Call stacks',
  title: ({ headings }) => headings.callStacks,
  lead: ({ callStacks }) =>
    `Separate runs recorded the call stacks of all ranks; no other time of a ${callStacks?.noun} on this page comes from them. Every call path is judged by its seconds per rank: parallel work shrinks in proportion to 1 / nodes.`,
  content: ({ callStacks: data }) => {
    if (data === null) return null;
    const { answer, witnesses, refused, findings, isAllTime, noun, empty } = data;
    const notes = [
      ...(refused === null ? [] : [`No verdict: ${refused}`]),
      ...(isAllTime ? [] : ['Only CPU time was recorded, so waiting of ranks is missing.']),
      ...(empty === 0 ? [] : [`${empty} profiled ${empty === 1 ? 'run' : 'runs'} recorded no call stacks.`]),
    ];
    return [
      ...[answer, witnesses].map((said) => (said === null ? null : html`<p>${said}</p>\n`)),
      ...notes.map((note) => html`<p class="missing" role="note">${note}</p>\n`),
      bullets(findings.map(({ sentence }) => sentence)),
      paths(data),
      ...data.flames.map((flame) => flameOf(flame, noun)),
    ];
  },
};

function paths({ rows, range, noun }: CallStacks): Markup | null {
  const { fewest, most, lowest, highest, scale } = range;
  type Row = CallStacks['rows'][number];
  const time = (head: string, value: (row: Row) => number) => ({ head, value, show: seconds });
  return renderTable({
    caption: `At ${formatPercent(highest)} bandwidth${sizeText(scale, ' and ')}, a ${noun} per rank by call path, the largest excess over ideal scaling first`,
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
  const place = `${nodes} nodes at ${formatPercent(bw)} bandwidth`;
  const callers =
    'Callers are above their callees; [asleep] and [no processor] mark time in which a rank was not running.';
  const [title, note, other] =
    against === null
      ? [`Where a ${noun} goes on ${place}`, callers, undefined]
      : [
          `What changes from ${formatPercent(against.bw)} to ${formatPercent(bw)} bandwidth on ${nodes} nodes`,
          `Widths are shares of a ${noun} at ${formatPercent(bw)}; colours show the change since ${formatPercent(against.bw)}.`,
          `at ${formatPercent(against.bw)}`,
        ];
  return html`<div class="wide">${flameFigure(layout, { title, note, unit: `s of a ${noun}`, other })}</div>\n`;
}
