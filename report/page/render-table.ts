import { at } from '../../base/lists.ts';
import type { ReportData } from '../content/build-report.ts';
import type { Setting } from '../content/main-setting.ts';
import type { Inks, PartInks } from '../figures/inks.ts';
import { decimalsFor, fixed, number } from '../format.ts';
import { html, type Markup } from '../html.ts';

/** A column of words, or of numbers with one number of decimals for the whole column. */
export type PageColumn<T> = { readonly head: string; readonly unit?: string } & (
  | {
      readonly text: (row: T) => string;
      /** Whether they stand as numbers do. */
      readonly isNumber?: boolean;
    }
  | {
      readonly value: (row: T) => number | null;
      /** Default: enough for three digits of the smallest value. */
      readonly decimals?: number;
      /** Instead of the plain number. */
      readonly show?: (value: number | null) => string;
      /** Says which row it is: narrow and on the left. */
      readonly key?: boolean;
      /** Without it where no row has more than 0 or nothing: programs without sizes have no column of sizes. */
      readonly isOptional?: boolean;
      /** A sign before the number, such as ≤. */
      readonly mark?: (row: T) => string;
    }
);

interface TableOptions<T> {
  readonly caption: string;
  readonly columns: readonly PageColumn<T>[];
  readonly rows: readonly T[];
}

/** A table whose number cells carry their exact value in `data-value`; null without rows. */
export function renderTable<T>({ caption, columns: all, rows }: TableOptions<T>): Markup | null {
  if (rows.length === 0) return null;
  const columns = all.filter(
    (column) => !('value' in column && column.isOptional && rows.every((row) => (column.value(row) ?? 0) === 0)),
  );
  const cells = columns.map((column) => cellsOf(column, rows));
  return html`<div class="table" role="group" aria-label="${caption}" tabindex="0"><table>
<caption><span>${caption}</span></caption>
<thead><tr>${columns.map(headOf)}</tr></thead>
<tbody>${rows.map((_, row) => html`<tr>${cells.map((column) => at(column, row))}</tr>\n`)}</tbody>
</table></div>
`;
}

/** Rows that few people need, closed until asked for. */
export function folded(summary: string, ...content: readonly (Markup | null)[]): Markup {
  return html`<details><summary>${summary}</summary>${content}</details>\n`;
}

function headOf<T>(column: PageColumn<T>): Markup {
  const unit = column.unit === undefined ? null : html` <small>${column.unit}</small>`;
  const isWords = 'text' in column && column.isNumber !== true;
  return html`<th scope="col"${isWords ? null : classOf(column)}>${column.head}${unit}</th>`;
}

function cellsOf<T>(column: PageColumn<T>, rows: readonly T[]): readonly Markup[] {
  if ('text' in column) {
    return rows.map((row) => html`<td${column.isNumber ? classOf({}) : null}>${column.text(row)}</td>`);
  }
  const values = rows.map(column.value);
  const decimals = column.decimals ?? decimalsFor(values);
  const show = column.show ?? ((value: number | null) => fixed(value, decimals));
  return rows.map((row, index) => {
    const value = at(values, index);
    return value === null || !Number.isFinite(value)
      ? html`<td class="n none">${show(null)}</td>`
      : html`<td${classOf(column)} data-value="${value}">${column.mark?.(row) ?? ''}${show(value)}</td>`;
  });
}

function classOf(column: { readonly key?: boolean } | object): Markup {
  return 'key' in column && column.key ? html` class="key"` : html` class="n"`;
}

/** Whether what was measured has problem sizes. */
export function hasSizes({ sweep }: { readonly sweep: { readonly scales: readonly number[] } }): boolean {
  return sweep.scales.some((scale) => scale > 0);
}

/** The columns that say where a row was measured. */
export const key = {
  nodes: { head: 'Nodes', value: (row: Pick<Setting, 'nodes'>) => row.nodes, decimals: 0, key: true },
  scale: {
    ...{ head: 'Scale', show: number, key: true, isOptional: true },
    value: (row: Pick<Setting, 'scale'>) => row.scale,
  },
  bw: { head: 'Bandwidth', unit: '%', value: (row: Pick<Setting, 'bw'>) => row.bw, show: number, key: true },
} as const;

interface SectionText {
  readonly id: string;
  readonly title: string;
  /** One or two sentences for a reader who is new to the subject. */
  readonly lead: string;
}

export function section({ id, title, lead }: SectionText, content: readonly (Markup | null)[]): Markup {
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

/** Why there is nothing to show: the reason that the data has, or a general sentence. */
export function missing({ missing: reasons }: ReportData, name: string, general: string): Markup {
  return html`<p class="missing" role="note">${reasons[name] ?? general}</p>\n`;
}

/** The colours of everything that a page draws. */
interface PageInks extends Inks {
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
