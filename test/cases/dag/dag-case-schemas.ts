import { z } from 'zod';
import { SATURATIONS } from '../../../analysis/dag/judge/judge.ts';
import {
  flinkBackPressureSchema,
  flinkJobSchema,
  flinkPlanSchema,
} from '../../../orchestrator/dag/flink/flink-answers.ts';
import { idRecord } from './id-record.ts';
import { pipeRecordingSchema } from './pipe-recording.ts';
import { tracksSchema } from './tracks.ts';

const id = z.string().min(1);
const threshold = z.number().min(0).max(1);
const time = z.number().int().safe();
const fractions = idRecord(z.array(z.number().min(0).max(1).nullable()));
const span = z.object({ startNs: time, endNs: time });

const settings = {
  alpha: threshold.default(0.9),
  beta: threshold.default(0.9),
  saturation: z.enum(SATURATIONS).default('buffer'),
};
const graph = {
  vertices: z.array(z.object({ id, instances: z.number().int().nonnegative().default(1) })),
  edges: z.array(z.object({ id, from: id, to: id })),
};

/** Fractions of each period, given as they are. */
const givenSchema = z.object({
  ...settings,
  ...graph,
  periods: z.array(span.extend({ processing: fractions.default({}), saturated: fractions.default({}) })),
});
/** Tracks, from which the fractions of each period are computed. */
const trackedSchema = z.object({ ...settings, ...graph, periods: z.array(span), tracks: tracksSchema });
/** Raw samples of processes that are joined by pipes. */
const recordedSchema = z.object({ ...settings, periodS: z.number().positive(), recording: pipeRecordingSchema });
/** Answers of Flink's REST API. */
const flinkSchema = z.object({
  ...settings,
  flink: z.object({
    job: flinkJobSchema,
    plan: flinkPlanSchema,
    snapshots: z.array(span.extend({ backpressure: idRecord(flinkBackPressureSchema) })),
  }),
});

/** What a case may be, by the key that only it has. */
export const caseSchemas = {
  recording: recordedSchema,
  flink: flinkSchema,
  tracks: trackedSchema,
  periods: givenSchema,
};
