import { z } from 'zod';
import { TIMES } from '../../base/bounds.ts';
import type { Rule } from '../grade10/model/uses.ts';

/**
 * Whom a rank may wait for in an exchange: on a q x q grid (rank = row * q + column) its row, its column, either; or all ranks.
 * Nobody leaves before the whole group has entered, except of `row-and-column`, of which a rank hears in several steps.
 */
const GROUPS = ['row', 'column', 'row-and-column', 'all'] as const;
export type Group = (typeof GROUPS)[number];

// A platform's model file; docs/methods.md explains every key with the shipped files as examples.

// No part is empty, the last one neither.
const path = z
  .string()
  .regex(/^(?![\s\S]*\/\/)\/(?:[^[\]=]*[^/[\]=])?$/, 'give a type path such as /Job/Step, without [key=id]');
const name = z.string().min(1);
const share = z.number().gt(0, 'give a share above 0').max(1, 'give a share of at most 1');

/** `1.5 ms`, at least 1. */
export function nanoseconds(text: string): number {
  const unit = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 }[text.replace(/[0-9. ]/g, '')] ?? 1;
  return Math.max(1, Math.round(Number.parseFloat(text) * unit));
}

export interface PhaseEntry {
  readonly repeat?: 'sequential' | 'concurrent' | undefined;
  readonly key?: string | undefined;
  readonly after?: readonly string[] | undefined;
  readonly phases?: Readonly<Record<string, PhaseEntry | null>> | undefined;
}
const phaseSchema: z.ZodType<PhaseEntry> = z.strictObject({
  repeat: z.enum(['sequential', 'concurrent']).optional(),
  key: name.optional(),
  after: z.array(name).optional(),
  phases: z.lazy(() => z.record(name, phaseSchema.nullable())).optional(),
});

const metricClass = z.enum(['consumable', 'blocking']);
const metricSchema = z.strictObject({
  class: metricClass,
  /** What people call it: 'the processors'. */
  label: name.optional(),
  /** Metrics of one group are one component of the time: network for both directions of a link. */
  group: name.optional(),
  unit: z.string().optional(),
});

export interface ResourceEntry {
  readonly repeat?: 'many' | undefined;
  readonly key?: string | undefined;
  readonly metrics?: Readonly<Record<string, z.infer<typeof metricClass> | z.infer<typeof metricSchema>>> | undefined;
  readonly resources?: Readonly<Record<string, ResourceEntry | null>> | undefined;
}
const resourceSchema: z.ZodType<ResourceEntry> = z.strictObject({
  repeat: z.literal('many').optional(),
  key: name.optional(),
  metrics: z
    .record(
      name,
      z.union([metricClass, metricSchema], 'write consumable, blocking, or a section with class, label, group, unit'),
    )
    .optional(),
  resources: z.lazy(() => z.record(name, resourceSchema.nullable())).optional(),
});

const ruleSchema = z.unknown().transform((text, context): Rule => {
  const [, kind = '', amount] =
    /^(none|full|greedy|sink)(?: +(\d+(?:\.\d+)?(?:e[+-]?\d+)?))?$/.exec(String(text)) ?? [];
  const value = amount === undefined ? undefined : Number(amount);
  if (kind === 'greedy' && value !== undefined) return { kind, cap: value };
  if (kind === 'sink') return { kind, weight: value ?? 1 };
  if ((kind === 'none' || kind === 'full') && value === undefined) return { kind };
  context.addIssue(`'${text}' is not a rule: write none, full, sink, sink WEIGHT or greedy CAP`);
  return z.NEVER;
});

const predicateSchema = z.union(
  [
    z.enum(['any', 'all', 'majority', 'majority+any']),
    z.strictObject({
      name,
      /** Bottlenecked when at least this share of the subphases is. */
      'at-least': share,
      /** Of all subphases together, or of one type of them. */
      per: z.enum(['phase', 'type']).default('phase'),
    }),
  ],
  'write any, all, majority, majority+any, or { name: NAME, at-least: SHARE, per: phase or type }',
);

const thresholdSchema = z.union([share, z.record(z.union([z.literal('default'), path]), share)]);

const measuredSchema = z.strictObject({
  /** Phase name in the program's trace, or what it begins with and a `*` -> phase type, null for one to leave out. Ids are the trace's own keys. */
  trace: z.record(name, path.nullable()).optional(),
  /** The phase type of a rank's whole life, for programs without a trace. */
  lifetime: path.optional(),
  /** Phase type -> whom a rank waits for in it: the ranks of its row or column of the grid of ranks, both, or all. Others are work. */
  exchanges: z.record(path, z.enum(GROUPS, `write ${GROUPS.join(', ')}`)).optional(),
  metrics: z.record(
    path,
    z.union([
      z.strictObject({
        counter: name,
        /** The metric's unit per count: 1e-9 turns nanoseconds per second into cores. */
        factor: z.number().positive().default(1),
        capacity: z.union([z.enum(['cores', 'link']), z.number().nonnegative()], 'write cores, link or a number'),
      }),
      /** `sleeps`: phase types in which the sleep that a trace measured counts; without a measurement all of `waits` does. */
      z.strictObject({ waits: path, sleeps: z.array(path).optional() }),
    ]),
  ),
});

export const platformFileSchema = z.strictObject({
  name,
  about: z.string().optional(),
  /** A shipped model or another file; keys given here replace its keys, rules are merged pair by pair. */
  extends: name.optional(),
  /** What reports are about; the whole job when left out. */
  focus: path.optional(),
  /** What people call one phase in focus: search. */
  noun: name.optional(),
  timeslice: z
    .string()
    .regex(/^\d+(\.\d+)? *(ns|us|ms|s)$/, 'give a duration such as 1ms')
    .refine((text) => !(Number.parseFloat(text) <= 0), 'give a duration above 0')
    .refine((text) => !(nanoseconds(text) > TIMES['--slice'].most * 1e9), 'give a duration of at most 3600s')
    .optional(),
  sampler: z.enum(['phase-aware', 'constant']).optional(),
  thresholds: z.strictObject({ global: thresholdSchema.optional(), local: thresholdSchema.optional() }).optional(),
  predicates: z.array(predicateSchema).optional(),
  /** A JavaScript module whose exports `predicates` and `issues` join those above. */
  module: name.optional(),
  phases: z.record(name, phaseSchema.nullable()).optional(),
  resources: z.record(name, resourceSchema.nullable()).optional(),
  /** Phase type -> resources, with {key} for the id of the phase or of one above it. */
  mapping: z.record(path, z.array(z.string().startsWith('/', 'give a resource path'))).optional(),
  /** Phase type -> metric type -> rule. Left out altogether: sink and full. */
  rules: z.record(path, z.record(path, ruleSchema)).optional(),
  /** Key of a phase -> its id -> the host it ran on: makes {host} known. */
  places: z.record(name, z.record(z.string(), z.coerce.string())).optional(),
  measured: measuredSchema.optional(),
  /** Capacities that Grade10's resource monitor does not know, bytes per second and host. */
  monitored: z
    .strictObject({ network: z.number().positive().optional(), disk: z.number().positive().optional() })
    .optional(),
});
export type PlatformFile = z.infer<typeof platformFileSchema>;
