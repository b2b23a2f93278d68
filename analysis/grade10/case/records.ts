import { z } from 'zod';
import type { PhaseTypeSpec } from '../model/phase-types.ts';
import type { ResourceTypeSpec } from '../model/resource-types.ts';

const phaseTypeSchema: z.ZodType<PhaseTypeSpec> = z.object({
  name: z.string(),
  repeat: z.enum(['none', 'sequential', 'concurrent']).optional(),
  key: z.string().optional(),
  after: z.array(z.string()).optional(),
  get children() {
    return z.array(phaseTypeSchema).optional();
  },
});

const metricClassSchema = z.enum(['consumable', 'blocking']);

const resourceTypeSchema: z.ZodType<ResourceTypeSpec> = z.object({
  name: z.string(),
  repeat: z.enum(['once', 'many']).optional(),
  key: z.string().optional(),
  metrics: z.array(z.object({ name: z.string(), class: metricClassSchema })).optional(),
  get children() {
    return z.array(resourceTypeSchema).optional();
  },
});

const ruleSchema = z.discriminatedUnion('rule', [
  /** Greedy: `value` is the cap, in the unit of the metric. */
  z.object({ rule: z.literal('exact'), phase_type: z.string(), metric_type: z.string(), value: z.number() }),
  /** Sink: `value` is the weight. */
  z.object({
    rule: z.literal('variable'),
    phase_type: z.string(),
    metric_type: z.string(),
    value: z.number().default(1),
  }),
  z.object({ rule: z.literal('full'), phase_type: z.string(), metric_type: z.string() }),
  z.object({ rule: z.literal('none'), phase_type: z.string(), metric_type: z.string() }),
]);

/** Nanoseconds since any origin, exact in a double. */
const nsSchema = z.int();

const metricSchema = z.discriminatedUnion('class', [
  z.object({
    class: z.literal('consumable'),
    path: z.string(),
    capacity: z.number(),
    /** Boundaries of the periods: one more than values. */
    observation_times_ns: z.array(nsSchema),
    /** Average rate over each period. */
    observation_values: z.array(z.number()),
  }),
  z.object({ class: z.literal('blocking'), path: z.string(), blocked_ns: z.array(z.tuple([nsSchema, nsSchema])) }),
]);

/** One job with its models: the form of the comparison cases. Keys that are not listed are ignored. */
export const caseSchema = z.object({
  schema_version: z.literal(1).default(1),
  name: z.string().default(''),
  timeslice_ns: nsSchema,
  sampler: z.enum(['phase-aware', 'constant']),
  thresholds: z.object({ global: z.number(), local: z.number() }),
  execution_spec: phaseTypeSchema,
  resource_spec: resourceTypeSchema,
  rules: z.array(ruleSchema),
  phases: z.array(z.object({ path: z.string(), start_ns: nsSchema, end_ns: nsSchema })),
  metrics: z.array(metricSchema),
  mapping: z.array(z.object({ phase: z.string(), resources: z.array(z.string()) })),
});
export type Case = z.infer<typeof caseSchema>;

/** By path, then by the path of a metric or metric type: run lengths such as 3N1G. */
const runsSchema = z.record(z.string(), z.record(z.string(), z.string()));

const issueSchema = z.discriminatedUnion('pass', [
  z.object({
    pass: z.literal('bottleneck'),
    phase: z.string(),
    target: z.string(),
    source: z.string(),
    impact: z.number(),
    total: z.number(),
  }),
  z.object({
    pass: z.literal('critical-path'),
    phase: z.string(),
    source: z.string(),
    impact: z.number(),
    total: z.number(),
  }),
  z.object({
    pass: z.literal('imbalance'),
    phase: z.string(),
    target: z.string(),
    impact: z.number(),
    count: z.number(),
    actual: z.number(),
    optimal: z.number(),
  }),
]);

/** The results of a case. Rates are in the metrics' units, impacts and makespans in slices. */
export const caseOutputSchema = z.object({
  variant: z.literal('thesis'),
  name: z.string(),
  full: z.boolean(),
  timeslice_ns: nsSchema,
  first_timeslice: z.int(),
  last_timeslice: z.int(),
  /** Path, first and last slice; last < first for a phase of no slices. */
  phases: z.array(z.tuple([z.string(), z.int(), z.int()])),
  sampled: z.record(z.string(), z.array(z.number())),
  attribution: z.record(
    z.string(),
    z.record(z.string(), z.object({ usage: z.array(z.number()), capacity: z.array(z.number()) })),
  ),
  leaf_metric_bottlenecks: runsSchema,
  leaf_bottlenecks: runsSchema,
  composite_bottlenecks: z.record(z.string(), runsSchema),
  issue_count: z.int(),
  issues: z.array(issueSchema),
});
export type CaseOutput = z.infer<typeof caseOutputSchema>;
