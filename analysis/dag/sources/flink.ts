// Flink's REST API: https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/
import { z } from 'zod';
import { computePressure, type EdgePeriod, type VertexPeriod } from '../../../experiments/dag/dag-records.ts';

/** `GET /jobs/ID`, as far as it is used. */
export const flinkJobSchema = z.object({
  name: z.string().default(''),
  state: z.string().default(''),
  vertices: z.array(z.object({ id: z.string().min(1), name: z.string(), parallelism: z.number().int().nonnegative() })),
});
type FlinkJob = z.infer<typeof flinkJobSchema>;

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
export function flinkShape({ vertices }: FlinkJob, { plan }: FlinkPlan) {
  const edges = new Map<string, { id: string; from: string; to: string }>();
  for (const { id: to, inputs } of plan.nodes) {
    for (const { id: from } of inputs) edges.set(`${from}>${to}`, { id: `${from}>${to}`, from, to });
  }
  return {
    vertices: vertices.map(({ id, name, parallelism }) => ({ id, label: name, instances: parallelism })),
    edges: [...edges.values()],
  };
}

/**
 * What the subtasks of a vertex did: PROCESSING is busy; the pressure of its edges is back pressure as a share of all waiting,
 * the same for each edge, for Flink does not tell them apart. Subtasks that are missing did not live. A source of the old interface has
 * no busyRatio: it was busy for what ratio and idleRatio leave, at most.
 */
export function flinkShares({ status, subtasks }: FlinkBackPressure): {
  processing: VertexPeriod['processing'];
  pressure: NonNullable<EdgePeriod['pressure']>;
  busyAtMost: number | null;
} {
  if (status !== 'ok') return { processing: [], pressure: [], busyAtMost: null };
  const most = subtasks.map(({ ratio: pressed, idleRatio, busyRatio: busy }) => {
    if (busy !== null) return busy;
    return pressed === null && idleRatio === null ? Number.NaN : Math.max(0, 1 - (pressed ?? 0) - (idleRatio ?? 0));
  });
  const mean = most.reduce((sum, one) => sum + one, 0) / most.length;
  return {
    processing: subtasks.map(({ busyRatio }) => busyRatio),
    pressure: subtasks.map(({ ratio: pressed, idleRatio }) => {
      return pressed === null || idleRatio === null ? null : computePressure(pressed, pressed + idleRatio);
    }),
    busyAtMost: Number.isNaN(mean) ? null : mean,
  };
}
