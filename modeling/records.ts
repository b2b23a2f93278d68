import { z } from 'zod';
import { formSchema } from './forms/form.ts';
import type { Variable } from './rows.ts';

/** A fitted model: enough to project from, and how well it describes its rows. */
export const fitSchema = z.strictObject({
  /** The form's name. */
  model: z.string(),
  form: formSchema,
  /** By term name: C1, C2 (C alone for Eq 5). Units: seconds times the inverse of the term. */
  coefficients: z.record(z.string(), z.number()),
  /** Exponential factor of 100/bw; null for models without it. */
  alpha: z.number().nullable(),
  /**
   * Present only when alpha stopped at a bound of its search, so that it is no estimate. `lower` (alpha 1): these rows
   * show no effect of bandwidth. `upper`: the effect is steeper than the model's form allows.
   */
  alphaAtBound: z.enum(['lower', 'upper']).optional(),
  /** What the fit made small: squared seconds or squared shares of the cell means. */
  errors: z.enum(['absolute', 'relative']),
  /** 1 - SSE/SST, centred, over all rows. */
  r2: z.number(),
  /** SSE / rows, s². */
  mse: z.number(),
  rows: z.int().positive(),
  ranksPerNode: z.number().positive(),
  /** D = 2^(scale - baseScale). */
  baseScale: z.number(),
  /** What the rows covered: the values a model held fixed, and the ranges of the others. */
  trainedOn: z.strictObject({
    nodes: z.array(z.number()),
    scales: z.array(z.number()),
    bw: z.array(z.number()),
  }),
});
export type Fit = z.infer<typeof fitSchema>;

/** A number with its interval. Null stands for never or nowhere: a bound of null is beyond every number. */
const estimateSchema = z.strictObject({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});
export type Estimate = z.infer<typeof estimateSchema>;

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
export const projectionSchema = z.strictObject({
  nodes: z.number().positive(),
  bw: z.number().positive(),
  scale: z.number(),
  ct: z.number(),
  gteps: z.number(),
});
export type Projection = z.infer<typeof projectionSchema>;

/** Where communication takes over: the continuous node count and the smallest admissible one at or above it. */
export const dominanceSchema = z.strictObject({
  bw: z.number().positive(),
  nodes: z.number().nullable(),
  admissibleNodes: z.int().nullable(),
});
export type Dominance = z.infer<typeof dominanceSchema>;

/** How well predictions meet rows that the fit never saw. */
const scoreSchema = z.strictObject({
  rows: z.int().positive(),
  /** 1 - SSE/SST, centred on the held-out rows' own mean. */
  r2: z.number(),
  /** SSE / rows, s². */
  mse: z.number(),
  /** Of |predicted - measured| / measured, percent. */
  medianErrorPercent: z.number().nonnegative(),
  meanErrorPercent: z.number().nonnegative(),
});
export type Score = z.infer<typeof scoreSchema>;

/** Interpolation: random parts of the rows held out. `score` is over all held-out rows together. */
export const validationSchema = z.strictObject({
  model: z.string(),
  /** `split`: one random 1/folds held out (the paper's). `k-fold`: each part held out once. */
  protocol: z.enum(['split', 'k-fold']),
  folds: z.int().min(2),
  seed: z.int(),
  score: scoreSchema,
  parts: z.array(z.strictObject({ fit: fitSchema, score: scoreSchema })),
});
export type Validation = z.infer<typeof validationSchema>;

/** Extrapolation: the largest node counts held out and predicted, cell by cell. */
export const extrapolationSchema = z.strictObject({
  fit: fitSchema,
  heldOutNodes: z.array(z.number()),
  cells: z.array(
    z.strictObject({
      scale: z.number(),
      nodes: z.number().positive(),
      bw: z.number().positive(),
      rows: z.int().positive(),
      /** Mean of the cell's rows, s. */
      measured: z.number().positive(),
      predicted: z.number(),
      /** Signed: above 0 means that the prediction is too slow. */
      errorPercent: z.number(),
      /** Where the cell's measured mean should fall; null unless asked for. */
      interval: z.strictObject({ low: z.number().nullable(), high: z.number().nullable() }).nullable(),
    }),
  ),
  /** Of |errorPercent| over the cells. */
  medianErrorPercent: z.number().nonnegative(),
  maxErrorPercent: z.number().nonnegative(),
  /** Share of the cells inside their interval; null unless asked for. */
  insidePercent: z.number().nullable(),
});
export type Extrapolation = z.infer<typeof extrapolationSchema>;

/** Bandwidth demand BW(CTI, n): the smallest bandwidth, percent, at which the increment stays at or below the level. */
export const demandSchema = z.strictObject({
  scale: z.number(),
  nodes: z.number().positive(),
  /** The level: 10 is ten percent slower than at full bandwidth. */
  ctiPercent: z.number().nonnegative(),
  bw: z.number().positive(),
  /** True when even the lowest bandwidth looked at stays within the level: the demand is `bw` or less. */
  atMost: z.boolean(),
});
export type Demand = z.infer<typeof demandSchema>;

/** One form in a comparison. */
const candidateSchema = z.strictObject({
  name: z.string(),
  form: formSchema,
  /** As fitted: CT = C1*D^1.3/x + ... */
  formula: z.string(),
  /** As fitted: C1*D^1.3/x. */
  terms: z.array(z.string()),
  coefficients: z.record(z.string(), z.number()),
  alpha: z.number().nullable(),
  /** Median error, percent, on left-out node counts; null where none could be left out. */
  score: z.number().nonnegative().nullable(),
  bic: z.number(),
  /** The gravest warning about the fit; null when there is none. */
  warning: z.string().nullable(),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** Forms ranked by their error on left-out node counts, and the one to use. */
export const comparisonSchema = z.strictObject({
  chosen: z.string(),
  fit: fitSchema,
  sentence: z.string(),
  errors: z.enum(['absolute', 'relative']),
  leftOutNodes: z.array(z.number()),
  candidates: z.array(candidateSchema),
});
export type Comparison = z.infer<typeof comparisonSchema>;

const bounds = z.strictObject({ low: z.number().nullable(), high: z.number().nullable() });
const coordinates = { nodes: z.number().positive(), bw: z.number().positive(), scale: z.number() };

/** One cluster that can be had: times in s, efficiency as a fraction, cost in the currency of the price. */
const choiceSchema = z.strictObject({
  ...coordinates,
  ct: estimateSchema,
  /** Where the mean of a measured cell would fall: wider than `ct` by what makes cells lie off the curve. */
  measured: bounds,
  gteps: estimateSchema,
  speedup: estimateSchema,
  efficiency: estimateSchema,
  nodeHours: estimateSchema,
  cost: estimateSchema.nullable(),
});
export type Choice = z.infer<typeof choiceSchema>;

const pickSchema = z.strictObject({ ...coordinates, ct: estimateSchema, nodeHours: estimateSchema }).nullable();

/** What a fit says to somebody who must decide. */
export const decisionsSchema = z.strictObject({
  model: z.string(),
  level: z.number(),
  referenceNodes: z.number(),
  options: z.array(choiceSchema),
  /** The point of diminishing return, by each definition in use. */
  diminishing: z.array(
    z.strictObject({
      definition: z.enum(['communication-dominates', 'doubling-gains-less', 'efficiency-below', 'time-rises']),
      percent: z.number().nullable(),
      scale: z.number(),
      bw: z.number(),
      nodes: estimateSchema,
      admissibleNodes: estimateSchema,
    }),
  ),
  deadline: z
    .strictObject({
      seconds: z.number(),
      smallest: pickSchema,
      smallestSure: pickSchema,
      cheapest: pickSchema,
      cheapestSure: pickSchema,
    })
    .nullable(),
  /** The link that keeps the completion time increment at or below ctiPercent. */
  linkRate: z.array(
    z.strictObject({
      nodes: z.number(),
      scale: z.number(),
      ctiPercent: z.number(),
      bw: estimateSchema,
      rateBps: estimateSchema.nullable(),
    }),
  ),
  memory: z.array(
    z.strictObject({
      scale: z.number(),
      bytesPerEdge: z.number(),
      totalBytes: z.number(),
      bytesPerNode: z.number().nullable(),
      /** Null where the memory of a node is not known. */
      smallestNodes: z.number().nullable(),
      /** Of the node counts asked about, those on which the graph does not fit. */
      tooSmall: z.array(z.number()),
    }),
  ),
});
export type Decisions = z.infer<typeof decisionsSchema>;

/** Cells to measure next, in order, and what they would do to the interval of the target's completion time (s). */
export const adviceSchema = z.strictObject({
  model: z.string(),
  target: z.strictObject(coordinates),
  budgetNodeHours: z.number(),
  nodeHours: z.number(),
  before: estimateSchema,
  after: estimateSchema,
  cells: z.array(
    z.strictObject({
      order: z.int(),
      ...coordinates,
      nodeHours: z.number(),
      standardErrorLeft: z.number(),
    }),
  ),
});
export type Advice = z.infer<typeof adviceSchema>;
