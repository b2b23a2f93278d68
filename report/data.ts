import { z } from 'zod';
import { coordinates } from './coordinates.ts';
import { whySchema } from './why-data.ts';

// Everything that the page shows, as plain data. Units are in the names: ct seconds, bw percent of the line rate,
// ...Bps bits per second, ...Percent percent. A list without entries means: not there; `missing` says why.

/** One finished cell: the statistics of its timed searches. */
const cellRowSchema = z.strictObject({
  ...coordinates,
  ranks: z.int().positive(),
  rep: z.int().positive(),
  role: z.enum(['measure', 'drift']),
  count: z.int().positive(),
  meanCt: z.number(),
  medianCt: z.number(),
  minCt: z.number(),
  maxCt: z.number(),
  /** Null where the workload reports no traversed edges. */
  harmonicMeanTeps: z.number().nullable(),
});

/** All repetitions of one (nodes, scale, bw) together, drift cells apart: what the figures show. */
const pointSchema = z.strictObject({
  ...coordinates,
  count: z.int().positive(),
  meanCt: z.number().positive(),
  q1Ct: z.number().positive(),
  q3Ct: z.number().positive(),
  harmonicMeanTeps: z.number().nullable(),
  /** Completion time increment against bw 100 (Eq 4), percent; null without a measurement at 100 %. */
  ctiPercent: z.number().nullable(),
});

const failureSchema = z.strictObject({ ...coordinates, rep: z.int().positive(), reason: z.string() });

/** Null at an end: beyond every number. */
const intervalSchema = z.strictObject({ low: z.number().nullable(), high: z.number().nullable() });

const rangeSchema = z.strictObject({ min: z.number(), max: z.number() });

const campaignSchema = z.strictObject({
  cluster: z.string(),
  hosts: z.int().nonnegative(),
  kernels: z.array(z.string()),
  cores: rangeSchema.nullable(),
  /** What a control group leaves of the cores, where there is a quota. */
  cpuQuotaCores: rangeSchema.nullable(),
  memoryBytes: rangeSchema.nullable(),
  lineRateBps: z.number().positive().nullable(),
  launcher: z.string().nullable(),
  ranksPerNode: z.number().positive().nullable(),
  workload: z.string(),
  sweep: z.strictObject({
    nodes: z.array(z.number()),
    scales: z.array(z.number()),
    bw: z.array(z.number()),
    reps: z.int().nonnegative(),
    roots: z.int().nonnegative(),
  }),
  cells: z.strictObject({ planned: z.int(), done: z.int(), failed: z.int() }),
  totalSeconds: z.number().nonnegative().nullable(),
});

const driftSchema = z.strictObject({
  nodes: z.number(),
  scale: z.number(),
  startCt: z.number(),
  endCt: z.number(),
  percent: z.number(),
});

/** A fitted model. `id` joins curves, projections and dominance with it; `scale` is null for generalised models. */
const fitRowSchema = z.strictObject({
  id: z.string(),
  model: z.string(),
  title: z.string(),
  formula: z.string(),
  scale: z.number().nullable(),
  /** False for Eq 2 and Eq 3, which describe full bandwidth only. */
  usesBandwidth: z.boolean(),
  coefficients: z.record(z.string(), z.number()),
  alpha: z.number().nullable(),
  /** Set when alpha stopped at a bound of its search and is no estimate. */
  alphaAtBound: z.enum(['lower', 'upper']).nullable(),
  r2: z.number().nullable(),
  mse: z.number(),
  rows: z.int().positive(),
  ranksPerNode: z.number().positive(),
  baseScale: z.number(),
  crossValidation: z.strictObject({ r2: z.number(), medianErrorPercent: z.number() }).nullable(),
  /** Variables that what the fit leaves over still follows: the form is not that of the program. */
  misspecified: z.array(z.enum(['scale', 'nodes', 'bw'])),
});

/** A model's line through the measured region. `x` is nodes (over: nodes, held: bw) or bw (over: bw, held: nodes). */
const curveSchema = z.strictObject({
  fit: z.string(),
  scale: z.number(),
  over: z.enum(['nodes', 'bw']),
  held: z.number(),
  points: z.array(z.strictObject({ x: z.number(), ct: z.number() })),
});

/** Predicted against measured cell means; `heldOut` rows lie on node counts that the model never saw. */
const checkSchema = z.strictObject({
  trainedOn: z.array(z.number()),
  rows: z.array(
    z.strictObject({
      model: z.string(),
      ...coordinates,
      set: z.enum(['training', 'heldOut']),
      predicted: z.number(),
      measured: z.number(),
      errorPercent: z.number(),
      /** 90 % interval of what was going to be measured; null for training rows. */
      interval: intervalSchema.nullable(),
    }),
  ),
});

const projectionRowSchema = z.strictObject({
  fit: z.string(),
  ...coordinates,
  ct: z.number(),
  /** 90 % interval of ct. */
  interval: intervalSchema,
  /** Null where the workload has no edges to count. */
  gteps: z.number().nullable(),
});

const dominanceRowSchema = z.strictObject({
  fit: z.string(),
  scale: z.number(),
  bw: z.number(),
  /** Continuous crossing; null where communication never takes over. */
  nodes: z.number().nullable(),
  /** 90 % interval of the crossing. */
  interval: intervalSchema,
  admissibleNodes: z.number().nullable(),
});

/**
 * The smallest bandwidth (percent) at which CT grows by no more than `ctiPercent`.
 * `atMost`: even the lowest bandwidth looked at is enough.
 */
const demandSchema = z.strictObject({
  source: z.enum(['measured', 'fit']),
  nodes: z.number(),
  scale: z.number(),
  ctiPercent: z.number(),
  bw: z.number(),
  atMost: z.boolean(),
});

/** What shows that the throttle held, per bandwidth: shares are percent of the line rate. */
const throttleRowSchema = z.strictObject({
  bw: z.number(),
  setBps: z.number(),
  /** The busiest host's mean rate over a run, and the mean over hosts, as percent of the set rate. */
  maxAveragePercent: z.number().nullable(),
  meanAveragePercent: z.number().nullable(),
  /** Goodput of the TCP probes as percent of the set rate. */
  probeMinPercent: z.number().nullable(),
  probeMaxPercent: z.number().nullable(),
  cells: z.int(),
});

/** How the competing forms did on node counts that were left out. */
const comparisonSchema = z.strictObject({
  sentence: z.string(),
  leftOutNodes: z.array(z.number()),
  candidates: z.array(
    z.strictObject({
      title: z.string(),
      formula: z.string(),
      medianErrorPercent: z.number().nullable(),
      bic: z.number(),
      warning: z.string().nullable(),
      chosen: z.boolean(),
    }),
  ),
});

const sectionNames = ['scaling', 'bandwidth', 'models', 'check', 'projections', 'throttle', 'drift'] as const;
export type SectionName = (typeof sectionNames)[number];

export const reportDataSchema = z.strictObject({
  title: z.string(),
  generatedAt: z.iso.datetime(),
  /** Sentences with numbers, the answer first. */
  headline: z.array(z.string()),
  keyFigures: z.array(z.strictObject({ value: z.string(), label: z.string(), note: z.string() })),
  warnings: z.array(z.string()),
  campaign: campaignSchema,
  drift: z.array(driftSchema),
  cells: z.array(cellRowSchema),
  points: z.array(pointSchema),
  failures: z.array(failureSchema),
  fits: z.array(fitRowSchema),
  curves: z.array(curveSchema),
  check: checkSchema.nullable(),
  /** The forms that competed; null where too little was measured. */
  comparison: comparisonSchema.nullable(),
  projections: z.array(projectionRowSchema),
  /** What follows for somebody who must buy: sentences with intervals. */
  decisions: z.array(z.string()),
  dominance: z.array(dominanceRowSchema),
  demand: z.array(demandSchema),
  throttle: z.array(throttleRowSchema),
  /** Where the time went; null where runs were not sampled. */
  why: whySchema.nullable(),
  /** One sentence for a section that has nothing to show. */
  missing: z.partialRecord(z.enum(sectionNames), z.string()),
});

export type ReportData = z.infer<typeof reportDataSchema>;
export type CellRow = z.infer<typeof cellRowSchema>;
export type PointRow = z.infer<typeof pointSchema>;
export type FitRow = z.infer<typeof fitRowSchema>;
export type Curve = z.infer<typeof curveSchema>;
export type CheckRow = z.infer<typeof checkSchema>['rows'][number];
export type ProjectionRow = z.infer<typeof projectionRowSchema>;
export type DominanceRow = z.infer<typeof dominanceRowSchema>;
export type DemandRow = z.infer<typeof demandSchema>;
export type ThrottleRow = z.infer<typeof throttleRowSchema>;
