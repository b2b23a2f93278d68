import { parseHTML } from 'linkedom';
import { buildReport, type ReportData } from '../../report/content/build-report.ts';
import { render } from '../../report/render.ts';
import { plain } from '../modeling/plain-data.ts';
import { campaignOf, type Sweep } from './campaign.ts';

/** As a reader sees it where no script runs. */
export interface Page {
  readonly data: ReportData;
  readonly text: string;
  /** With what only scripts show. */
  readonly whole: string;
  readonly document: Document;
}

/** Enough of the DOM for these tests; the project has no DOM types. */
export interface Document {
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}
export interface Element extends Document {
  readonly textContent: string;
  readonly outerHTML: string;
  getAttribute(name: string): string | null;
}

const made = new Map<Sweep, Page>();

/** Made once for each sweep. */
export function pageOf(sweep: Sweep): Page {
  const page = made.get(sweep) ?? pageFrom(plain(buildReport(campaignOf(sweep))));
  made.set(sweep, page);
  return page;
}

export function pageFrom(data: ReportData): Page {
  const whole = render(data);
  const text = whole.replace(/<section hidden .*?<\/section>\n/s, '').replace(/<script>.*<\/script>/s, '');
  const { document } = parseHTML(text) as unknown as { document: Document };
  return { data, text, whole, document };
}

export function all(page: Document, selector: string): Element[] {
  return [...page.querySelectorAll(selector)];
}

/** Exact values of the number cells of the table with this caption, row by row. */
export function tableOf({ document }: Page, caption: RegExp): (number | null)[][] {
  const found = all(document, 'table').find((table) => caption.test(table.querySelector('caption')?.textContent ?? ''));
  return found === undefined
    ? []
    : all(found, 'tbody tr').map((row) =>
        all(row, 'td').map((cell) => {
          const value = cell.getAttribute('data-value');
          return value === null ? null : Number(value);
        }),
      );
}

/** What to be careful about, the sentences and what they rest on. */
export function warned({ warnings }: Pick<ReportData, 'warnings'>): string[] {
  return warnings.flatMap(({ sentence, details }) => [sentence, ...details]);
}
