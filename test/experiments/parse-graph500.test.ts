import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Graph500Result, parseGraph500 } from '../../experiments/parse-graph500.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/graph500/${name}`, import.meta.url), 'utf8');
const sample = (name: string): [string, string] => [fixture(`${name}.stdout`), fixture(`${name}.stderr`)];

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const times = (result: Graph500Result): number[] => result.searches.map(({ ct }) => ct);

/** A small run in the 3.0 dialect, to be bent. */
const STDOUT = `SCALE:                          10
edgefactor:                     16
NBFS:                           2
graph_generation:               0.00324778
num_mpi_processes:              4
construction_time:              0.000903707
bfs  min_time:                  0.000135
bfs  firstquartile_time:        0.000135
bfs  median_time:               0.0002
bfs  thirdquartile_time:        0.0002
bfs  max_time:                  0.0002
bfs  mean_time:                 0.0001675
bfs  stddev_time:               4.6e-05
min_nedge:                      16239
firstquartile_nedge:            16239
median_nedge:                   16239
thirdquartile_nedge:            16239
max_nedge:                      16239
mean_nedge:                     16239
stddev_nedge:                   0
bfs  min_TEPS:                  8.1195e+07
bfs  max_TEPS:                  1.20654e+08
bfs  harmonic_mean_TEPS:     !  9.70673e+07
bfs  harmonic_stddev_TEPS:      1e+06
bfs  min_validate:              0.000339305
bfs  max_validate:              0.000339305
`;
const STDERR = `Running BFS 0
Time for BFS 0 is 0.000135
TEPS for BFS 0 is 1.20654e+08
Validating BFS 0
Validate time for BFS 0 is 0.000367
Running BFS 1
Time for BFS 1 is 0.000200
TEPS for BFS 1 is 8.1195e+07
Validating BFS 1
Validate time for BFS 1 is 0.000358
`;
const plain = parseGraph500([STDOUT, STDERR]);

describe('real runs of the 3.0 reference', () => {
  test.each([
    ['v3-bfs-scale10-np1', 10, 1, 16239, true],
    ['v3-bfs-scale10-np2', 10, 2, 16239, true],
    ['v3-bfs-sssp-scale9-np4', 9, 4, 8074, true],
    ['v3-skip-validation-scale9-np2', 9, 2, 8074, false],
  ])('%s counts', (name, scale, ranks, nedge, validated) => {
    const result = parseGraph500(sample(name), { exitCode: 0 });
    expect(result).toMatchObject({ valid: true, reason: null, validated });
    expect(result.summary).toMatchObject({ scale, ranks, edgefactor: 16, nbfs: 64, nedge: { min: nedge, max: nedge } });
    expect(result.searches.map(({ index }) => index)).toEqual(Array.from({ length: 64 }, (_, index) => index));
    expect(result.searches.every((one) => one.nedge === nedge && (one.validateS !== null) === validated)).toBe(true);
  });

  test.each(['v3-bfs-scale10-np1', 'v3-bfs-scale10-np2', 'v3-bfs-sssp-scale9-np4', 'v3-skip-validation-scale9-np2'])(
    'the recovered times of %s agree with its statistics to five digits, where the printed ones do not',
    (name) => {
      const result = parseGraph500(sample(name));
      const { min, max, mean: expected } = result.summary?.bfs.time ?? {};
      expect(Math.abs(Math.min(...times(result)) / Number(min) - 1)).toBeLessThan(1e-5);
      expect(Math.abs(Math.max(...times(result)) / Number(max) - 1)).toBeLessThan(1e-5);
      expect(Math.abs(mean(times(result)) / Number(expected) - 1)).toBeLessThan(1e-5);
    },
  );

  test('shortest paths have their own statistics and do not mix with the searches', () => {
    const { summary, fields } = parseGraph500(sample('v3-bfs-sssp-scale9-np4'));
    expect(summary?.bfs).toMatchObject({ time: { median: 0.00480905 }, harmonicMeanTeps: 774866 });
    expect(summary?.sssp).toMatchObject({
      time: { median: 0.449413 },
      harmonicMeanTeps: 13188.1,
      harmonicStddevTeps: 1567.24,
    });
    expect(fields).toMatchObject({ bfs_min_TEPS: 109658, sssp_max_validate: 0.329389, median_nedge: 8074 });
  });

  test('shortest paths alone are the searches of a run, and incomplete without their own statistics', () => {
    const [stdout, stderr] = [STDOUT.replaceAll('bfs  ', 'sssp '), STDERR.replaceAll('BFS', 'SSSP')];
    const result = parseGraph500([`${stdout}mean_supersteps:  21.5\n`, stderr]);
    expect(result).toMatchObject({ valid: true, kernel: 'sssp', validated: true, searches: plain.searches });
    expect(result.fields).toMatchObject({ sssp_max_time: 0.0002, mean_supersteps: 21.5 });
    expect(parseGraph500([STDOUT, stderr]).reason).toBe('The results block is truncated: it has no min_time.');
  });

  test('the summary in full', () => {
    expect(parseGraph500(sample('v3-bfs-scale10-np1')).summary).toMatchInlineSnapshot(`
      {
        "bfs": {
          "harmonicMeanTeps": 153189000,
          "harmonicStddevTeps": 2754770,
          "teps": {
            "firstquartile": 158688000,
            "max": 165931000,
            "mean": null,
            "median": 161864000,
            "min": 92386700,
            "stddev": null,
            "thirdquartile": 163374000,
          },
          "time": {
            "firstquartile": 0.000099398,
            "max": 0.000175772,
            "mean": 0.000106006,
            "median": 0.000100325,
            "min": 0.000097866,
            "stddev": 0.0000151308,
            "thirdquartile": 0.000102333,
          },
          "validate": {
            "firstquartile": 0.000346226,
            "max": 0.00450743,
            "mean": 0.000471368,
            "median": 0.000352546,
            "min": 0.000339305,
            "stddev": 0.000655136,
            "thirdquartile": 0.000364283,
          },
        },
        "constructionS": 0.000337443,
        "edgefactor": 16,
        "generationS": 0.0220545,
        "nbfs": 64,
        "nedge": {
          "firstquartile": 16239,
          "max": 16239,
          "mean": 16239,
          "median": 16239,
          "min": 16239,
          "stddev": 0,
          "thirdquartile": 16239,
        },
        "ranks": 1,
        "scale": 10,
        "sssp": null,
      }
    `);
  });

  test('output that mpirun tagged reads like plain output', () => {
    const tagged = fixture('v3-tagged-scale8-np2.out');
    const result = parseGraph500([tagged], { exitCode: 0 });
    expect(result).toMatchObject({ valid: true, validated: true, summary: { scale: 8, ranks: 2 } });
    expect(result).toEqual(parseGraph500([tagged.replace(/^\[1,0\]<std(out|err)>:/gm, '')]));
  });

  test('a refused number of ranks is said so', () => {
    expect(parseGraph500(sample('v3-refused-np3'), { exitCode: 1 })).toMatchObject({
      valid: false,
      reason: 'The program rejects 3 ranks: it needs a power of two.',
      summary: null,
      searches: [],
    });
    expect(parseGraph500([fixture('v3-refused-np3.stdout')]).reason).toMatch(
      /^The program stopped: AML: Fatal: non power2/,
    );
  });
});

describe('dialects', () => {
  const v21 = STDOUT.replaceAll('bfs  ', '').replace('!', ' ');
  const dialects: [string, string[]][] = [
    ['streams in the other order', [STDERR, STDOUT]],
    ['merged streams', [`${STDERR}${STDOUT}`]],
    ['the same file twice', [STDOUT, STDERR, STDERR]],
    ['CRLF', [STDOUT.replaceAll('\n', '\r\n'), STDERR.replaceAll('\n', '\r\n')]],
    ['the underscores of the specification', [STDOUT.replaceAll('bfs  ', 'bfs_').replace('!', ' '), STDERR]],
    ['2.1: neither prefix nor !, TEPS after validation', [v21, STDERR.split('\n').sort().reverse().join('\n')]],
    [
      '1.2: units',
      [
        v21.replace(/(_time: .*|_validate: .*)/g, '$1 s').replace(/(_TEPS: .*)/g, '$1 TEPS'),
        STDERR.replace(/( is .*)/g, '$1 s'),
      ],
    ],
    ['the seconds of stderr, with fewer digits', [STDOUT, `construction_time:              0.000904 s\n${STDERR}`]],
    ['mpiexec -prepend-rank', [STDOUT.replace(/^/gm, '[0] '), STDERR.replace(/^/gm, '[0] ')]],
    ['srun --label', [STDOUT.replace(/^/gm, '0: '), STDERR.replace(/^/gm, '0: ')]],
    [
      'Open MPI 5 tags',
      [STDOUT.replace(/^/gm, '[prterun-vm-17@1,0]<stdout>:') + STDERR.replace(/^/gm, '[prterun-vm-17@1,0]<stderr>:')],
    ],
    ['foreign lines around', [`Loading module mpi\n${STDOUT}\nBye: 3\n`, `${STDERR}[vm:13385] note: 4\n`]],
  ];

  test('the plain text counts', () => {
    expect(plain).toMatchObject({ valid: true, validated: true, summary: { ranks: 4, constructionS: 0.000903707 } });
  });

  test.each(dialects)('%s: the result is that of the plain text', (_, texts) => {
    expect(parseGraph500(texts, { exitCode: 0 })).toEqual(plain);
  });

  test('2.x sequential prints full digits, names of its own and no single times: read, but it does not count', () => {
    const stats = (name: string): string =>
      ['min', 'firstquartile', 'median', 'thirdquartile', 'max', 'mean', 'stddev']
        .map((statistic) => `${statistic}_${name}: 1.62390000000000000e+04`)
        .join('\n');
    const text = `SCALE: 10\nnvtx: 1024\nedgefactor: 16\nterasize: 2.62144000000000000e-07
A: 5.69999999999999951e-01\nB: 1.90000000000000002e-01\nC: 1.90000000000000002e-01\nD: 5.00000000000000444e-02
generation_time: 1.25000000000000000e-01\nconstruction_time: 2.50000000000000000e-01\nnbfs: 64
${stats('time')}\n${stats('nedge')}\n${stats('TEPS')}\nharmonic_mean_TEPS: 1.62390000000000000e+04\n`;
    const result = parseGraph500([text]);
    expect(result.summary).toMatchObject({ scale: 10, nbfs: 64, ranks: null, generationS: 0.125, constructionS: 0.25 });
    expect(result.fields).toMatchObject({ nvtx: 1024, A: 0.57, bfs_mean_time: 16239 });
    expect(result).toMatchObject({ valid: false, reason: 'The output has the times of 0 searches; its NBFS says 64.' });
  });

  test('writes of both streams that cut each other anywhere are put together again', () => {
    const cuts = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 60 })), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(cuts, (pieces) => {
        const left = { stdout: STDOUT, stderr: STDERR };
        let text = '';
        const write = (name: 'stdout' | 'stderr', length: number): void => {
          if (left[name] !== '') text += `[1,0]<${name}>:${left[name].slice(0, length)}`;
          left[name] = left[name].slice(length);
        };
        for (const [toStdout, length] of pieces) write(toStdout ? 'stdout' : 'stderr', length);
        write('stdout', STDOUT.length);
        write('stderr', STDERR.length);
        expect(parseGraph500([text])).toEqual(plain);
      }),
    );
  });
});

describe('resolution of times', () => {
  test('short times gain digits from nedge / TEPS, long times keep what is printed', () => {
    expect(plain.searches[0]?.ct).toBe(16239 / 1.20654e8);
    const long = parseGraph500([STDOUT, STDERR.replace('0.000200', '2.343998').replace('8.1195e+07', '6927.91')]);
    expect(long.searches[1]?.ct).toBe(2.343998);
  });

  test('without one number of edges for all searches the printed time stays, and nedge is unknown', () => {
    const result = parseGraph500([STDOUT.replace(/min_nedge: .*/, 'min_nedge: 2'), STDERR]);
    expect(result.searches[0]).toMatchObject({ ct: 0.000135, nedge: null, teps: 1.20654e8 });
  });

  test('any time is recovered within 1e-5 from what %f and %g print', () => {
    const arbitrary = fc.tuple(fc.double({ min: 2e-6, max: 50, noNaN: true }), fc.integer({ min: 1000, max: 2 ** 40 }));
    fc.assert(
      fc.property(arbitrary, ([time, nedge]) => {
        const out = STDOUT.replace(/_nedge: .*/g, `_nedge: ${nedge}`).replace(
          'NBFS:                           2',
          'NBFS: 1',
        );
        const err = `Time for BFS 0 is ${time.toFixed(6)}\nTEPS for BFS 0 is ${Number((nedge / time).toPrecision(6))}\n`;
        const result = parseGraph500([out, err]);
        expect(result.reason).toBe(null);
        expect(Math.abs((result.searches[0]?.ct ?? 0) / time - 1)).toBeLessThan(1e-5);
      }),
    );
  });
});

describe('runs that do not count', () => {
  test.each<[string, readonly string[], RegExp, number?]>([
    ['nothing', [], /printed nothing/],
    ['blank', ['\n', ' '], /printed nothing/],
    [
      'a failed validation with exit 0',
      [STDOUT, `${STDERR}Validation failed for this BFS root; skipping rest.\n`],
      /^A validation failed: .*skipping rest\.$/,
      0,
    ],
    [
      'a validation error',
      [STDOUT, `Validation Error: bad level\n${STDERR}`],
      /^A validation failed: Validation Error: bad level\.$/,
      0,
    ],
    [
      'withheld results',
      [`No results printed for invalid run.\n`, STDERR],
      /^The program did not print its results: No results printed/,
      0,
    ],
    ['a fatal stop', [`AML: Fatal: out of memory`], /AML: Fatal: out of memory\.$/, 1],
    ['an exit status', [STDOUT, STDERR], /^The program ended with exit status 139 after 2 searches\.$/, 139],
    ['no block', [STDERR], /ends after 2 searches and has no results block/],
    [
      'a block cut short',
      [STDOUT.slice(0, STDOUT.indexOf('bfs  harmonic_mean')), STDERR],
      /truncated: it has no harmonic_mean_TEPS/,
    ],
    [
      'a search missing',
      [STDOUT, STDERR.slice(0, STDERR.indexOf('Time for BFS 1'))],
      /times of 1 searches; its NBFS says 2/,
    ],
    ['a rate missing', [STDOUT, STDERR.slice(0, STDERR.indexOf('TEPS for BFS 1'))], /1 of 2 searches have a TEPS/],
    ['a rate cut off', [STDOUT, STDERR.slice(0, STDERR.indexOf('195e+07'))], /time and TEPS of search 1 contradict/],
    [
      'two runs',
      [STDOUT, STDERR, STDOUT.replace('SCALE:                          10', 'SCALE: 11')],
      /more than one run: SCALE/,
    ],
    ['two logs', [STDOUT, STDERR, STDERR.replace('0.000200', '0.000201')], /more than one run: a search/],
    [
      'a time of zero',
      [STDOUT.replace(/_nedge: .*/, '_nedge: 1'), STDERR.replace('0.000200', '0.000000')],
      /search 1 is printed as 0\.000000/,
    ],
  ])('%s', (_, texts, reason, exitCode) => {
    const result = parseGraph500(texts, exitCode === undefined ? {} : { exitCode });
    expect(result.valid).toBe(false);
    expect(result.reason).toMatch(reason);
  });

  test('a signal is no exit status', () => {
    expect(parseGraph500([STDERR], { exitCode: null }).reason).toBe(
      'The program ended with a signal after 2 searches.',
    );
  });

  test('output cut at any place is refused or equals the whole in its times', () => {
    fc.assert(
      fc.property(fc.nat(STDOUT.length), fc.nat(STDERR.length), (out, err) => {
        const result = parseGraph500([STDOUT.slice(0, out), STDERR.slice(0, err)]);
        if (result.valid) expect(times(result)).toEqual(times(plain));
      }),
    );
  });

  test('no text makes the parser throw', () => {
    fc.assert(fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => void parseGraph500(texts)));
  });
});
