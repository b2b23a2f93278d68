import type { ReportData } from '../data.ts';
import { number } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** The top of the page: what came out, in numbers, and what to be careful about. */
export function answer(report: ReportData): Markup {
  const [first, ...rest] = report.headline;
  const { campaign } = report;
  return html`<header>
<p class="kicker">Scaling report · ${campaign.cluster} · ${day(report.generatedAt)}</p>
<h1>${report.title}</h1>
<div class="answer">
<p class="first">${first ?? `No result yet: ${number(campaign.cells.done)} of ${number(campaign.cells.planned)} cells are done.`}</p>
${rest.length === 0 ? null : html`<ul class="rest">${rest.map((sentence) => html`<li>${sentence}</li>`)}</ul>\n`}</div>
${tiles(report)}${warnings(report)}</header>
`;
}

function tiles({ keyFigures }: ReportData): Markup | null {
  if (keyFigures.length === 0) return null;
  return html`<dl class="tiles">${keyFigures.map(
    ({ value, label, note }) =>
      html`<div><dt>${label}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>\n`,
  )}</dl>
`;
}

function warnings({ warnings: list }: ReportData): Markup | null {
  if (list.length === 0) return null;
  return html`<aside class="warnings" aria-label="Warnings"><strong>Read with care</strong><ul>${list.map(
    (text) => html`<li>${text}</li>`,
  )}</ul></aside>
`;
}

function day(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
