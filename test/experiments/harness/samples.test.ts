import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../../base/paths.ts';
import { readReports } from '../../../experiments/harness/find-reports.ts';

const SAMPLES = join(projectRoot(), 'test/fixtures/graphalytics-harness/samples');
const read = async (name: string) => {
  const reports = await readReports(join(SAMPLES, name));
  const [report] = reports;
  if (report === undefined || reports.length !== 1) throw new Error(`${name} has ${reports.length} reports`);
  return report;
};

/** The harness's outcomes: what its author must see of each. */
test.each([
  ['ok', { success: true, codes: [], loadS: 0.281, makespanS: 0.491, processingS: 0.001, eps: 17_000, evps: 27_000 }],
  ['parts', { success: true, codes: [], makespanS: 0.855, processingS: 0, eps: null, evps: null }],
  ['unknowngraph', { success: true, codes: [], makespanS: 0.195 }],
  ['wrong', { success: false, codes: ['VAL', 'MET'], loadS: 0.236, makespanS: null, processingS: null, eps: null }],
  ['missingvertex', { success: false, codes: ['VAL', 'MET'], loadS: 0.171 }],
  ['noref', { success: false, codes: ['VAL', 'MET'], loadS: 0.111 }],
  ['exit3', { success: false, codes: ['EXE', 'MET'], loadS: 0.323 }],
  ['hang', { success: false, codes: ['TIM', 'MET'], loadS: 0.252 }],
  ['notime', { success: false, codes: ['MET'], loadS: 0.132 }],
  ['loadfails', { success: false, codes: ['DAT'], loadS: null }],
])('the sample %s', async (name, wanted) => {
  const { runs, nodes, platform } = await read(name);
  expect([nodes, platform]).toEqual([1, { name: 'Shell', version: '0.1' }]);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({
    ...{ algorithm: 'BFS', graph: 'example-directed', vertices: 10, edges: 17, repetition: 1 },
    ...wanted,
  });
  expect(runs[0]?.reason === null).toBe(wanted.success);
});

test.each([
  ['wrong', 'its output differs from the reference (VAL): Validation failed for 1: expected: 0, actual: 77777'],
  ['missingvertex', 'its output differs from the reference (VAL): Vertex count is incorrect, expected: 10, actual: 9'],
  ['exit3', "the platform's program failed (EXE): boom"],
  [
    'hang',
    'it took longer than the timeout (TIM): Timeout is reached after 12 seconds. This benchmark run is forcibly terminated',
  ],
  ['notime', 'it recorded no times (MET)'],
  ['loadfails', 'the graph could not be loaded (DAT): load-graph.sh ended with status 3'],
])('the reason of the sample %s', async (name, reason) => {
  expect((await read(name)).runs[0]?.reason).toBe(reason);
});

test('repetitions of a job are told apart, and a T_proc of 0 has no rate', async () => {
  const { runs } = await read('reps2');
  expect(runs.map(({ id, repetition, makespanS }) => [id, repetition, makespanS])).toEqual([
    ['r779090', 1, 0.199],
    ['r711941', 2, 0.233],
  ]);
  expect(runs.map(({ eps, doubt }) => [eps, doubt])).toEqual(
    Array(2).fill([null, 'T_proc is 0, below the clock resolution of 1 ms, so there is no rate']),
  );
});

test('a T_proc below 10 ms has a rate that is flagged', async () => {
  expect((await read('ok')).runs[0]?.doubt).toBe('T_proc is 1 ms at a clock resolution of 1 ms');
  const { runs } = await read('test24-reference');
  const slowest = runs.find(({ processingS }) => processingS === 0.25);
  expect(slowest).toMatchObject({ algorithm: 'WCC', vertices: 8, edges: 7, eps: 28, evps: 60, doubt: null });
});

test('suites of several algorithms and graphs', async () => {
  const pairs = async (name: string) => (await read(name)).runs.map(({ algorithm, graph }) => `${algorithm} ${graph}`);
  const [six, all] = [await pairs('six-algorithms-shell'), await pairs('test24-reference')];
  expect([new Set(six).size, new Set(all).size]).toEqual([12, 24]);
  const { runs } = await read('test24-reference');
  expect(runs.every(({ success, vertices, edges }) => success && vertices !== null && edges !== null)).toBe(true);
});

test('all samples are read at once', async () => {
  const reports = await readReports(SAMPLES);
  expect(reports).toHaveLength(readdirSync(SAMPLES).length);
  expect(reports.flatMap(({ runs }) => runs)).toHaveLength(10 + 2 + 12 + 24);
});
