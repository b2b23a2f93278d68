import { badInput } from '../../../base/errors.ts';

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
export function refuseBinary(path: string, beginning: Buffer): void {
  const found = BINARY.find(({ begins }) => begins(beginning));
  if (found !== undefined) throw badInput(`${path} is ${found.what}: ${found.todo.replace('FILE', path)}.`);
}

/** A header of words of the recording machine: 0, 3 words that follow, version 0, the period in us, 0. */
function beginsCpuProfile(bytes: Buffer, wordBytes: 4 | 8): boolean {
  if (bytes.length < 5 * wordBytes) return false;
  return [true, false].some((isLittle) => {
    const words = Array.from({ length: 5 }, (_, index) => {
      const word = bytes.subarray(index * wordBytes, (index + 1) * wordBytes);
      return isLittle ? Buffer.from(word).reverse().toString('hex') : word.toString('hex');
    }).map((hex) => Number.parseInt(hex, 16));
    const [zero, follow, version, periodUs = 0, padding] = words;
    return zero === 0 && follow === 3 && version === 0 && periodUs > 0 && periodUs < 1e9 && padding === 0;
  });
}
