import { z } from 'zod';

export const modelNameSchema = z.enum(['eq2', 'eq3', 'eq5', 'eq6', 'eq7']);
export type ModelName = z.infer<typeof modelNameSchema>;

/** A fitted model: enough to project from, and how well it describes its rows. */
export const fitSchema = z.strictObject({
  model: modelNameSchema,
  /** By term name: C1, C2 (C alone for Eq 5). Units: seconds times the inverse of the term. */
  coefficients: z.record(z.string(), z.number().nonnegative()),
  /** Exponential factor of 100/bw; null for models without it. */
  alpha: z.number().nullable(),
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
