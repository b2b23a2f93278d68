import { ascending } from '../../base/lists.ts';
import { endsText, formatSeconds } from '../../base/units.ts';
import { neededBandwidthText } from '../../modeling/answers/needed-bandwidth.ts';
import type { Estimate } from '../../modeling/model-records.ts';
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
  const text = {
    id: 'overview',
    title: 'All programs',
    lead: 'For each program: scaling at full bandwidth, bandwidth to stay within 10 % of its full-bandwidth time, and bottleneck on the largest measured cluster.',
  };
  const table = renderTable({
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
  });
  return section(text, [table]);
}

function programSection(
  { program, data, sentence }: ProgramReport,
  { index, inks }: { readonly index: number; readonly inks: Inks },
): Markup {
  const { scale } = mainSetting(data.points);
  const figures = [scalingFigures(data, scale, inks)[0] ?? null, bandwidthFigure(data, scale, inks)];
  return section({ id: idOf(index), title: program, lead: sentence }, [grid(figures)]);
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
  const { jobs, speedups, threads, weak, stress, slaS, isPriced } = data;
  const full = jobs.filter(({ bw }) => bw === 100);
  const text = {
    id: 'benchmark',
    title: 'The benchmark’s metrics',
    lead: `Processing time is that of the algorithm alone; the makespan is the whole job with its start and the loading of the graph. A job counts if its result is right and its makespan is at most ${formatSeconds(slaS)} (the SLA).`,
  };
  return section(text, [
    jobTable('at full bandwidth', full, isPriced),
    speedupTable('Strong scaling: speedup over nodes at full bandwidth', speedups, 'nodes'),
    speedupTable('Vertical scaling: speedup over ranks at full bandwidth', speedups, 'ranks'),
    speedupTable('Vertical scaling: speedup over threads of each rank at full bandwidth', speedups, 'threads'),
    threadsTable(threads),
    weakTable(weak),
    spreadTable(full),
    stressTable(stress),
    full.length === jobs.length
      ? null
      : folded('The same at every bandwidth', jobTable('at every bandwidth', jobs, isPriced)),
  ]);
}

function speedupTable(
  caption: string,
  rows: BenchmarkData['speedups'],
  over: BenchmarkData['speedups'][number]['over'],
): Markup | null {
  type Step = BenchmarkData['speedups'][number]['steps'][number];
  const place = ({ nodes, ranks, threads }: Step): string =>
    over === 'nodes' ? `${nodes}` : ranksAndThreads({ ranks, threads });
  return renderTable({
    caption,
    rows: rows.filter((row) => row.over === over),
    columns: [
      ...[ALGORITHM, GRAPH, ...(over === 'threads' ? [NODES_OF_STEPS] : [])],
      {
        head: `Time and speedup on ${over === 'nodes' ? over : RANKS.head.toLowerCase()}`,
        text: ({ steps }) =>
          steps.map((one) => `${place(one)}: ${seconds(one.seconds)} (${fixed(one.speedup, 2)})`).join(', '),
      },
      { head: 'Largest speedup', value: ({ most }) => most, decimals: 2 },
    ],
  });
}

function threadsTable(rows: BenchmarkData['threads']): Markup | null {
  type Row = BenchmarkData['threads'][number];
  const ends = (head: string, of: (row: Row) => Estimate): PageColumn<Row> => ({
    head: `${head}, 90 % interval`,
    text: (row) => endsText(of(row), number, '∞'),
  });
  return renderTable({
    caption: 'Threads of each rank by Amdahl’s law at full bandwidth, where each thread has a core',
    rows,
    columns: [
      ...[ALGORITHM, GRAPH, key.nodes],
      { head: 'Ranks', value: ({ ranks }) => ranks, decimals: 0 },
      { head: 'Serial part', unit: '%', value: ({ serialPercent }) => serialPercent.value, decimals: 1 },
      ends('Serial part', ({ serialPercent }) => serialPercent),
      { head: 'Threads', value: ({ twice }) => twice.threads, decimals: 0 },
      { head: 'Predicted time', unit: 's', value: ({ twice }) => twice.ct.value },
      ends('Time', ({ twice }) => twice.ct),
      { head: 'Predicted speedup', value: ({ twice }) => twice.speedup.value, decimals: 2 },
      ends('Speedup', ({ twice }) => twice.speedup),
    ],
  });
}

function weakTable(rows: BenchmarkData['weak']): Markup | null {
  const step = ({ nodes, graph, seconds: time, slowdown }: (typeof rows)[number]['steps'][number]): string =>
    `${nodes}: ${graph} ${seconds(time)} (${fixed(slowdown, 2)})`;
  return renderTable({
    caption: 'Weak scaling: slowdown while graph and nodes double (1 is perfect)',
    rows,
    columns: [ALGORITHM, { head: 'Nodes, graph, time and slowdown', text: ({ steps }) => steps.map(step).join(', ') }],
  });
}

function spreadTable(jobs: readonly JobRow[]): Markup | null {
  return renderTable({
    caption: 'Variability: mean processing time, and its coefficient of variation within a start and over starts',
    rows: jobs.filter(({ runs }) => runs >= LEAST_RUNS),
    columns: [
      ...[ALGORITHM, GRAPH, key.nodes, RANKS],
      { head: 'Starts', value: ({ starts }) => starts, decimals: 0 },
      { head: 'Runs', value: ({ runs }) => runs, decimals: 0 },
      { head: 'Mean', unit: 's', value: ({ processingS }) => processingS },
      { head: 'CV within', unit: '%', value: ({ cvPercent }) => cvPercent, decimals: 1 },
      { head: 'CV over starts', unit: '%', value: ({ startsCvPercent }) => startsCvPercent, decimals: 1 },
    ],
  });
}

function stressTable(rows: BenchmarkData['stress']): Markup | null {
  return renderTable({
    caption: 'Stress: the smallest graph that breaks the SLA',
    rows,
    columns: [
      ...[ALGORITHM, key.nodes],
      { head: 'Largest that keeps it', text: ({ largestGood }) => largestGood ?? NONE },
      { head: 'Its class', text: ({ size }) => size ?? NONE },
      { head: 'Smallest that breaks it', text: ({ smallestBroken }) => smallestBroken ?? 'none' },
      { head: 'Why', text: ({ reason }) => reason ?? '' },
    ],
  });
}

function jobTable(where: string, rows: readonly JobRow[], isPriced: boolean): Markup | null {
  const caption = `Processing time and makespan (means), rates, and jobs that broke the SLA, ${where}`;
  return renderTable({ caption, rows, columns: [...JOB_COLUMNS, ...(isPriced ? [PRICE] : []), ...OUTCOME] });
}

const ALGORITHM = { head: 'Algorithm', text: ({ algorithm }: Pick<JobRow, 'algorithm'>) => algorithm };
// On one line.
const GRAPH = { head: 'Graph', text: ({ graph }: Pick<JobRow, 'graph'>) => graph.replaceAll('-', '\u2011') };
/** The same for all steps over threads. */
const NODES_OF_STEPS: PageColumn<BenchmarkData['speedups'][number]> = {
  ...key.nodes,
  value: ({ steps: [first] }) => first?.nodes ?? null,
};
const RANKS = { head: 'Ranks × threads', text: ranksAndThreads };

function ranksAndThreads({ ranks, threads }: Pick<JobRow, 'ranks' | 'threads'>): string {
  return `${ranks} × ${threads}`;
}

const JOB_COLUMNS: readonly PageColumn<JobRow>[] = [
  ALGORITHM,
  GRAPH,
  { head: 'Class', text: ({ size }) => size },
  ...[key.nodes, RANKS, key.bw],
  { head: 'Processing', unit: 's', value: ({ processingS }) => processingS },
  { head: 'Loading', unit: 's', value: ({ loadS }) => loadS },
  { head: 'Makespan', unit: 's', value: ({ makespanS }) => makespanS },
  {
    ...{ head: 'Share', unit: '%', decimals: 1 },
    value: ({ processingS: own, makespanS: whole }) => (own === null || whole === null ? null : (own / whole) * 100),
  },
  { head: 'EPS', unit: 'million', value: ({ eps }) => (eps === null ? null : eps / 1e6) },
  { head: 'EVPS', unit: 'million', value: ({ evps }) => (evps === null ? null : evps / 1e6) },
];
const PRICE: PageColumn<JobRow> = { head: 'Price of 10⁹ EV', value: ({ price }) => price };
const OUTCOME: readonly PageColumn<JobRow>[] = [
  { head: 'Broken', value: ({ broken }) => broken, decimals: 0 },
  { head: 'Result', text: ({ validation, reason }) => reason ?? validation },
];
