import type { Bend } from './forms/bend.ts';
import type { Form } from './forms/form.ts';
import type { Target, Variable } from './rows.ts';

/** A fitted model: enough to project from, and how well it describes its rows. */
export interface Fit {
  /** The form's name. */
  readonly model: string;
  readonly form: Form;
  /** By term name: C1, C2 (C alone for Eq 5). Units: seconds times the inverse of the term. */
  readonly coefficients: Readonly<Record<string, number>>;
  /** Exponential factor of 100/bw; null for models without it. */
  readonly alpha: number | null;
  /**
   * Present only when alpha stopped at a bound of its search, so that it is no estimate. `lower` (alpha 1): these rows
   * show no effect of bandwidth. `upper`: the effect is steeper than the model's form allows.
   */
  readonly alphaAtBound?: 'lower' | 'upper' | undefined;
  /** What the fit made small: squared seconds or squared shares of the cell means. */
  readonly errors: 'absolute' | 'relative';
  /** 1 - SSE/SST, centred, over all rows. */
  readonly r2: number;
  /** SSE / rows, s². */
  readonly mse: number;
  readonly rows: number;
  readonly ranksPerNode: number;
  /** D = 2^(scale - baseScale). */
  readonly baseScale: number;
  /** How the program strays from the form; only replicas of an ensemble have one. */
  readonly bend?: Bend | undefined;
  /** That of its communication, where that was measured by itself: `bend` is of the rest. */
  readonly communicationBend?: Bend | undefined;
  /** Threads of each rank for which it is asked where a target does not say; absent where rows have one number of them. */
  readonly threads?: number | undefined;
  /** What the rows covered: the values a model held fixed, and the ranges of the others. */
  readonly trainedOn: {
    readonly nodes: readonly number[];
    readonly scales: readonly number[];
    readonly bw: readonly number[];
    /** Absent where all ranks have one. */
    readonly threads?: readonly number[] | undefined;
  };
}

/** A number with its interval. Null stands for never or nowhere: a bound of null is beyond every number. */
export interface Estimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}
type Interval = Pick<Estimate, 'low' | 'high'>;

/** Mean relative residual (measured over predicted, percent) per level of a variable that the residuals still follow. */
export interface Trend {
  readonly variable: Variable;
  /** Normal score of the analysis of variance. */
  readonly score: number;
  readonly levels: readonly { readonly level: number; readonly percent: number }[];
}

/** What a fit leaves over, and what to be careful about. */
export interface Diagnosis {
  readonly trends: readonly Trend[];
  readonly warnings: readonly string[];
}

/** Completion time (s) and GTEPS at one target. */
export interface Projection extends Target {
  readonly ct: number;
  /** Null for programs without graphs. */
  readonly gteps: number | null;
}

/** How well predictions meet rows that the fit never saw. */
export interface Score {
  readonly rows: number;
  /** 1 - SSE/SST, centred on the held-out rows' own mean. */
  readonly r2: number;
  /** SSE / rows, s². */
  readonly mse: number;
  /** Of |predicted - measured| / measured, percent. */
  readonly medianErrorPercent: number;
  readonly meanErrorPercent: number;
}

/** Interpolation: random parts of the rows held out. `score` is over all held-out rows together. */
export interface Validation {
  readonly score: Score;
  readonly parts: readonly { readonly fit: Fit; readonly score: Score }[];
}

/** A cell that was predicted without having been seen. */
export interface UnseenCell extends Target {
  readonly rows: number;
  /** Mean of the cell's rows, s. */
  readonly measured: number;
  readonly predicted: number;
  /** Signed: above 0 means that the prediction is too slow. */
  readonly errorPercent: number;
  /** Where the cell's measured mean should fall; null unless asked for. */
  readonly interval: Interval | null;
  /** Why the prediction is no answer, and what to measure next; null where it is one, or no interval was asked for. */
  readonly abstains: string | null;
}

/** Extrapolation: the largest node counts held out and predicted, cell by cell. */
export interface Extrapolation {
  readonly fit: Fit;
  readonly heldOutNodes: readonly number[];
  readonly cells: readonly UnseenCell[];
  /** Of |errorPercent| over the cells. */
  readonly medianErrorPercent: number;
  readonly maxErrorPercent: number;
  /** Share of the cells inside their interval; null unless asked for. */
  readonly insidePercent: number | null;
  /** Against baselines; null for a form by itself. */
  readonly skill: Skill | null;
}

/** How predictions compare with those of baselines that saw the same cells. */
export interface Skill {
  /** 1 - mean |ln(predicted/measured)| / the same of `reference`: below 0 the baseline is nearer. Null where that one is exact. */
  readonly score: number | null;
  /** The best baseline by `meanLogError`. */
  readonly reference: string;
  readonly baselines: readonly {
    readonly name: string;
    /** For use inside a sentence. */
    readonly title: string;
    readonly medianErrorPercent: number;
    /** Mean |ln(predicted/measured)|. */
    readonly meanLogError: number;
  }[];
}

/** Completion times (s) at one target: predicted, and by baselines. */
export interface BaselineTimes extends Target {
  readonly ct: number;
  readonly times: readonly { readonly name: string; readonly title: string; readonly ct: number }[];
}

/** Bandwidth demand BW(CTI, n): the smallest bandwidth, percent, at which the increment stays at or below the level. */
export interface Demand extends Target {
  /** The level: 10 is ten percent slower than at full bandwidth. */
  readonly ctiPercent: number;
  /** True when even the lowest bandwidth looked at stays within the level: the demand is `bw` or less. */
  readonly atMost: boolean;
}

/** One form in a comparison. */
export interface Candidate extends Pick<Fit, 'form' | 'coefficients' | 'alpha'> {
  readonly name: string;
  /** As fitted: CT = C1*D^1.3/x + ... */
  readonly formula: string;
  /** As fitted: C1*D^1.3/x. */
  readonly terms: readonly string[];
  /** Median error, percent, on left-out node counts; null where none could be left out. */
  readonly score: number | null;
  readonly bic: number;
  /** Share of the mixture that `auto` is: how likely the form is beside the others; 0 for one that only competes. */
  readonly weight: number;
  /** The gravest warning about the fit; null when there is none. */
  readonly warning: string | null;
}

/** Forms ranked by their error on left-out node counts, and the one to use. */
export interface Comparison {
  readonly chosen: string;
  readonly fit: Fit;
  readonly sentence: string;
  readonly errors: Fit['errors'];
  readonly leftOutNodes: readonly number[];
  readonly candidates: readonly Candidate[];
}
