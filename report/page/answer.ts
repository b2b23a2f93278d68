import { type AnswerLine, answerLines } from '../answers/answers-schema.ts';
import type { ReportData } from '../content/build-report.ts';
import { number } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** The top of the page: the answers, and what to be careful about. */
export function renderAnswer(report: ReportData): Markup {
  const { campaign, answers, warnings: doubts } = report;
  const { done, planned } = campaign.cells;
  return renderHead(
    { ...report, kicker: `Scaling report · ${campaign.cluster}` },
    campaign.emulation === null ? null : html`<p class="small">${joined(campaign.emulation)}</p>\n`,
    answers === null
      ? html`<p class="first">No result yet: ${number(done)} of ${number(planned)} cells are done.</p>\n`
      : renderStory(
          answerLines(answers).map(({ id, question, short, sentence, detail }) => ({
            ...{ question, short: joined(short), sentence: joined(sentence), detail: detail && joined(detail) },
            command: id === 'next' ? answers.next.command : null,
          })),
        ),
    warnings(doubts),
  );
}

interface Head {
  /** What kind of page, of what. */
  readonly kicker: string;
  readonly title: string;
  /** ISO 8601. */
  readonly generatedAt: string;
}

export function renderHead({ kicker, title, generatedAt }: Head, ...content: readonly (Markup | null)[]): Markup {
  return html`<header>
<p class="kicker">${kicker} · <time datetime="${generatedAt}">${minute(generatedAt)}</time></p>
<h1>${title}</h1>
${content}</header>
`;
}

interface StoryLine extends Pick<AnswerLine, 'question' | 'short' | 'sentence'> {
  readonly detail?: string | null;
  /** To paste. */
  readonly command?: string | null;
}

/** Questions with their answers. */
export function renderStory(lines: readonly StoryLine[]): Markup {
  return html`<dl class="story">${lines.map(
    ({ question, short, sentence, detail = null, command = null }, index) =>
      html`<div><dt>${question}</dt><dd class="value">${short}</dd><dd class="say"><p${index === 0 ? html` class="first"` : null}>${sentence}</p>${detail === null ? null : html`<p class="small">${detail}</p>`}${command === null ? null : html`<p class="small"><code>${command}</code></p>`}</dd></div>\n`,
  )}</dl>
`;
}

/** A number and its unit stay on one line. */
export function joined(text: string): string {
  return text.replaceAll(/(\d) (?=%|[mµ]?s\b|[kMG]bit|nodes?\b)/g, '$1\u202f');
}

function warnings(list: ReportData['warnings']): Markup | null {
  if (list.length === 0) return null;
  return html`<aside class="warnings" aria-label="Warnings"><strong>Read with care</strong><ul>${list.map(
    ({ sentence, details }) =>
      html`<li>${sentence}${details.length === 0 ? null : html`<details><summary>Details</summary><ul>${details.map((text) => html`<li>${text}</li>`)}</ul></details>`}</li>`,
  )}</ul></aside>
`;
}

/** A moment, to the minute. */
export function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
