import type { ProgramsData } from './content/build-programs.ts';
import type { ReportData } from './content/build-report.ts';
import { inksFor, partInks } from './figures/inks.ts';
import { flameStyle } from './flame/flame-figure.ts';
import { html } from './html.ts';
import { renderAnswer } from './page/answer.ts';
import { glossarySection } from './page/glossary.ts';
import { measuredSection, throttleSection } from './page/measured.ts';
import { renderSections } from './page/page-section.ts';
import { projectionsSection } from './page/projections.ts';
import { callStacksSection } from './page/render-call-stacks.ts';
import { dagSection } from './page/render-dag.ts';
import { modelsSection } from './page/render-models.ts';
import { renderProgramList } from './page/render-programs.ts';
import { whySection } from './page/render-why.ts';
import { bandwidthSection, scalingSection } from './page/results.ts';
import { renderSheet } from './page/sheet.ts';

const SECTIONS = [
  ...[scalingSection, bandwidthSection, whySection, dagSection, callStacksSection, modelsSection],
  ...[projectionsSection, measuredSection, throttleSection, glossarySection],
];

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
  return renderSheet(
    { ...report, css: html`${inks.css}${parts.css}${report.callStacks && flameStyle}` },
    html`${renderAnswer(report)}${renderSections(SECTIONS, report, { ...inks, parts })}`,
  );
}

/** The same for a campaign of several programs, side by side. */
export function renderPrograms(report: ProgramsData): string {
  const points = report.programs.flatMap(({ data }) => data.points);
  const inks = inksFor({ bw: points.map(({ bw }) => bw), nodes: points.map(({ nodes }) => nodes) });
  return renderSheet({ ...report, css: inks.css }, renderProgramList(report, inks));
}
