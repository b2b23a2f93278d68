import { ascending } from '../../base/lists.ts';
import { neededBandwidthText } from '../../modeling/answers/needed-bandwidth.ts';
import type { ASKED } from '../answers/answers-schema.ts';
import type { ProgramReport, ProgramsData } from '../content/build-programs.ts';
import { mainSetting } from '../content/main-setting.ts';
import { bandwidthFigure, scalingFigures } from '../figures/draw-scaling.ts';
import type { Inks } from '../figures/inks.ts';
import { number } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { head } from './answer.ts';
import { benchmark } from './render-benchmark.ts';
import { tableOf } from './render-table.ts';
import { grid, section } from './section.ts';

/** Several programs side by side: which starves first, then each with a sentence and its figures. */
export function programs(report: ProgramsData, inks: Inks): Markup {
  const { cluster, title, generatedAt, first, programs: all } = report;
  const starved = first ?? 'It is unknown which of them becomes bandwidth-bound first.';
  return html`${head({ kicker: `Scaling report · ${cluster}`, title, generatedAt }, html`<p class="first">${starved}</p>\n`)}<nav aria-label="Contents"><ul>${all.map((one, index) => html`<li><a href="#${idOf(index)}">${one.program}</a></li>`)}</ul></nav>
<main>
${overview(report)}${all.map((one, index) => programSection(one, { index, inks }))}${benchmark(report.benchmark)}</main>`;
}

function overview({ programs: all }: ProgramsData): Markup {
  const sizes = ascending(all.flatMap(({ needs }) => needs.map(({ nodes }) => nodes)));
  const lineOf = ({ data }: ProgramReport, id: (typeof ASKED)[number]): string => data.answers?.[id].short ?? '-';
  return section({
    id: 'overview',
    title: 'All programs',
    lead: 'For each program: scaling at full bandwidth, bandwidth to stay within 10 % of its full-bandwidth time, and bottleneck on the largest measured cluster.',
    content: [
      tableOf({
        caption: 'Scaling and bandwidth demand of each program',
        rows: all,
        columns: [
          { head: 'Program', text: ({ program }) => program },
          { head: 'More nodes help', text: (one) => lineOf(one, 'moreNodes') },
          { head: 'Predictions', text: (one) => lineOf(one, 'trust') },
          { head: 'Limited by', text: (one) => lineOf(one, 'limit') },
          { head: 'A faster link helps', text: (one) => lineOf(one, 'fasterLink') },
          ...sizes.map((nodes) => ({
            head: `Needs on ${number(nodes)} nodes`,
            text: ({ needs }: ProgramReport) => {
              const need = needs.find((one) => one.nodes === nodes);
              return need === undefined ? 'unknown' : neededBandwidthText(need);
            },
          })),
        ],
      }),
    ],
  });
}

function programSection(
  { program, data, sentence }: ProgramReport,
  { index, inks }: { readonly index: number; readonly inks: Inks },
): Markup {
  const { scale } = mainSetting(data.points);
  return section({
    id: idOf(index),
    title: program,
    lead: sentence,
    content: [grid([scalingFigures(data, scale, inks)[0] ?? null, bandwidthFigure(data, scale, inks)])],
  });
}

function idOf(index: number): string {
  return `program-${index + 1}`;
}
