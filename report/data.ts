import type { factsOf } from './content/build-report.ts';
import type { keyFiguresOf } from './content/headline.ts';

// Everything that the page shows, as plain data, in the shape in which `content` makes it. Units are in the names: ct seconds,
// bw percent of the line rate, ...Bps bits per second, ...Percent percent. A list without entries means: not there; `missing`
// says why.

/** A report without the sentences about it. */
export type Facts = ReturnType<typeof factsOf>;

export interface ReportData extends Facts {
  /** Sentences with numbers, the answer first. */
  readonly headline: readonly string[];
  readonly keyFigures: ReturnType<typeof keyFiguresOf>;
  readonly warnings: readonly string[];
}

export type { FitRow } from './content/fits.ts';
export type { CheckRow, Curve, DemandRow, DominanceRow, ProjectionRow } from './content/predictions.ts';
export type { CellRow, PointRow } from './content/statistics.ts';
export type { Why } from './content/why.ts';
export type { WhyRun } from './content/why-run.ts';
