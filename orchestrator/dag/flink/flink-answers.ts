// Flink's REST API: https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/
import { z } from 'zod';
import {
  computePressure,
  type DagEdge,
  type DagVertex,
  type EdgePeriod,
  type VertexPeriod,
} from '../../../experiments/dag/dag-records.ts';

const amount = z.unknown().transform((value) => (typeof value === 'number' && value >= 0 ? value : null));

/** `GET /jobs/ID`, as far as it is used; what its vertices counted since they began, null where an answer has no such number. */
export const flinkJobSchema = z.object({
  name: z.string().default(''),
  state: z.string().default(''),
  vertices: z.array(
    z.object({
      id: z.string().min(1),
      name: z.string(),
      parallelism: z.number().int().nonnegative(),
      metrics: z
        .object({ 'read-records': amount, 'write-records': amount, 'write-bytes': amount })
        .partial()
        .default({}),
    }),
  ),
});
export type FlinkJob = z.infer<typeof flinkJobSchema>;

/** `GET /jobs/ID/plan`: the inputs of a node are its edges. */
export const flinkPlanSchema = z.object({
  plan: z.object({
    nodes: z.array(
      z.object({ id: z.string().min(1), inputs: z.array(z.object({ id: z.string().min(1) })).default([]) }),
    ),
  }),
});
type FlinkPlan = z.infer<typeof flinkPlanSchema>;

/** A share of time; NaN (which JSON spells as a text), null and anything else that is no number is unknown. */
const ratio = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'number' && Number.isFinite(value) ? Math.max(0, value) : null));

/** Flink's clocks may say a little more than all of the time: of what is compared with a threshold that is all of it. */
const busyRatio = ratio.transform((value) => (value === null ? null : Math.min(1, value)));

/** `GET /jobs/ID/vertices/VERTEX/backpressure`. Before 1.13 it has `ratio` alone. */
export const flinkBackPressureSchema = z.object({
  /** `deprecated`: the answer is out of date and the next one is not made yet. */
  status: z.string(),
  subtasks: z.array(z.object({ subtask: z.number().int(), ratio, idleRatio: ratio, busyRatio })).default([]),
});
type FlinkBackPressure = z.infer<typeof flinkBackPressureSchema>;

/** Vertices and edges of a job. Several inputs from one vertex are one edge: they are channels between the same two tasks. */
export function flinkShape(
  { vertices }: Pick<FlinkJob, 'vertices'>,
  { plan }: FlinkPlan,
): { readonly vertices: DagVertex[]; readonly edges: DagEdge[] } {
  const edges = new Map<string, DagEdge>();
  for (const { id: to, inputs } of plan.nodes) {
    for (const { id: from } of inputs) {
      const id = `${from}>${to}`;
      edges.set(id, { id, from, to, capacity: null, unit: 'records', linkBps: null });
    }
  }
  return {
    vertices: vertices.map(({ id, name, parallelism }) => ({ id, label: name, hosts: [], instances: parallelism })),
    edges: [...edges.values()],
  };
}

/** What the subtasks of a vertex did; subtasks that are missing did not live. */
export interface FlinkShares {
  readonly processing: VertexPeriod['processing'];
  readonly busyAtMost: number | null;
  readonly pressure: NonNullable<EdgePeriod['pressure']>;
  readonly writer: NonNullable<EdgePeriod['writer']>;
}

/** Of a vertex whose answer does not come. */
export const UNKNOWN_SHARES: FlinkShares = { processing: [], busyAtMost: null, pressure: [], writer: [] };

/**
 * PROCESSING is busy; the pressure of a vertex's edges is back pressure as a share of all waiting, the same for each edge, for Flink
 * does not tell them apart. A source of the old interface has no busyRatio: it was busy for what ratio and idleRatio leave, at most.
 */
export function flinkShares({ status, subtasks }: FlinkBackPressure): FlinkShares {
  if (status !== 'ok') return UNKNOWN_SHARES;
  const most = subtasks.map(({ ratio: pressed, idleRatio, busyRatio: busy }) => {
    if (busy !== null) return busy;
    return pressed === null && idleRatio === null ? Number.NaN : Math.max(0, 1 - (pressed ?? 0) - (idleRatio ?? 0));
  });
  const mean = most.reduce((sum, one) => sum + one, 0) / most.length;
  return {
    processing: subtasks.map((one) => one.busyRatio),
    busyAtMost: Number.isNaN(mean) ? null : mean,
    pressure: subtasks.map(({ ratio: pressed, idleRatio }) => {
      return pressed === null || idleRatio === null ? null : computePressure(pressed, pressed + idleRatio);
    }),
    writer: subtasks.map((one) => one.ratio),
  };
}
