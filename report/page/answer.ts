import { linesOf } from '../answers/schema.ts';
import type { ReportData } from '../data.ts';
import { number } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** The top of the page: the answers, and what to be careful about. */
export function answer(report: ReportData): Markup {
  const { campaign, title, generatedAt } = report;
  return html`<header>
<p class="kicker">Scaling report · ${campaign.cluster} · ${stamp(generatedAt)}</p>
<h1>${title}</h1>
${answers(report)}${warnings(report)}</header>
`;
}

function answers({ answers: all, campaign: { cells } }: ReportData): Markup {
  if (all === null) {
    return html`<p class="first">No result yet: ${number(cells.done)} of ${number(cells.planned)} cells are done.</p>\n`;
  }
  return html`<dl class="story">${linesOf(all).map(
    ({ id, question, short, sentence, detail }, index) =>
      html`<div><dt>${question}</dt><dd class="value">${joined(short)}</dd><dd class="say"><p${index === 0 ? html` class="first"` : null}>${joined(sentence)}</p>${detail === null ? null : html`<p class="small">${joined(detail)}</p>`}${id === 'next' && all.next.command !== null ? html`<p class="small"><code>${all.next.command}</code></p>` : null}</dd></div>\n`,
  )}</dl>
`;
}

/** A number and its unit stay on one line. */
function joined(text: string): string {
  return text.replaceAll(/(\d) (?=%|[mµ]?s\b|[kMG]bit|nodes?\b)/g, '$1\u202f');
}

function warnings({ warnings: list }: ReportData): Markup | null {
  if (list.length === 0) return null;
  return html`<aside class="warnings" aria-label="Warnings"><strong>Read with care</strong><ul>${list.map(
    ({ sentence, details }) =>
      html`<li>${sentence}${details.length === 0 ? null : html`<details><summary>Details</summary><ul>${details.map((text) => html`<li>${text}</li>`)}</ul></details>`}</li>`,
  )}</ul></aside>
`;
}

/** A moment, to the minute. */
export function stamp(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
