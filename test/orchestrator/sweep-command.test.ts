import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Cell } from '../../experiments/records.ts';
import { runPredict } from '../run-predict.ts';

const inventory = join(mkdtempSync(join(tmpdir(), 'sweep-')), 'inventory.yaml');
const workload = join(mkdtempSync(join(tmpdir(), 'sweep-')), 'workload.yaml');
writeFileSync(
  workload,
  'kind: command\nname: x\ncommand: [x, "{param.algorithm}", "{param.threads}"]\ntime: { pattern: "t=(.*)" }\n',
);
writeFileSync(inventory, 'cluster: c\nhosts: ["n[01-04]"]\nnetwork: { interface: eth0 }\nlineRate: 200mbit\n');

function dryRun(...flags: string[]) {
  return planOf('--json', ...flags);
}

function planOf(...flags: string[]) {
  const sweep = ['sweep', '--inventory', inventory, '--nodes', '4', '--bw', '100', '--dry-run'];
  return runPredict([...sweep, ...flags]);
}

test('cells have every combination of the parameters', async () => {
  const { stdout } = await dryRun('--workload', workload, '--param', 'algorithm=bfs,pr', '--param', 'threads=2');
  const cells: readonly Cell[] = JSON.parse(stdout).cells;
  expect(new Set(cells.filter(({ role }) => role === 'measure').map(({ params }) => params))).toEqual(
    new Set([
      { algorithm: 'bfs', threads: '2' },
      { algorithm: 'pr', threads: '2' },
    ]),
  );
});

test('cells without parameters have none', async () => {
  const { stdout } = await dryRun();
  const cells: readonly Cell[] = JSON.parse(stdout).cells;
  expect(cells.map((cell) => Object.hasOwn(cell, 'params'))).toEqual([false, false]);
});

test.each([
  [['--target', 'nodes=9,scale=12'], /^--target .*give one with --budget/],
  [['--target', 'nodes=9', '--budget', '20min', '--scales', '11,12'], /^--target: 'nodes=9' has no single scale/],
  [['--most-roots', '9'], /^--most-roots .*give one with --precision/],
  [['--precision', '0%'], /^--precision: '0%' is outside its range/],
  [['--budget', '0s'], /^--budget: '0s' is outside its range/],
  [['--repeats', '-1'], /^--repeats: '-1' is /],
])('aims that cannot be are bad input: %j', async (flags, message) => {
  const { exitCode, stderr } = await dryRun(...flags);
  expect([exitCode, JSON.parse(stderr).error.message]).toEqual([2, expect.stringMatching(message)]);
});

test('aims change nothing of what is planned', async () => {
  const aims = ['--precision', '3%', '--most-roots', '128', '--budget', '20min', '--repeats', '2'];
  const { stdout } = await dryRun(...aims, '--target', 'nodes=9,bw=20,scale=12');
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await dryRun()).stdout));
});

test('a parameter without a value is bad input', async () => {
  const { exitCode, stderr } = await dryRun('--param', 'algorithm');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("'algorithm' is not a parameter: write NAME=VALUE")]);
});

test('the rows of a plan say what the workload is told', async () => {
  const { stdout } = await planOf(
    '--workload',
    workload,
    '--param',
    'algorithm=bfs\u001b[2J,pr',
    '--param',
    'threads=2',
  );
  expect(stdout).toMatch(/ 4 {2}algorithm=bfs\\u001b\[2J, threads=2 +100 /);
  expect((await planOf()).stdout.split('\n')[0]).not.toContain('parameters');
});

test.each([
  ['--cell-timeout', '600h', "--cell-timeout: '600h' is outside its range"],
  ['--lease', '0.05s', "--lease: '0.05s' is outside its range, 2 s to 1 h 00 min."],
  ['--reps', '1000000000', '--reps: '],
  ['--bw', '1..100/0.0001', '--bw: '],
])('%s %s is refused in a sentence', async (flag, value, sentence) => {
  const { exitCode, stderr } = await dryRun(flag, value);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(sentence)]);
});
