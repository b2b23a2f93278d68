import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../base/paths.ts';
import { sizeText, underSize } from '../../base/units.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { parseInventory } from '../../inventory/load-inventory.ts';
import { fromFile } from '../../modeling/questions/measurements.ts';
import { sweepSizes } from '../../orchestrator/cli/sweep-sizes.ts';
import { tempFolder } from '../experiments/make.ts';
import { runPredict } from '../run-predict.ts';

const fixture = (name: string): string => join(projectRoot(), 'test/fixtures', name);

test('a size is said where there is one', () => {
  expect([sizeText(20), sizeText(20, ' at '), underSize(20, 'time')]).toEqual([
    ...[', scale 20', ' at scale 20'],
    'Scale 20: time',
  ]);
  expect([sizeText(0), sizeText(0, ' at '), underSize(0, 'time')]).toEqual(['', '', 'Time']);
});

test('a plan for a program without sizes speaks of runs, in 80 columns', async () => {
  const { stdout, stderr } = await runPredict(
    ['plan', fixture('campaigns/alltoall'), '--nodes', '4,12,32', '--bootstrap', '50'],
    { env: { COLUMNS: '80' } },
  );
  expect(`${stdout}\n${stderr}`).not.toMatch(/scale|GTEPS|search|edge/);
  expect(stdout).toContain('one run takes');
  expect(stdout.replaceAll('\n', ' ')).toContain(
    'The program cannot run on 12 nodes; the next possible node counts: 16.',
  );
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test('a file without scales has runs of a program without graphs', async () => {
  expect(await fromFile(fixture('modeling/eq6_s28.csv'))).toMatchObject({ noun: 'search', edgeFactor: 16 });
  const file = join(tempFolder(), 'runs.csv');
  writeFileSync(file, 'nodes,bw,scale,ct\n1,100,0,8\n4,100,0,3\n');
  const { noun, edgeFactor } = await fromFile(file);
  expect({ noun, edgeFactor }).toEqual({ noun: 'run', edgeFactor: null });
});

test('a sweep of a program that reads no {scale} has scale 0, unless one is named', () => {
  const program = (word: string) =>
    workloadOf({
      ...{ kind: 'command', name: 'solver', command: ['solve', word], ranks: 'any', failure: [] },
      time: { pattern: '(1)', unit: 's' },
    });
  const place = {} as Parameters<typeof sweepSizes>[2];
  const bw = [10, 20, 30, 40, 50];
  expect(sweepSizes({ nodes: '4' }, program('x'), place)).toEqual({
    chosen: { scales: [0], bw, roots: 64 },
    says: 'By default: 10..50/10,100 % of the link (--bw).',
  });
  expect(sweepSizes({ nodes: '4', scales: '3', bw: '5', roots: '2' }, program('x'), place)).toEqual({
    chosen: {},
    says: null,
  });
});

test('a strict sweep has 64 searches without being told, at a scale for ten minutes', () => {
  const graph500 = workloadOf({ kind: 'graph500', name: 'graph500' });
  const inventory = parseInventory(
    '{cluster: x, lineRate: 1gbit, network: {interface: eth0}, hosts: [{name: a}]}',
    'x.yaml',
  );
  const place = { inventory, memoryBytes: undefined, emulated: true };
  const chosen = (param: string) => sweepSizes({ nodes: '1', bw: '10..90', param: [param] }, graph500, place).chosen;
  expect(chosen('strict=true').roots).toBe(64);
  expect(chosen('strict=false').roots).toBeLessThan(64);
});

test('a sweep says how many runs nobody asked for, and asks for sizes and bandwidths of a program that takes a size', () => {
  const place = {} as Parameters<typeof sweepSizes>[2];
  const both = workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve', '{scale}', '{roots}'], ranks: 'any', failure: [] },
    time: { pattern: '(1)', unit: 's' },
  });
  const says = (asked: Parameters<typeof sweepSizes>[0]) => sweepSizes(asked, both, place).says;
  expect(says({ nodes: '4', scales: '3', bw: '10' })).toBe('By default: 64 runs each (--roots).');
  const asks = (flags: string) =>
    `solver takes a {scale}, so only you know which sizes are worth a run: give ${flags}.`;
  const [scales, bw] = ['--scales, such as --scales 20,22', '--bw, such as --bw 10..50/20'];
  expect(() => says({ nodes: '4' })).toThrow(asks(`${scales} and ${bw}`));
  expect(() => says({ nodes: '4', bw: '10' })).toThrow(asks(scales));
  expect(() => says({ nodes: '4', scales: '3' })).toThrow(asks(bw));
  expect(says({ cells: '4:20:50' })).toBe('By default: 64 runs each (--roots).');
  expect(says({ nodes: '4', scales: '3', bw: '10', roots: '1' })).toBe(null);
});
