/** What recordings can be in, in the order in which they are tried: JFR comes before those that take the whole file as one value. */
export const RECORDING_FORMATS = ['jfr', 'perf', 'pprof', 'speedscope', 'v8', 'chrome'] as const;
export type RecordingFormat = (typeof RECORDING_FORMATS)[number];

/** The names that `--format` takes beside `auto`: `folded` is collapsed text. They load no reader. */
export const PROFILE_FORMATS = ['folded', ...RECORDING_FORMATS] as const;
export type ProfileFormat = (typeof PROFILE_FORMATS)[number];
