import { z } from 'zod';
import { type Analysis, analyse } from '../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { renderResultJson } from '../../analysis/grade10/result/result-json.ts';
import type { Case } from '../cases/grade10/case-records.ts';
import { readCase } from '../cases/grade10/read-case.ts';

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
export const caseOutputSchema = z.strictObject({
  variant: z.literal('thesis'),
  name: z.string(),
  full: z.boolean(),
  timeslice_ns: z.int(),
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

/** All that is printed for a case, read back. */
export function runCase(input: Case): CaseOutput {
  const { sampler, thresholds } = input;
  return outputOf(input, analyse(createModel(readCase(input)), { sampler, thresholds }));
}

/** The printed results of an analysis; paths are those of the case, or by default made of types and ids. */
export function outputOf({ name, phases }: { name: string; phases?: Case['phases'] }, analysis: Analysis): CaseOutput {
  const paths = phases ? { paths: phases.map(({ path }) => path) } : {};
  return caseOutputSchema.parse(JSON.parse([...renderResultJson(analysis, { name, ...paths })].join('')));
}
