import type { ReportData } from '../data.ts';
import { html, type Markup } from '../html.ts';

interface SectionOptions {
  readonly id: string;
  readonly title: string;
  /** One or two sentences for a reader who is new to the subject. */
  readonly lead: string;
  readonly content: readonly (Markup | null)[];
}

export function section({ id, title, lead, content }: SectionOptions): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<p class="lead">${lead}</p>
${content}</section>
`;
}

/** Sentences as a list; null for none. */
export function bullets(sentences: readonly string[]): Markup | null {
  return sentences.length === 0
    ? null
    : html`<ul class="rest">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>\n`;
}

/** Figures side by side where there is room; null for none. */
export function grid(figures: readonly (Markup | null)[]): Markup | null {
  const shown = figures.filter((figure) => figure !== null);
  return shown.length === 0 ? null : html`<div class="grid">${shown}</div>\n`;
}

/** Why a section has nothing to show: the reason from the data, or a general sentence. */
export function missing(report: ReportData, name: keyof typeof GENERAL): Markup {
  return html`<p class="missing" role="note">${report.missing[name] ?? GENERAL[name]}</p>\n`;
}

const GENERAL = {
  scaling: 'There is no finished cell to show.',
  bandwidth: 'Only one bandwidth was measured, so the effect of bandwidth is unknown. Measure more, such as 10..50/10.',
  models: 'No model could be fitted to these cells: most need two node counts, or two bandwidths.',
  check: 'Nothing was left out of the training, which needs at least three node counts: the largest is held out.',
  projections: 'There is no fitted model to predict with.',
  throttle: 'No cell ran below full bandwidth, so nothing was throttled.',
  drift: 'The baseline was not repeated, so drift is unknown.',
};
