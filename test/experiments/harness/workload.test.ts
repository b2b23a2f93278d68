import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import type { Cell } from '../../../experiments/records.ts';
import { parseWorkload } from '../../../experiments/workloads/load-workload.ts';

const SAMPLES = join(projectRoot(), 'test/fixtures/graphalytics-harness/samples');
const HEAD = 'kind: graphalytics-harness\nname: official\nfolder: /opt/ga\ngraphs: /data/graphs\n';
const cell: Cell = {
  ...{ id: '0123456789abcdef', workload: 'official', nodes: 4, ranks: 8, scale: 22, bw: 20, rep: 1 },
  ...{ role: 'measure', roots: 3, params: { graph: 'web', algorithm: 'pr' } },
};
const where = {
  ...{ outputFolder: '/w/out', program: (name: string) => `/w/${name}`, seed: 7, hosts: ['n1', 'n2'] },
  datasetFolder: () => '',
};
const settings = (yaml: string, of = cell): string[] => {
  const { argv } = parseWorkload(yaml, 'w.yaml').invocation(of, where);
  return argv.flatMap((word, index) => (word === '--set' ? [`${argv[index + 1]} ${argv[index + 2]}`] : []));
};

describe('what the harness is started with', () => {
  test('the graph, the algorithm and the numbers of the cell', () => {
    const workload = parseWorkload(HEAD, 'w.yaml');
    expect([workload.launch, workload.parameters, workload.admissible(7)]).toEqual([
      'head',
      ['graph', 'algorithm'],
      true,
    ]);
    const { argv, outputs } = workload.invocation(cell, where);
    expect(argv.slice(0, 13)).toEqual([
      ...['env', 'PREDICT_NODES=4', 'PREDICT_RANKS=8', 'PREDICT_HOSTS=n1,n2', '/w/run-harness'],
      ...['--folder', '/opt/ga', '--output', '/w/out', '--graphs', '/data/graphs', '--graph', 'web'],
    ]);
    expect(settings(HEAD)).toEqual(
      expect.arrayContaining([
        'benchmarks/custom.properties benchmark.custom.graphs=web',
        'benchmarks/custom.properties benchmark.custom.algorithms=PR',
        'benchmarks/custom.properties benchmark.custom.timeout=3600',
        'benchmarks/custom.properties benchmark.custom.repetitions=3',
        'benchmarks/custom.properties benchmark.custom.validation-required=true',
        'environment.properties environment.machine.quantity=4',
        'platform.properties platform.predict.num-machines=4',
      ]),
    );
    expect(outputs).toEqual({
      ...{ results: '/w/out/results.json', log: '/w/out/benchmark.log', programs: '/w/out/programs.log' },
    });
  });

  test("another platform's keys are filled in, taken as they are, and stand before ours", () => {
    const yaml =
      `${HEAD}graph: "graph500-{scale}"\nalgorithm: bfs\ntimeoutS: 60\nvalidate: false\nproperties:\n` +
      '  platform: {platform.libgrape.nodes: "{hosts}", platform.x.ranks: "{ranks}"}\n' +
      '  benchmark: {benchmark.runner.port: 9000}\n  custom: {benchmark.custom.timeout: 5}\n';
    expect(parseWorkload(yaml, 'w.yaml').parameters).toEqual([]);
    const all = settings(yaml, { ...cell, params: undefined } as unknown as Cell);
    expect(all).toEqual(
      expect.arrayContaining([
        'benchmarks/custom.properties benchmark.custom.graphs=graph500-22',
        'benchmarks/custom.properties benchmark.custom.timeout=5',
        'benchmarks/custom.properties benchmark.custom.output-required=false',
        'benchmark.properties benchmark.runner.port=9000',
        'platform.properties platform.libgrape.nodes=n1\\,n2',
        'platform.properties platform.x.ranks=8',
      ]),
    );
    expect(all.filter((text) => /timeout/.test(text))).toHaveLength(1);
  });

  test.each([
    ['folder: ga\n', /folder/],
    ['folder: /opt/ga\ntimeoutS: 0\n', /timeoutS/],
    ['folder: /opt/ga\nproperties: {graphs: {a: 1}}\n', /graphs/],
    ["folder: /opt/ga\nproperties: {platform: {'a b': 1}}\n", /key/],
    ['folder: /opt/ga\ngraph: "{nodez}"\n', /unknown placeholder \{nodez\}/],
  ])('%j is refused with its key', (text, message) => {
    const yaml = `kind: graphalytics-harness\nname: x\ngraphs: /g\n${text}`;
    expect(() => parseWorkload(yaml, 'w.yaml')).toThrow(message);
  });

  test('a graph whose name would be a path or a list is refused', () => {
    const odd = (graph: string): Cell => ({ ...cell, params: { graph, algorithm: 'pr' } });
    for (const graph of ['../x', 'a,b', '-x', 'a b'])
      expect(() => settings(HEAD, odd(graph))).toThrow(/no name of a graph/);
  });
});

describe('what its results are made of', () => {
  const { parse } = parseWorkload(HEAD, 'w.yaml');
  const sample = (name: string, change: (text: string) => string = (text) => text) =>
    parse({
      ...{ exitCode: 0, stdout: '', stderr: '' },
      files: {
        results: change(gunzipSync(readFileSync(join(SAMPLES, name, 'results.json.gz'))).toString('utf8')),
        log: readFileSync(join(SAMPLES, name, 'benchmark-summary.log'), 'utf8'),
      },
    });

  test('a run that succeeded is a timed run with its rates', () => {
    expect(sample('ok')).toEqual({
      ok: true,
      summary: {
        ...{ platform: 'Shell', algorithm: 'BFS', dataset: 'example-directed', machines: 1, vertices: 10, edges: 17 },
        ...{ repetitions: 1, load_time: 0.281, makespan: 0.491, processing_time: 0.001, eps: 17_000, evps: 27_000 },
        careful: 'T_proc is 1 ms at a clock resolution of 1 ms',
      },
      runs: [{ index: 0, ct: 0.001, teps: 17_000, nedge: 17, validateS: null }],
    });
  });

  test.each([
    [
      'wrong',
      /^The run of the harness failed, r910601 \(BFS on example-directed\): .*\(VAL\): Validation failed for 1/,
    ],
    ['hang', /\(TIM\): Timeout is reached after 12 seconds/],
    ['exit3', /\(EXE\)\.$/],
    ['loadfails', /\(DAT\): load-graph\.sh ended with status 3\.$/],
    ['notime', /it recorded no times \(MET\)\.$/],
    ['parts', /^Run r824332 succeeded, but T_proc is 0, shorter than the clock of 1 ms/],
  ])('of the sample %s a failed record', (name, reason) => {
    const result = sample(name);
    expect(result.ok).toBe(false);
    expect(result.ok ? '' : result.reason).toMatch(reason);
  });

  test('one failure among repetitions fails the cell and is counted', () => {
    const result = sample('reps2', (text) => text.replace('"success": "true"', '"success": "false"'));
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/^1 of 2 runs of the harness failed, r/) });
  });

  test("the program's own clock tells short runs apart where it agrees with the harness's", () => {
    const files = (printed: string) => ({
      results: JSON.stringify({
        benchmark: { configurations: { 'graph.g.meta.vertices': '10', 'graph.g.meta.edges': '20' } },
        result: {
          jobs: { j: { algorithm: 'PR', dataset: 'g', runs: ['r7'] } },
          runs: { r7: { success: 'true', makespan: '1', processing_time: '0.000' } },
        },
      }),
      programs: `\n==> report/x/log/r7-PR-g/platform/runner.logs <==\n${printed}\n`,
    });
    const timed = (printed: string) => parse({ exitCode: 0, stdout: '', stderr: '', files: files(printed) });
    expect(timed('processing_time: 0.0004')).toMatchObject({
      ok: true,
      summary: { eps: 50_000, evps: 75_000, careful: expect.stringMatching(/the times are the program's own$/) },
      runs: [{ ct: 0.0004, teps: 50_000 }],
    });
    expect(timed('processing_time: 0.4')).toMatchObject({ ok: false });
    expect(timed('')).toMatchObject({ ok: false });
  });

  test.each([
    [
      { exitCode: 1, stdout: 'x\njava.lang.IllegalStateException: Benchmark aborted\n\tat a.b(C.java)\n', stderr: '' },
      'The harness left no results.json and ended with exit status 1: java.lang.IllegalStateException: Benchmark aborted.',
    ],
    [
      { exitCode: 1, stdout: '', stderr: 'Missing mandatory configuration file: c/platform.properties\n' },
      'The harness left no results.json and ended with exit status 1: Missing mandatory configuration file: c/platform.properties.',
    ],
    [{ exitCode: null, stdout: '', stderr: '' }, 'The harness left no results.json and ended with a signal.'],
    [
      { exitCode: 0, stdout: '', stderr: '', files: { results: '{"result": {' } },
      'results.json, line 1 is not valid JSON (it is truncated): copy the file from the report again.',
    ],
    [{ exitCode: 0, stdout: '', stderr: '', files: { results: '{"result": {}}' } }, 'The harness did no run.'],
  ])('a harness that fails as a whole: %j', (output, reason) => {
    expect(parse(output)).toMatchObject({ ok: false, reason });
  });
});
