import { z } from 'zod';
import { coordinates } from './coordinates.ts';

// Where the time of runs went, as plain data; a part of ReportData.

const span = { from: z.number(), to: z.number() };
/** Seconds since the reported phase's start; `groups` are names of components. */
const stretchSchema = z.strictObject({ ...span, groups: z.array(z.string()).readonly() });

/** The bottleneck report of one phase, as in figure 4.11 of Hegeman's thesis. */
const bottleneckReportSchema = z.strictObject({
  title: z.string(),
  seconds: z.number(),
  overview: z.array(stretchSchema).readonly(),
  resources: z.array(
    z.strictObject({
      label: z.string(),
      group: z.string(),
      percent: z.number(),
      /** Share of the phases alive that are bottlenecked, 0 to 1. */
      stretches: z.array(z.strictObject({ ...span, share: z.number() })),
    }),
  ),
  subphases: z.array(z.strictObject({ name: z.string(), ...span, stretches: z.array(stretchSchema) })),
});

/** What a metric was used for during a phase, one value per slice (figures 5.7 to 5.10). Rates in `unit`. */
const attributionSchema = z.strictObject({
  label: z.string(),
  where: z.string(),
  unit: z.string(),
  group: z.string(),
  sampler: z.enum(['constant', 'phase-aware']),
  capacity: z.number(),
  sliceSeconds: z.number(),
  measured: z.array(z.strictObject({ ...span, rate: z.number() })).readonly(),
  used: z.array(
    z.strictObject({
      name: z.string(),
      usage: z.array(z.number()).readonly(),
      capacity: z.array(z.number()).readonly(),
    }),
  ),
});

/** Where the time of runs went, by the Grade10 method. Seconds are per phase in focus (`noun`: a search). */
export const whySchema = z.strictObject({
  noun: z.string(),
  model: z.string(),
  /** What will hold the largest cluster up; null where nothing could be forecast. */
  answer: z.string().nullable(),
  sentences: z.array(z.string()).readonly(),
  /** What was doubtful or missing in the traces of runs. */
  warnings: z.array(z.string()).readonly(),
  components: z.array(z.strictObject({ name: z.string(), label: z.string() })),
  /** `parts`: seconds of each component, in their order. */
  rows: z.array(
    z.strictObject({ ...coordinates, seconds: z.number(), parts: z.array(z.number()).readonly(), helps: z.string() }),
  ),
  forecasts: z.array(
    z.strictObject({
      ...coordinates,
      components: z
        .array(
          z.strictObject({
            name: z.string(),
            value: z.number().nullable(),
            low: z.number().nullable(),
            high: z.number().nullable(),
          }),
        )
        .readonly(),
    }),
  ),
  /** Below which bandwidth (percent) the network costs more than the processors. */
  takeovers: z
    .array(
      z.strictObject({
        scale: z.number(),
        nodes: z.number(),
        above: z.number().nullable(),
        below: z.number().nullable(),
        fitted: z.number().nullable(),
      }),
    )
    .readonly(),
  runs: z.array(
    z.strictObject({
      ...coordinates,
      seconds: z.number(),
      count: z.int(),
      /** What would help, the most first. */
      issues: z.array(z.string()).readonly(),
      /** The first is of the phase in focus, each further one of a phase within the one before. */
      reports: z.array(bottleneckReportSchema),
      attributions: z.array(attributionSchema),
      sampling: z.array(
        z.strictObject({
          metric: z.string(),
          intervalSeconds: z.number(),
          constantPercent: z.number().nullable(),
          phaseAwarePercent: z.number().nullable(),
        }),
      ),
    }),
  ),
});

export type Why = z.infer<typeof whySchema>;
export type WhyRun = Why['runs'][number];
export type BottleneckData = z.infer<typeof bottleneckReportSchema>;
export type AttributionData = z.infer<typeof attributionSchema>;
