import * as Plot from '@observablehq/plot';
import { ascending, at, groupBy } from '../../base/lists.ts';
import { capital } from '../../base/text.ts';
import { sizeText } from '../../base/units.ts';
import type { CellPlace, CommonCell } from '../../modeling/questions/compare-campaigns.ts';
import { ASKED } from '../answers/answers-schema.ts';
import {
  cellVerdict,
  formatChange,
  type GateAnswer,
  meanSentence,
  placeText,
  seesSentence,
} from '../answers/gate-answer.ts';
import type { ComparisonData } from '../content/build-comparison.ts';
import { chooseValues, mainSetting } from '../content/main-setting.ts';
import { seriesFigure } from '../figures/draw-series.ts';
import type { Inks, PartInks } from '../figures/inks.ts';
import { formatPercent, NONE, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { joined, renderHead, renderStory } from './answer.ts';
import { bullets, folded, grid, key, renderTable, section } from './render-table.ts';

type Pair = ComparisonData['pairs'][number];

interface ComparisonInks extends Pick<Inks, 'bw'> {
  /** Of campaigns, by name. */
  readonly sides: PartInks;
}

/** Campaigns side by side: what changed and whether that is noise, what each says of itself, every common configuration. */
export function renderComparison(data: ComparisonData, inks: ComparisonInks): Markup {
  const { title, generatedAt, sides, pairs, warnings } = data;
  const clusters = [...new Set(sides.map(({ cluster }) => cluster))].join(', ');
  const emulated = [...new Set(sides.flatMap(({ emulation }) => emulation ?? []))];
  const head = renderHead(
    { kicker: `Comparison · ${clusters}`, title, generatedAt },
    emulated.length === 0 ? null : html`<p class="small">${emulated.join(' ')}</p>\n`,
    renderStory(
      [...pairs.flatMap((pair) => linesOf(pair, data)), ...limitLine(data)].map(({ detail, ...line }) => ({
        ...{ ...line, short: joined(line.short), sentence: joined(line.sentence) },
        detail: detail === undefined ? null : joined(detail),
      })),
    ),
    warnings.length === 0
      ? null
      : html`<aside class="warnings" aria-label="Warnings"><strong>Read with care</strong>${bullets(warnings)}</aside>\n`,
  );
  return html`${head}
<main>
${timesSection(data, inks)}${answersSection(data)}${pairs.map((pair, index) => pairSection(pair, { id: `against-${index + 1}`, data, inks }))}</main>`;
}

function linesOf({ against, short, sentence, detail, gate }: Pair, { sides, limitPercent }: ComparisonData) {
  const { name } = at(sides, 0);
  const asked = { question: `Is ${name} slower than allowed: by more than ${limitPercent} %?` };
  return [
    { question: `Is ${name} slower or faster than ${against}?`, short, sentence, detail },
    gate === null
      ? { ...asked, short: 'unknown', sentence: 'Too few repetitions tell the noise: sweep with --reps 3.' }
      : {
          ...asked,
          short: allowedText(gate),
          sentence: meanSentence(gate),
          detail: `${configurationsText(gate.above, `slower by more than ${limitPercent} %`)}${undecidedText(gate)}${seesSentence(gate)}`,
        },
  ];
}

function allowedText({ passed, mean, undecided }: GateAnswer): string {
  if (!passed) return 'yes';
  if (mean.verdict === 'undecided') return 'cannot tell';
  return undecided.length > 0 ? 'not on average' : 'no';
}

function undecidedText({ undecided, limitPercent }: GateAnswer): string {
  const count = undecided.length;
  return count === 0 ? '' : `Of single configurations ${count} may be slower by more than ${limitPercent} %. `;
}

const NAMED = 4;

function configurationsText(cells: readonly CommonCell[], what: string): string {
  if (cells.length === 0) return '';
  const named = cells.slice(0, NAMED).map((cell) => `${placeText(cell)} (${formatChange(cell.ratio.value)})`);
  const more = cells.length > NAMED ? ` and ${cells.length - NAMED} more` : '';
  return `${capital(what)}: ${named.join('; ')}${more}. `;
}

/** What limits each, where each has answers. */
function limitLine({ sides }: ComparisonData) {
  const told = sides.flatMap(({ name, answers }) => (answers === null ? [] : [{ name, limit: answers.limit }]));
  if (told.length < sides.length) return [];
  const same = new Set(told.map(({ limit }) => limit.short)).size === 1;
  return [
    {
      question: 'What limits each?',
      short: same ? at(told, 0).limit.short : 'not the same',
      sentence: told.map(({ name, limit }) => `${name}: ${limit.short}.`).join(' '),
      detail: told.map(({ name, limit }) => `${name}: ${limit.sentence}`).join(' '),
    },
  ];
}

/** Longer names have no room beside a figure. */
const LONGEST_END = 8;

/** Times of all campaigns over nodes, at the largest size and bandwidth that they have in common. */
function timesSection({ sides, pairs }: ComparisonData, inks: ComparisonInks): Markup {
  const common = pairs.flatMap(({ comparison }) => comparison.cells);
  const { scale, bw } = mainSetting(common);
  const program = common.find((cell) => cell.scale === scale && cell.bw === bw)?.program ?? '';
  const isShown = (one: CellPlace): boolean => one.scale === scale && one.bw === bw && one.program === program;
  const what = `${program === '' ? '' : `${program}, `}${formatPercent(bw)} bandwidth${sizeText(scale)}`;
  const figure = seriesFigure({
    title: `Time over nodes: ${what}`,
    note: 'Dots: typical times; bars: their 90 % intervals. Dashed lines only join them.',
    ...{ legendTitle: 'Campaign', legend: [], apart: true },
    x: { label: 'Cluster size (nodes)', type: 'log', at: ascending(common.filter(isShown).map(({ nodes }) => nodes)) },
    y: { label: 'Completion time (s)', type: 'log' },
    series: sides.map(({ name, times }, index) => {
      const dots = times
        .filter(isShown)
        .sort((a, b) => a.nodes - b.nodes)
        .map(({ nodes, seconds: y, low, high }) => {
          const ends = low === null || high === null ? {} : { low, high };
          return { x: nodes, y, ...ends, tip: `${name}, ${nodes} nodes: ${seconds(y)}` };
        });
      const end = name.length > LONGEST_END ? '' : name;
      return { ink: { id: `side-${index}`, colour: inks.sides.of(name) }, label: name, end, dots, dashed: dots };
    }),
  });
  return section(
    {
      id: 'times',
      title: 'Times of all campaigns',
      lead: 'Where intervals do not overlap, the difference is more than noise.',
    },
    [grid([figure])],
  );
}

/** The same questions of every campaign; empty where several programs have answers of their own. */
function answersSection({ sides }: ComparisonData): Markup | null {
  const told = sides.flatMap(({ name, answers }) => (answers === null ? [] : [{ name, answers }]));
  if (told.length < 2) return null;
  const table = renderTable({
    caption: 'Answers of each campaign',
    rows: ASKED.filter((id) => id !== 'next'),
    columns: [
      { head: 'Question', text: (id) => at(told, 0).answers[id].question },
      ...told.map(({ name, answers }) => ({
        head: name,
        text: (id: (typeof ASKED)[number]) => capital(answers[id].short),
      })),
    ],
  });
  const text = {
    id: 'answers',
    title: 'What each says of itself',
    lead: 'Every answer is that of the campaign’s own report.',
  };
  return section(text, [table]);
}

interface Shown {
  readonly id: string;
  readonly data: ComparisonData;
  readonly inks: ComparisonInks;
}

function pairSection({ against, comparison, gate }: Pair, { id, data: { sides }, inks }: Shown): Markup {
  const { name } = at(sides, 0);
  const { cells, onlyHere, onlyAgainst } = comparison;
  const [first, ...others] = groupBy(
    [...cells].sort((a, b) => b.scale - a.scale),
    ({ program, scale }) => `${program} ${scale}`,
  ).map((own) => changeFigure(own, inks));
  const alone = onlyHere + onlyAgainst;
  return section(
    {
      id,
      title: `${name} against ${against}`,
      lead: `Above 0 ${name} takes longer. ${alone === 0 ? 'Both measured the same configurations.' : `Measured in one alone: ${onlyHere} in ${name}, ${onlyAgainst} in ${against}.`}`,
    },
    [
      grid([first ?? null]),
      others.length === 0 ? null : folded('Other programs and scales', grid(others)),
      renderTable<CommonCell>({
        caption: 'Every configuration that both measured',
        rows: cells,
        columns: [
          ...(cells.some(({ program }) => program !== '')
            ? [{ head: 'Program', text: ({ program }: CommonCell) => program }]
            : []),
          ...[key.nodes, key.scale, key.bw],
          { head: name, text: (cell) => seconds(cell.seconds), isNumber: true },
          { head: against, text: (cell) => seconds(cell.against), isNumber: true },
          { head: 'Change', text: ({ ratio }) => formatChange(ratio.value), isNumber: true },
          {
            head: '90 % interval',
            text: ({ ratio: { low, high } }) =>
              low === null || high === null ? NONE : `${formatChange(low)} to ${formatChange(high)}`,
          },
          { head: 'Beyond noise', text: ({ differs }) => differs ?? 'no' },
          ...(gate === null ? [] : [{ head: 'Limit', text: (cell: CommonCell) => LIMITS[cellVerdict(cell, gate)] }]),
        ],
      }),
    ],
  );
}

const LIMITS = { slower: 'exceeded', undecided: 'undecided', allowed: 'kept' } as const;

/** How much times of one program and scale changed, over nodes, a colour per bandwidth. */
function changeFigure(cells: readonly CommonCell[], inks: ComparisonInks): Markup {
  const { program, scale } = at(cells, 0);
  const levels = chooseValues(cells.map(({ bw }) => bw));
  const percentOf = (ratio: number): number => (ratio - 1) * 100;
  return seriesFigure({
    title: `Change of time${program === '' ? '' : `: ${program}`}${sizeText(scale)}`,
    note: 'Dots: changes; bars: their 90 % intervals. A bar that includes 0 may be noise.',
    ...{ legendTitle: 'Bandwidth', legend: [], apart: true },
    x: { label: 'Cluster size (nodes)', type: 'log', at: ascending(cells.map(({ nodes }) => nodes)) },
    y: { label: 'Change of time (%)', values: [0] },
    below: [Plot.ruleY([0], { stroke: 'var(--soft)' })],
    series: levels.map((bw) => ({
      ...{ ink: inks.bw(bw), label: formatPercent(bw) },
      dots: cells
        .filter((cell) => cell.bw === bw)
        .map((cell) => {
          const { value, low, high } = cell.ratio;
          const ends = low === null || high === null ? {} : { low: percentOf(low), high: percentOf(high) };
          return { x: cell.nodes, y: percentOf(value), ...ends, tip: `${placeText(cell)}: ${formatChange(value)}` };
        }),
    })),
  });
}
