import type { ProgramsData } from './content/build-programs.ts';
import type { ReportData } from './content/build-report.ts';
import { inksFor, partInks } from './figures/inks.ts';
import { flameStyle } from './flame/flame-figure.ts';
import { html, type Markup } from './html.ts';
import { renderAnswer } from './page/answer.ts';
import { renderMeasured, renderThrottle } from './page/measured.ts';
import { renderProjections } from './page/projections.ts';
import { renderCallStacks } from './page/render-call-stacks.ts';
import { renderDagRuns } from './page/render-dag.ts';
import { renderModels } from './page/render-models.ts';
import { renderProgramList } from './page/render-programs.ts';
import { hasSizes, section } from './page/render-table.ts';
import { renderWhy } from './page/render-why.ts';
import { renderBandwidth, renderCells, renderScaling } from './page/results.ts';
import { renderSheet } from './page/sheet.ts';

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
  const parts = partInks([
    ...new Set([...components, ...(report.path?.components ?? []).map(({ meaning }) => meaning)]),
  ]);
  return renderSheet(
    { ...report, css: html`${inks.css}${parts.css}${report.callStacks && flameStyle}` },
    html`${renderAnswer(report)}${contents(report)}<main>
${renderScaling(report, inks)}${renderBandwidth(report, inks)}${renderWhy(report, parts)}${renderDagRuns(report)}${renderCallStacks(report)}${renderModels(report, inks)}${renderProjections(report, inks)}${renderMeasured(report)}${renderThrottle(report)}${renderCells(report)}${glossary(report)}</main>`,
  );
}

/** The same for a campaign of several programs, side by side. */
export function renderPrograms(report: ProgramsData): string {
  const points = report.programs.flatMap(({ data }) => data.points);
  const inks = inksFor({ bw: points.map(({ bw }) => bw), nodes: points.map(({ nodes }) => nodes) });
  return renderSheet({ ...report, css: html`${inks.css}` }, renderProgramList(report, inks));
}

function contents(report: ReportData): Markup {
  const sections = SECTIONS.filter(
    ([id]) =>
      (id !== 'why' || report.why !== null) &&
      (id !== 'dag' || report.dag !== null) &&
      (id !== 'stacks' || report.callStacks !== null),
  );
  return html`<nav aria-label="Contents"><ul>${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>\n`;
}

const SECTIONS = [
  ['scaling', 'Nodes'],
  ['bandwidth', 'Bandwidth'],
  ['why', 'Why'],
  ['dag', 'The job'],
  ['stacks', 'Call stacks'],
  ['models', 'Models'],
  ['projections', 'Larger clusters'],
  ['measured', 'What was measured'],
  ['throttle', 'Throttle proof'],
  ['glossary', 'Words'],
] as const;

function glossary({ campaign }: ReportData): Markup {
  const words = hasSizes(campaign) ? WORDS : WORDS.filter(([word]) => !ABOUT_GRAPHS.includes(word));
  return section({
    id: 'glossary',
    title: 'Words',
    lead: 'Abbreviations and terms.',
    content: [
      html`<dl class="glossary">${words.map(([word, meaning]) => html`<div><dt>${word}</dt><dd>${meaning}</dd></div>\n`)}</dl>\n`,
    ],
  });
}

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
