import { badInput } from '../../../base/errors.ts';
import { shortened } from '../../../base/shortened.ts';
import { STDIN } from '../../path/source/open-bytes.ts';
import { readCpuProfile } from './cpuprofile.ts';
import { readJfr } from './jfr.ts';
import { refuseBinary } from './only-converted.ts';
import { looksBinary, readPprof } from './pprof.ts';
import { ProfileFile } from './profile-file.ts';
import { readChromeTrace } from './read-chrome-trace.ts';
import { looksLikePerf, readPerfScript } from './read-perf-script.ts';
import type { ReadOptions, RecordingReader } from './reader.ts';
import type { Recording } from './recording.ts';
import { readSpeedscope } from './speedscope.ts';

/** Formats of other profilers, by the name that `--format` takes. Collapsed text (`folded`) has a way of its own into the tree. */
const READERS = {
  perf: readPerfScript,
  v8: readCpuProfile,
  jfr: readJfr,
  pprof: readPprof,
  speedscope: readSpeedscope,
  chrome: readChromeTrace,
} as const satisfies Readonly<Record<string, RecordingReader>>;

export type RecordingFormat = keyof typeof READERS;

/** A name that `--format` takes beside `auto`. */
export type ProfileFormat = RecordingFormat | 'folded';

/** The names of formats, `folded` among them. */
export const PROFILE_FORMATS: readonly ProfileFormat[] = ['folded', ...(Object.keys(READERS) as RecordingFormat[])];

/** `auto` is undefined: the format is found out. Errors: badInput for a word that names none. */
export function parseProfileFormat(text: string): ProfileFormat | undefined {
  if (text === 'auto') return undefined;
  const found = PROFILE_FORMATS.find((name) => name === text);
  if (found === undefined) {
    throw badInput(`--format: '${shortened(text)}' is not one of auto, ${PROFILE_FORMATS.join(', ')}.`);
  }
  return found;
}

/**
 * The recording in a file of `format`, by default of whichever it is in; null where its beginning is of none of them: collapsed
 * text, or nothing that can be read. Errors: badInput for a file that is damaged, not of the format that was named, or binary and to be
 * converted first.
 */
export async function readRecording(
  path: string,
  options: ReadOptions & { readonly format?: RecordingFormat | undefined } = {},
): Promise<{ readonly format: RecordingFormat; readonly recording: Recording } | null> {
  const isNamed = options.format !== undefined;
  const file = await ProfileFile.open(path, (beginning) => {
    refuseBinary(path, beginning.bytes);
    return isNamed || looksRecorded(beginning);
  });
  if (file !== null) return recordingIn(file, options);
  if (path === STDIN) throw badInput('The format of standard input could not be detected: name it with --format.');
  return null;
}

/** The same of a file in memory. */
export function recordingIn(
  file: ProfileFile,
  { format, ...options }: ReadOptions & { readonly format?: RecordingFormat | undefined } = {},
): { readonly format: RecordingFormat; readonly recording: Recording } | null {
  if (format !== undefined) {
    const recording = READERS[format](file, options);
    if (recording !== null) return { format, recording };
    throw badInput(`--format ${format}: ${file.path} is in another format: leave out --format to detect it.`);
  }
  // JFR comes before those that take the whole file as one value.
  for (const name of ['jfr', 'perf', 'pprof', 'speedscope', 'v8', 'chrome'] as const) {
    const recording = READERS[name](file, options);
    if (recording !== null) return { format: name, recording };
  }
  if (file.looksLikeJson) throw badInput(`${file.path} is JSON, but not of a supported profiler (docs/profiles.md).`);
  return null;
}

function looksRecorded(beginning: ProfileFile): boolean {
  return beginning.looksLikeJson || looksBinary(beginning.bytes) || looksLikePerf(beginning.bytes);
}
