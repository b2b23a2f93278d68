import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { Cell } from '../../experiments/index.ts';

const predict = fileURLToPath(new URL('../../predict', import.meta.url));
const inventory = join(mkdtempSync(join(tmpdir(), 'sweep-')), 'inventory.yaml');
writeFileSync(inventory, 'cluster: c\nhosts: ["n[01-04]"]\nnetwork: { interface: eth0 }\nlineRate: 200mbit\n');

function dryRun(...flags: string[]) {
  const sweep = ['sweep', '--inventory', inventory, '--nodes', '4', '--bw', '100', '--dry-run', '--json'];
  return execa(predict, [...sweep, ...flags], { reject: false });
}

test('cells have every combination of the parameters', async () => {
  const { stdout } = await dryRun('--param', 'algorithm=bfs,pr', '--param', 'threads=2');
  const cells: readonly Cell[] = JSON.parse(stdout).cells;
  expect(cells.filter(({ role }) => role === 'measure').map(({ params }) => params)).toEqual([
    { algorithm: 'bfs', threads: '2' },
    { algorithm: 'pr', threads: '2' },
  ]);
});

test('cells without parameters have none', async () => {
  const { stdout } = await dryRun();
  const cells: readonly Cell[] = JSON.parse(stdout).cells;
  expect(cells.map((cell) => Object.hasOwn(cell, 'params'))).toEqual([false, false]);
});

test('a parameter without a value is bad input', async () => {
  const { exitCode, stderr } = await dryRun('--param', 'algorithm');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("'algorithm' is no parameter: write NAME=VALUE")]);
});
