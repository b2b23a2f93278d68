import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readReports } from '../../../experiments/harness/find-reports.ts';
import { joinReport } from '../../../experiments/harness/join-report.ts';
import { readLog } from '../../../experiments/harness/read-log.ts';
import { tempFolder } from '../make.ts';

const resultsOf = (runs: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    benchmark: { configurations: { 'graph.g.meta.vertices': '100', 'graph.g.meta.edges': 900 } },
    result: { jobs: { j1: { algorithm: 'bfs', dataset: 'g', runs: Object.keys(runs) } }, runs },
    ...more,
  });

const folderWith = (files: Record<string, string | Buffer>): string => {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
};

test('numbers, the older spelling and absent keys are read', () => {
  const results = resultsOf({ r1: { success: true, makespan: 2.5, 'processing-time': 0.5 } });
  expect(joinReport({ results, path: 'r' }).runs[0]).toMatchObject({
    ...{ algorithm: 'BFS', success: true, loadS: null, makespanS: 2.5, processingS: 0.5, eps: 1800, evps: 2000 },
  });
});

test.each(['nan', 'NaN', '', '-', null])('%j is a time that is missing', (value) => {
  const results = resultsOf({ r1: { success: 'true', makespan: '1', processing_time: value } });
  expect(joinReport({ results, path: 'r' }).runs[0]).toMatchObject({ processingS: null, eps: null });
});

test('sizes that the report leaves out come from a properties file', () => {
  const results = resultsOf(
    { r1: { success: 'true', processing_time: '1' } },
    { benchmark: { configurations: { 'graph.other.meta.edges': '5' } } },
  );
  const text = '# a graph\r\ngraph.g.meta.vertices = 12\r\ngraph.g.meta.edges: 30\r\n';
  const properties = [{ text, path: 'g.properties' }];
  expect(joinReport({ results, path: 'r' }).runs[0]).toMatchObject({
    ...{ edges: null, eps: null, doubt: 'the number of edges is unknown' },
  });
  expect(joinReport({ results, path: 'r', properties }).runs[0]).toMatchObject({ vertices: 12, edges: 30, eps: 30 });
});

test('without a log a failure has no code, and says so', () => {
  const results = resultsOf({ r1: { success: 'false', load_time: '1', makespan: 'nan', processing_time: 'nan' } });
  expect(joinReport({ results, path: 'r' }).runs[0]).toMatchObject({
    ...{ codes: [], reason: 'the harness reports a failure, but no log states the reason' },
  });
});

test('what was asked for and is absent is found', () => {
  const results = resultsOf(
    { r1: { success: 'true' } },
    { benchmark: { configurations: { 'benchmark.custom.graphs': 'far', 'benchmark.custom.algorithms': 'PR' } } },
  );
  const log =
    '13:49 [WARN ] Found unknown graph name "far" in property "benchmark.custom.graphs".\n' +
    '13:49 [ERROR] Skipping benchmark SSSP on g: algorithm SSSP cannot run on dataset g.\n' +
    '13:49 [INFO ] Executing a CUSTOM Benchmark on SHELL [1 experiments, 2 jobs, 3 runs]:\n';
  expect(joinReport({ results, path: 'r', logs: [log] }).absent).toEqual([
    'No run has the requested graph far.',
    'No run has the requested algorithm PR.',
    'Found unknown graph name "far" in property "benchmark.custom.graphs".',
    'Skipping benchmark SSSP on g: algorithm SSSP cannot run on dataset g.',
    'The harness planned 3 runs, but its results have 1.',
  ]);
});

test('a run that only the log or only a job names is a failed run', () => {
  const results = JSON.stringify({
    result: { jobs: { j: { algorithm: 'PR', dataset: 'g', runs: ['r1'] } }, runs: {} },
  });
  const log =
    '[INFO ] Benchmark specification: [BenchmarkRun [r2, CDLP[iter=2], g-2, timeout=60s]]\n' +
    '[INFO ] Benchmark r2 has failed ([INI, MET]), T_l=0.1s, T_m=nan, T_p=nan.\n';
  expect(joinReport({ results, path: 'r', logs: [log] }).runs).toMatchObject([
    { id: 'r1', algorithm: 'PR', success: false, reason: 'the results do not mention it' },
    { id: 'r2', algorithm: 'CDLP', graph: 'g-2', reason: "the harness's runner did not start (INI)" },
  ]);
});

test('an exception that ends the harness is told, one that it outlives is not', () => {
  const thrown = 'science.atlarge.graphalytics.configuration.GraphalyticsExecutionException: Fatal error';
  expect(readLog([`13:49 [ERROR] it\n${thrown}\n\tat a.b.C(C.java:1)\n`]).exception).toBe(thrown);
  expect(readLog([`${thrown}\n13:50 [INFO ] Terminating Benchmark Suite.\n`]).exception).toBeNull();
});

const GOOD = resultsOf({ r1: { success: 'true', processing_time: '1' } });

test.each([
  ['cut off', GOOD.slice(0, GOOD.length / 2), /results\.json, line 1 is not valid JSON \(it is truncated\)/],
  ['damaged', GOOD.replace('"runs":', '"runs";'), /results\.json, line 1 is not valid JSON \(/],
  ['empty', '', /is empty: the harness was ended before it wrote its results/],
  ['something else', '{"a": 1}', /is not a report of the Graphalytics harness at result: /],
  ['a list', '[1]', /is not a report/],
  ['a time in words', GOOD.replace('"1"', '"soon"'), /run r1: 'soon' is not a time in seconds for processing_time/],
  ['a time below 0', GOOD.replace('"1"', '"-1"'), /'-1' is not a time/],
  ['an endless time', GOOD.replace('"1"', '1e999'), /'Infinity' is not a time/],
])('a results.json that is %s is refused with the file and the place', async (_, text, message) => {
  const folder = folderWith({ 'json/results.json': text });
  await expect(readReports(folder)).rejects.toMatchObject({
    kind: 'badInput',
    message: expect.stringMatching(message),
  });
});

test('a packed file that is cut off is refused', async () => {
  const folder = folderWith({ 'results.json.gz': gzipSync(GOOD).subarray(0, 40) });
  await expect(readReports(folder)).rejects.toMatchObject({
    ...{ kind: 'badInput', message: expect.stringMatching(/results\.json\.gz cannot be decompressed/) },
  });
});

test('a packed file that is far larger unpacked is refused', async () => {
  const part = gzipSync(Buffer.alloc(2 ** 24));
  const folder = folderWith({ 'results.json.gz': Buffer.concat(Array(17).fill(part)) });
  await expect(readReports(folder)).rejects.toMatchObject({
    ...{ kind: 'badInput', message: expect.stringMatching(/decompresses to more than 256 MiB/) },
  });
});

test('a folder without results is refused, and a log that is there is named', async () => {
  await expect(readReports(folderWith({ 'a.txt': '' }))).rejects.toThrow(/There is no results\.json below/);
  await expect(readReports(folderWith({ 'log/benchmark-summary.log': '' }))).rejects.toThrow(/was ended before/);
  await expect(readReports('/nowhere/at/all')).rejects.toThrow(/is missing: give a results\.json/);
});

test('the page of a report stands in for results that were left out, and counts once', async () => {
  const data = `var data = ${GOOD}`;
  const alone = await readReports(folderWith({ 'renamed/html/data/data.js': data }));
  expect(alone.map(({ runs }) => runs.length)).toEqual([1]);
  const both = await readReports(folderWith({ 'html/data/data.js': data, 'json/results.json': GOOD }));
  expect(both).toHaveLength(1);
});

test('logs are found from wherever a report is named, and of two results in one folder neither takes them', async () => {
  const failed = resultsOf({ r1: { success: 'false' } });
  const log = 'Benchmark r1 has failed ([TIM, MET]), T_l=1s, T_m=nan, T_p=nan.\n';
  const one = folderWith({ 'a.results.json': failed, 'benchmark-summary.log': log });
  expect((await readReports(one))[0]?.runs[0]?.codes).toEqual(['TIM', 'MET']);
  expect((await readReports(join(one, 'a.results.json')))[0]?.runs[0]?.codes).toEqual(['TIM', 'MET']);
  const whole = folderWith({ 'x/json/results.json': failed, 'x/log/benchmark-summary.log': log });
  for (const place of ['', 'x', 'x/json', 'x/json/results.json']) {
    expect((await readReports(join(whole, place)))[0]?.runs[0]?.codes).toEqual(['TIM', 'MET']);
  }
  const two = folderWith({ 'a.results.json': failed, 'b.results.json': failed, 'benchmark-summary.log': log });
  expect((await readReports(two)).map(({ runs }) => runs[0]?.codes)).toEqual([[], []]);
  expect((await readReports(join(two, 'a.results.json')))[0]?.runs[0]?.codes).toEqual([]);
});
