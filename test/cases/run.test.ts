import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { tempFolder } from '../experiments/make.ts';
import { runInProcess, runPredict } from '../run-predict.ts';
import { printCase } from './print-case.ts';

const fixture = (path: string): string => join(projectRoot(), 'test/fixtures', path);
const read = (path: string) => JSON.parse(readFileSync(fixture(path), 'utf8'));
const run = (...words: string[]) => runInProcess(() => printCase(words));

const broken = mkdtempSync(join(tmpdir(), 'cases-'));
afterAll(() => rmSync(broken, { recursive: true }));

test('a case is printed by a program of its own, which compiles itself', async () => {
  const words = ['critical-path', fixture('critical-path/graphs/three.json')];
  const { stdout } = await execa(process.execPath, [join(projectRoot(), 'test/cases/run.mjs'), ...words]);
  expect(JSON.parse(stdout)).toEqual(read('critical-path/graphs/three.expected.json'));
});

test.each([
  ['critical-path', 'critical-path/mpi/mpi-9-10', 'critical-path/mpi/mpi-9-10/expected.json'],
  ['critical-path', 'critical-path/graphs/three', 'critical-path/graphs/three.expected.json'],
  ['profiles', 'profiles/weights', 'profiles/weights/expected.json'],
])('%s of %s is what the reference has, exactly', async (method, path, wanted) => {
  const { stdout, stderr, exitCode } = await run(method, fixture(path));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual(read(wanted));
});

test('a Grade10 case has the keys and issues of the reference', async () => {
  const { stdout } = await run('grade10', fixture('grade10/small'));
  const [found, wanted] = [JSON.parse(stdout), read('grade10/small/expected.json')];
  expect(Object.keys(found).sort()).toEqual(Object.keys(wanted).sort());
  expect(found.issue_count).toBe(wanted.issue_count);
  expect(found.composite_bottlenecks).toEqual(wanted.composite_bottlenecks);
  expect(found.leaf_metric_bottlenecks).toEqual(wanted.leaf_metric_bottlenecks);
});

test('readings that end before the job are padded, and stderr says so', async () => {
  const path = join(tempFolder(), 'short.json');
  const input = read('grade10/small/input.json');
  const [metric] = input.metrics;
  metric.observation_times_ns.pop();
  metric.observation_values.pop();
  writeFileSync(path, JSON.stringify(input));
  const { stdout, stderr } = await run('grade10', path);
  expect(stderr).toContain(`${metric.path} was not measured in 5 of 30 slices, at the start or the end of the job`);
  expect(JSON.parse(stdout).sampled[metric.path].slice(-5)).toEqual([0, 0, 0, 0, 0]);
});

test('a job is judged by the measure that the flag names', async () => {
  const found = await Promise.all(
    ['pressure', 'writer'].map(async (saturation) =>
      JSON.parse((await run('dag', fixture('dag/lives'), '--saturation', saturation)).stdout),
    ),
  );
  const wanted = read('dag/lives/expected-other-saturations.json');
  expect(found.map(({ dominant }) => dominant)).toEqual([wanted.pressure.dominant, wanted.writer.dominant]);
  expect(found.map(({ timeline }) => timeline)).toEqual([wanted.pressure.timeline, wanted.writer.timeline]);
});

test('a Timely trace has every key of its reference, any other trace what the command says', async () => {
  const path = 'critical-path/timely/tiny2net';
  const { timing: _, events_per_s: __, ...wanted } = read(`${path}.expected.json`);
  const { stdout } = await run('critical-path', fixture(`${path}.jsonl`), '--skew', '0=0');
  const found = JSON.parse(stdout);
  expect(Object.keys(found)).toEqual(expect.arrayContaining(Object.keys(wanted)));
  expect(found.waiting_activities).toEqual(wanted.waiting_activities);
  expect(found.trace).toBe(basename(`${path}.jsonl`));
  for (const seconds of Object.values(found.timing)) expect(seconds).toBeGreaterThan(0);
  const trace = join(tempFolder(), 'trace.jsonl');
  writeFileSync(trace, '{"worker":0,"start":0,"end":50000,"type":"op","name":"read"}\n');
  const [plain, command] = await Promise.all([
    run('critical-path', trace),
    runPredict(['why', trace, '--method', 'path', '--json']),
  ]);
  expect(plain.stdout).toBe(command.stdout);
});

test('of a folder the input is read, else its only file', async () => {
  const folder = tempFolder();
  const graph = readFileSync(fixture('critical-path/graphs/fig31.json'));
  for (const name of ['fig31.json', 'fig31.expected.json', 'fig31.meta.json', 'SCHEMA.md', 'phases.csv'])
    writeFileSync(join(folder, name), graph);
  expect((await run('critical-path', folder)).exitCode).toBe(0);
  writeFileSync(join(folder, 'three.json'), graph);
  expect((await run('critical-path', folder)).stderr).toContain('has several cases (fig31.json, three.json)');
  writeFileSync(join(folder, 'input.json'), graph);
  expect((await run('critical-path', folder)).exitCode).toBe(0);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  expect((await run('critical-path', folder)).stderr).toContain('has no case');
});

test.each([
  [['dag', fixture('dag/refused-cycle.json')], "cycle, 'a' -> 'b' -> 'a'"],
  [['profiles', fixture('profiles/refused-negative.json')], "profile 'p', line 1"],
  [['profiles', written('bytes.json', '{\n"profiles": "\xff"}')], ', line 2: that is not UTF-8'],
  [['grade10', written('cut.json', '{')], 'cannot be read as JSON'],
  [['critical-path', written('neither.json', '{"a": 1}')], 'is neither an activity graph'],
  [['grade10', 'nowhere'], 'nowhere does not exist'],
  [['dag', fixture('dag/lives'), '--saturation', 'x'], "--saturation: 'x' is unknown"],
  [['dag', fixture('dag/lives'), '--colour'], '--colour'],
  [['dag'], 'Name a method (grade10, critical-path, dag and profiles) and a case'],
  [['sing', fixture('dag/lives')], 'Name a method'],
])('%j is rejected with exit code 2 and a line of JSON', async (words, sentence) => {
  const { exitCode, stdout, stderr } = await run(...words);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(JSON.parse(stderr).error).toMatchObject({ kind: 'badInput', message: expect.stringContaining(sentence) });
});

function written(name: string, text: string): string {
  const path = join(broken, name);
  writeFileSync(path, text, 'latin1');
  return path;
}
