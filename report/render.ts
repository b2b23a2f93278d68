import type { ComparisonData } from './content/build-comparison.ts';
import type { ProgramsData } from './content/build-programs.ts';
import type { ReportData } from './content/build-report.ts';
import type { RowsData } from './content/build-rows.ts';
import { IDEAL } from './figures/draw-rows.ts';
import { inksFor, partInks } from './figures/inks.ts';
import { flameStyle } from './flame/flame-figure.ts';
import { formatPercent } from './format.ts';
import { html } from './html.ts';
import { renderAnswer } from './page/answer.ts';
import { measuredSection, throttleSection } from './page/measured.ts';
import { projectionsSection } from './page/projections.ts';
import { callStacksSection } from './page/render-call-stacks.ts';
import { renderComparison } from './page/render-comparison.ts';
import { dagSection } from './page/render-dag.ts';
import { modelsSection } from './page/render-models.ts';
import { renderProgramList } from './page/render-programs.ts';
import { renderRows } from './page/render-rows.ts';
import { hasSizes, type PageSection, renderSections } from './page/render-table.ts';
import { whySection } from './page/render-why.ts';
import { bandwidthSection, scalingSection } from './page/results.ts';
import { renderSheet } from './page/sheet.ts';
import { plannerStyle, readPlannerScript, renderPlanner } from './planner/render-planner.ts';

/**
 * The report as one HTML file that refers to nothing outside and runs no script.
 * @example writeFileSync('report.html', render(buildReport(input)));
 */
export function render(report: ReportData): string {
  const inks = inksFor({
    bw: [...report.points, ...report.projections, ...(report.check?.rows ?? [])].map((row) => row.bw),
    nodes: report.points.map((point) => point.nodes),
  });
  const components = (report.why?.components ?? []).map(({ name }) => name);
  const meanings = (report.path?.components ?? []).map(({ meaning }) => meaning);
  const parts = partInks([...new Set([...components, ...meanings])]);
  const { plan } = report;
  const css = html`${inks.css}${parts.css}${report.callStacks && flameStyle}${plan && plannerStyle}`;
  return renderSheet(
    { ...report, css, ...(plan === null ? {} : { script: readPlannerScript() }) },
    html`${renderAnswer(report)}${plan && renderPlanner(plan)}${renderSections(SECTIONS, report, { ...inks, parts })}`,
  );
}

/** The same for a campaign of several programs, side by side. */
export function renderPrograms(report: ProgramsData): string {
  const points = report.programs.flatMap(({ data }) => data.points);
  const inks = inksFor({ bw: points.map(({ bw }) => bw), nodes: points.map(({ nodes }) => nodes) });
  return renderSheet({ ...report, css: inks.css }, renderProgramList(report, inks));
}

/** The same of several campaigns, compared with the first. */
export function renderCampaigns(data: ComparisonData): string {
  const cells = data.pairs.flatMap(({ comparison }) => comparison.cells);
  const inks = inksFor({ bw: cells.map(({ bw }) => bw), nodes: [] });
  const sides = partInks(data.sides.map(({ name }) => name));
  return renderSheet({ ...data, css: html`${inks.css}${sides.css}` }, renderComparison(data, { ...inks, sides }));
}

/** The same of rows without a campaign: the paper's figures and tables. */
export function renderRowsReport(data: RowsData): string {
  const inks = inksFor({
    bw: [...data.cells, ...data.projections].map(({ bw }) => bw),
    nodes: data.cells.map(({ nodes }) => nodes),
    scales: data.cells.map(({ scale }) => scale),
  });
  const increments = new Set(data.demands.map(({ ctiPercent }) => formatPercent(ctiPercent)));
  const parts = partInks([IDEAL, ...increments]);
  return renderSheet({ ...data, css: html`${inks.css}${parts.css}` }, renderRows(data, { ...inks, parts }));
}

/** What abbreviations and terms mean. */
const glossarySection: PageSection = {
  id: 'glossary',
  name: 'Words',
  title: 'Words',
  lead: 'Abbreviations and terms.',
  content: ({ campaign }) => {
    const words = hasSizes(campaign) ? WORDS : WORDS.filter(([word]) => !ABOUT_GRAPHS.includes(word));
    return [
      html`<dl class="glossary">${words.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>\n`)}</dl>\n`,
    ];
  },
};

/** What only programs with sizes have. */
const ABOUT_GRAPHS = ['Scale', 'TEPS'];

const WORDS: readonly (readonly [string, string])[] = [
  ['CT', 'Completion time: how long one timed run (of a BFS: one search) takes, in seconds.'],
  [
    'CTI',
    'Completion time increment: how much longer a timed run takes at a reduced bandwidth than at full bandwidth, in percent.',
  ],
  [
    'TEPS',
    'Traversed edges per second: the edges of the graph divided by CT. MTEPS are millions, GTEPS thousands of millions.',
  ],
  ['Scale', 'Size of the graph: 2^scale vertices and 16 times as many edges. One more doubles it.'],
  ['Bandwidth', 'The share of the line rate that each host was allowed to use, in each direction.'],
  ['Bandwidth demand', 'The smallest bandwidth at which the increment stays within a chosen level.'],
  [
    'α (alpha)',
    'How steeply communication slows down with less bandwidth: its time grows as α^(100/bw). 1 means no effect.',
  ],
  ['C1, C2', 'Fitted constants: the weight of computing (C1) and of communicating (C2).'],
  [
    'R²',
    'The share of the variation between measurements that a model explains (1 is all). It is not evidence for larger clusters.',
  ],
  ['MSE', 'Mean squared error: the mean of the squared differences between model and measurement, in s².'],
  ['Held out', 'Measured, but not used for the fit, to test predictions.'],
  ['Rank', 'One process of a parallel program; a node runs one or more.'],
];

/** In their order on the page. */
const SECTIONS = [
  ...[scalingSection, bandwidthSection, whySection, dagSection, callStacksSection, modelsSection],
  ...[projectionsSection, measuredSection, throttleSection, glossarySection],
];
