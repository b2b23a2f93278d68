import { badInput } from '../../../base/errors.ts';
import { STDIN } from '../../path/formats/open-bytes.ts';
import { readCollapsed } from './collapsed.ts';
import { readCpuProfile } from './cpuprofile.ts';
import { readJfr } from './jfr.ts';
import { looksBinary, readPprof } from './pprof.ts';
import type { ReadOptions, ReadProfile } from './profile-builder.ts';
import { ProfileFile } from './profile-file.ts';
import { type ProfileFormat, RECORDING_FORMATS, type RecordingFormat } from './profile-format.ts';
import { readChromeTrace } from './read-chrome-trace.ts';
import { looksLikePerf, readPerfScript } from './read-perf-script.ts';
import { readSpeedscope } from './speedscope.ts';

interface ProfileReader {
  /** By its beginning, so that collapsed text is not held as a whole. */
  readonly looksLike: (beginning: ProfileFile) => boolean;
  /** Reads what looks like it; null for a file of another format. Errors: badInput, with the line, for one of its own that is damaged. */
  readonly read: (file: ProfileFile, options: ReadOptions) => ReadProfile | null;
}

const isJson = ({ looksLikeJson }: ProfileFile): boolean => looksLikeJson;

/** Collapsed text (`folded`) has none: it is read piece by piece. */
const READERS: Readonly<Record<RecordingFormat, ProfileReader>> = {
  jfr: { looksLike: isJson, read: readJfr },
  perf: { looksLike: looksLikePerf, read: readPerfScript },
  pprof: { looksLike: looksBinary, read: readPprof },
  speedscope: { looksLike: isJson, read: readSpeedscope },
  v8: { looksLike: isJson, read: readCpuProfile },
  chrome: { looksLike: isJson, read: readChromeTrace },
};

/** A profile with the format of its file. */
interface FoundProfile extends ReadProfile {
  readonly format: ProfileFormat;
}

interface FileOptions extends ReadOptions {
  /** Undefined for whichever a file is in. */
  readonly format?: ProfileFormat | undefined;
}

/**
 * Reads a file: collapsed text, where its beginning is of no other profiler. Errors: badInput for a file that is damaged, not of the format
 * that was named, or binary and to be converted first, with the line.
 */
export async function readProfile(path: string, { format, ...options }: FileOptions): Promise<FoundProfile> {
  if (format !== 'folded') {
    const file = await ProfileFile.open(path, (beginning) => {
      refuseBinary(path, beginning.bytes);
      return format !== undefined || Object.values(READERS).some(({ looksLike }) => looksLike(beginning));
    });
    const found = file && recordingIn(file, { ...options, format });
    if (found !== null) return found;
    if (path === STDIN) {
      throw badInput('The format of standard input could not be detected: name it with --format.');
    }
  }
  return { format: 'folded', ...(await readCollapsed(path, options)) };
}

/** The profile in a file in memory; null where it is of no format but collapsed text. */
export function recordingIn(
  file: ProfileFile,
  { format, ...options }: ReadOptions & { readonly format?: RecordingFormat | undefined },
): FoundProfile | null {
  for (const name of format === undefined ? RECORDING_FORMATS : [format]) {
    const { looksLike, read } = READERS[name];
    const found = looksLike(file) ? read(file, options) : null;
    if (found !== null) return { format: name, ...found };
  }
  if (format !== undefined) {
    throw badInput(`--format ${format}: ${file.path} is in another format: leave out --format to detect it.`);
  }
  if (file.looksLikeJson) throw badInput(`${file.path} is JSON, but not of a supported profiler (docs/profiles.md).`);
  return null;
}

/** Binary recordings that only their own tools read: how they begin, and what makes of them what can be imported. */
const BINARY: readonly { readonly begins: (bytes: Buffer) => boolean; readonly what: string; readonly todo: string }[] =
  [
    {
      // tools/perf/Documentation/perf.data-file-format.txt of Linux; the other byte order is that of another machine.
      begins: (bytes) => ['PERFILE2', '2ELIFREP'].includes(bytes.toString('latin1', 0, 8)),
      what: "a recording of Linux's perf (perf.data)",
      todo: "run 'perf script -i FILE > perf.txt' and import that",
    },
    {
      // https://openjdk.org/jeps/328: the header of a chunk.
      begins: (bytes) => bytes.toString('latin1', 0, 4) === 'FLR\0',
      what: 'a binary JFR recording',
      todo: "run 'jfr print --json --stack-depth 64 --events jdk.ExecutionSample FILE > jfr.json' and import that",
    },
    {
      // https://gperftools.github.io/gperftools/cpuprofile-fileformat.html
      begins: (bytes) => beginsCpuProfile(bytes, 4) || beginsCpuProfile(bytes, 8),
      what: 'a CPU profile of gperftools',
      todo: "run 'google-pprof --collapsed PROGRAM FILE > profile.folded' and import that with --strip offset",
    },
    {
      // gmon_out.h of GNU binutils.
      begins: (bytes) => bytes.toString('latin1', 0, 4) === 'gmon',
      what: "gprof's gmon.out, which counts calls and has no call stacks",
      todo: "record the program with 'perf record -g' and import what 'perf script' prints",
    },
  ];

/** Rejects a recording that only its own tool can read, by its beginning. Errors: badInput says what it is and what to run. */
function refuseBinary(path: string, beginning: Buffer): void {
  const found = BINARY.find(({ begins }) => begins(beginning));
  if (found !== undefined) throw badInput(`${path} is ${found.what}: ${found.todo.replace('FILE', path)}.`);
}

/** A header of words of the recording machine: 0, 3 words that follow, version 0, the period in us, 0. */
function beginsCpuProfile(bytes: Buffer, wordBytes: 4 | 8): boolean {
  if (bytes.length < 5 * wordBytes) return false;
  return [true, false].some((isLittle) => {
    const [zero, follow, version, periodUs = 0, padding] = Array.from({ length: 5 }, (_, index) => {
      const word = Buffer.from(bytes.subarray(index * wordBytes, (index + 1) * wordBytes));
      return Number.parseInt((isLittle ? word.reverse() : word).toString('hex'), 16);
    });
    return zero === 0 && follow === 3 && version === 0 && periodUs > 0 && periodUs < 1e9 && padding === 0;
  });
}
