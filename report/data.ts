import type { Answers } from './answers/answers-schema.ts';
import type { headingsOf } from './content/headings.ts';
import type { Facts } from './content/page-facts.ts';
import type { Warning } from './content/warnings.ts';

// Everything that the page shows, as plain data, in the shape in which `content` makes it. Units are in the names: ct seconds,
// bw percent of the line rate, ...Bps bits per second, ...Percent percent. A list without entries means: not there; `missing`
// says why.

export interface ReportData extends Facts {
  /** The head of the page; null where nothing was measured. All else that the page says follows from them. */
  readonly answers: Answers | null;
  /** Of the sections: what they show in this campaign. */
  readonly headings: ReturnType<typeof headingsOf>;
  readonly warnings: readonly Warning[];
  readonly decisions: readonly string[];
}
