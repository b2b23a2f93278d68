import { z } from 'zod';
import type { ResourceTypeSpec } from '../../../analysis/grade10/model/metrics.ts';
import type { PhaseTypeSpec } from '../../../analysis/grade10/model/phase-types.ts';

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

const caseRuleSchema = z.discriminatedUnion('rule', [
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

const caseMetricSchema = z.discriminatedUnion('class', [
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
  rules: z.array(caseRuleSchema),
  phases: z.array(z.object({ path: z.string(), start_ns: nsSchema, end_ns: nsSchema })),
  metrics: z.array(caseMetricSchema),
  mapping: z.array(z.object({ phase: z.string(), resources: z.array(z.string()) })),
});
export type Case = z.infer<typeof caseSchema>;
