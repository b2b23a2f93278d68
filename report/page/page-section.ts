import type { ReportData } from '../content/build-report.ts';
import type { Inks, PartInks } from '../figures/inks.ts';
import { html, type Markup } from '../html.ts';
import { missing, section } from './render-table.ts';

/** The colours of everything that a page draws. */
export interface PageInks extends Inks {
  /** Of components of the time. */
  readonly parts: PartInks;
}

/** A part of the page, as data; words may depend on the report. */
export interface PageSection {
  readonly id: string;
  /** In the list of contents. */
  readonly name: string;
  readonly title: Words;
  /** One or two sentences for a reader who is new to the subject. */
  readonly lead: Words;
  /** Null where there is nothing to show. */
  readonly content: (report: ReportData, inks: PageInks) => readonly (Markup | null)[] | null;
  /** What is said then, unless the data has a reason of this name; without it the section is left out. */
  readonly missing?: string;
  /** Behind it, and part of no section. */
  readonly appendix?: (report: ReportData) => Markup | null;
}

type Words = string | ((report: ReportData) => string);

/** The list of contents, and the sections that a report has something for. */
export function renderSections(sections: readonly PageSection[], report: ReportData, inks: PageInks): Markup {
  const shown = sections.flatMap((one) => {
    const content =
      one.content(report, inks) ?? (one.missing === undefined ? null : [missing(report, one.id, one.missing)]);
    return content === null ? [] : [{ ...one, content }];
  });
  const say = (words: Words): string => (typeof words === 'string' ? words : words(report));
  return html`<nav aria-label="Contents"><ul>${shown.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main>
${shown.map(({ id, title, lead, content, appendix }) => html`${section({ id, title: say(title), lead: say(lead) }, content)}${appendix?.(report) ?? null}`)}</main>`;
}
