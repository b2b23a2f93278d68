import { z } from 'zod';

export const modelNameSchema = z.enum(['eq2', 'eq3', 'eq5', 'eq6', 'eq7', 'volume']);
export type ModelName = z.infer<typeof modelNameSchema>;

/** A fitted model: enough to project from, and how well it describes its rows. */
export const fitSchema = z.strictObject({
  model: modelNameSchema,
  /** By term name: C1, C2 (C alone for Eq 5). Units: seconds times the inverse of the term. */
  coefficients: z.record(z.string(), z.number().nonnegative()),
  /** Exponential factor of 100/bw; null for models without it. */
  alpha: z.number().nullable(),
  /**
   * Present only when alpha stopped at a bound of its search, so that it is no estimate. `lower` (alpha 1): these rows
   * show no effect of bandwidth. `upper`: the effect is steeper than the model's form allows.
   */
  alphaAtBound: z.enum(['lower', 'upper']).optional(),
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
export const scoreSchema = z.strictObject({
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
  model: modelNameSchema,
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
    }),
  ),
  /** Of |errorPercent| over the cells. */
  medianErrorPercent: z.number().nonnegative(),
  maxErrorPercent: z.number().nonnegative(),
});
export type Extrapolation = z.infer<typeof extrapolationSchema>;

/** Bandwidth demand BW(CTI, n): the smallest bandwidth, percent, at which CTI stays at or below the level. */
export const demandSchema = z.strictObject({
  scale: z.number(),
  nodes: z.number().positive(),
  /** The level as a fraction: 0.1 is ten percent slower than at full bandwidth. */
  cti: z.number().nonnegative(),
  bw: z.number().positive(),
  /** True when even the lowest bandwidth looked at stays within the level: the demand is `bw` or less. */
  atMost: z.boolean(),
});
export type Demand = z.infer<typeof demandSchema>;
