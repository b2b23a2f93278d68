export {
  type FlinkBackPressure,
  type FlinkJob,
  type FlinkPlan,
  flinkBackPressureSchema,
  flinkJobSchema,
  flinkPlanSchema,
  flinkShape,
  flinkShares,
} from './flink.ts';
export { type Recording, readRecording, recordingSchema } from './recording.ts';
export { type Span, sharesOfTracks, type Track, type Tracks, trackSchema, tracksSchema } from './tracks.ts';
