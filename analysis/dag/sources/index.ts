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
export { idRecord } from './id-record.ts';
export { type PipeRecording, pipeRecordingSchema, readPipeRecording } from './pipe-recording.ts';
export { type Span, sharesOfTracks, type Track, type Tracks, trackSchema, tracksSchema } from './tracks.ts';
