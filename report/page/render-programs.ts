import { ascending } from '../../base/lists.ts';
import { formatSeconds } from '../../base/units.ts';
import { neededBandwidthText } from '../../modeling/answers/needed-bandwidth.ts';
import type { ASKED } from '../answers/answers-schema.ts';
import type { BenchmarkData } from '../content/benchmark.ts';
import type { ProgramReport, ProgramsData } from '../content/build-programs.ts';
import { mainSetting } from '../content/main-setting.ts';
import { bandwidthFigure, scalingFigures } from '../figures/draw-scaling.ts';
import type { Inks } from '../figures/inks.ts';
import { fixed, NONE, number, seconds } from '../format.ts';
import { html, type Markup } from '../html.ts';
import { renderHead } from './answer.ts';
import { folded, grid, key, type PageColumn, renderTable, section } from './render-table.ts';

/** Several programs side by side: which starves first, then each with a sentence and its figures. */
export function renderProgramList(report: ProgramsData, inks: Inks): Markup {
  const { cluster, title, generatedAt, first, programs: all } = report;
  const starved = first ?? 'It is unknown which of them becomes bandwidth-bound first.';
  return html`${renderHead({ kicker: `Scaling report · ${cluster}`, title, generatedAt }, html`<p class="first">${starved}</p>\n`)}<nav aria-label="Contents"><ul>${all.map((one, index) => html`<li><a href="#${idOf(index)}">${one.program}</a></li>`)}</ul></nav>
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
      renderTable({
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

type JobRow = BenchmarkData['jobs'][number];

/** Runs of a job that are fewer say nothing about its spread. */
const LEAST_RUNS = 3;

/** The benchmark's own metrics of every job, and its experiments as far as the campaign has them. */
function benchmark(data: BenchmarkData | null): Markup | null {
  if (data === null || data.jobs.length === 0) return null;
  const { jobs, speedups, weak, stress, slaS } = data;
  const full = jobs.filter(({ bw }) => bw === 100);
  return section({
    id: 'benchmark',
    title: 'The benchmark’s metrics',
    lead: `Processing time is that of the algorithm alone; the makespan is the whole job with its start and the loading of the graph. A job counts if its result is right and its makespan is at most ${formatSeconds(slaS)} (the SLA).`,
    content: [
      table(`${JOBS}, at full bandwidth`, full, JOB_COLUMNS),
      ...(['nodes', 'ranks'] as const).map((over) =>
        table(
          `${over === 'nodes' ? 'Strong' : 'Vertical'} scaling: speedup over ${over} at full bandwidth`,
          speedups.filter((row) => row.over === over),
          [
            ALGORITHM,
            GRAPH,
            {
              head: `Time and speedup on ${over}`,
              text: ({ steps }) =>
                steps.map((one) => `${one.count}: ${seconds(one.seconds)} (${fixed(one.speedup, 2)})`).join(', '),
            },
            { head: 'Largest speedup', value: ({ most }) => most, decimals: 2 },
          ],
        ),
      ),
      table('Weak scaling: slowdown while graph and nodes double (1 is perfect)', weak, [
        ALGORITHM,
        {
          head: 'Nodes, graph, time and slowdown',
          text: ({ steps }) =>
            steps
              .map((one) => `${one.nodes}: ${one.graph} ${seconds(one.seconds)} (${fixed(one.slowdown, 2)})`)
              .join(', '),
        },
      ]),
      table(
        'Variability: mean processing time and its coefficient of variation',
        full.filter(({ runs, cvPercent }) => runs >= LEAST_RUNS && cvPercent !== null),
        [
          ...[ALGORITHM, GRAPH, key.nodes, RANKS],
          { head: 'Runs', value: ({ runs }) => runs, decimals: 0 },
          { head: 'Mean', unit: 's', value: ({ processingS }) => processingS },
          { head: 'CV', unit: '%', value: ({ cvPercent }) => cvPercent, decimals: 1 },
        ],
      ),
      table('Stress: the smallest graph that breaks the SLA', stress, [
        ALGORITHM,
        key.nodes,
        { head: 'Largest that keeps it', text: ({ largestGood }) => largestGood ?? NONE },
        { head: 'Smallest that breaks it', text: ({ smallestBroken }) => smallestBroken ?? 'none' },
        { head: 'Why', text: ({ reason }) => reason ?? '' },
      ]),
      full.length === jobs.length
        ? null
        : folded('The same at every bandwidth', table(`${JOBS}, at every bandwidth`, jobs, JOB_COLUMNS)),
    ],
  });
}

const JOBS = 'Processing time and makespan (means), rates, and jobs that broke the SLA';

const ALGORITHM = { head: 'Algorithm', text: ({ algorithm }: Pick<JobRow, 'algorithm'>) => algorithm };
// On one line.
const GRAPH = { head: 'Graph', text: ({ graph }: Pick<JobRow, 'graph'>) => graph.replaceAll('-', '\u2011') };
const RANKS = { head: 'Ranks', value: ({ ranks }: JobRow) => ranks, decimals: 0, key: true };

const JOB_COLUMNS: readonly PageColumn<JobRow>[] = [
  ALGORITHM,
  GRAPH,
  { head: 'Class', text: ({ size }) => size },
  ...[key.nodes, RANKS, key.bw],
  { head: 'Processing', unit: 's', value: ({ processingS }) => processingS },
  { head: 'Loading', unit: 's', value: ({ loadS }) => loadS },
  { head: 'Makespan', unit: 's', value: ({ makespanS }) => makespanS },
  {
    head: 'Share',
    unit: '%',
    value: ({ processingS, makespanS }) =>
      processingS === null || makespanS === null ? null : (processingS / makespanS) * 100,
    decimals: 1,
  },
  { head: 'EPS', unit: 'million', value: ({ eps }) => (eps === null ? null : eps / 1e6) },
  { head: 'EVPS', unit: 'million', value: ({ evps }) => (evps === null ? null : evps / 1e6) },
  { head: 'Broken', value: ({ broken }) => broken, decimals: 0 },
  { head: 'Result', text: ({ validation, reason }) => reason ?? validation },
];

/** Null for no rows. */
function table<T>(caption: string, rows: readonly T[], columns: readonly PageColumn<T>[]): Markup | null {
  return rows.length === 0 ? null : renderTable({ caption, rows, columns });
}
