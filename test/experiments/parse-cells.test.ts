import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseCells } from '../../experiments/parse-cells.ts';
import { plan } from '../../experiments/plan.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

const workload = workloadOf({ kind: 'graph500', name: 'graph500' });

test('cells are named by nodes, scale, bandwidth and repetition', () => {
  expect(parseCells('25:20:10:2, 4:21:100')).toEqual([
    { nodes: 25, scale: 20, bw: 10, rep: 2 },
    { nodes: 4, scale: 21, bw: 100, rep: 1 },
  ]);
});

test('the file of an advice gives its cells', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'cells-')), 'advice.json');
  writeFileSync(
    path,
    JSON.stringify({ model: 'eq6', cells: [{ order: 1, nodes: 9, scale: 20, bw: 50, rep: 3, nodeHours: 0.1 }] }),
  );
  expect(parseCells(path)).toEqual([{ nodes: 9, scale: 20, bw: 50, rep: 3 }]);
  writeFileSync(path, '{"cells": []}');
  expect(() => parseCells(path)).toThrow(/names no cells/);
  writeFileSync(path, '{"cells"');
  expect(() => parseCells(path)).toThrow(/not a JSON file/);
});

test.each([
  ['25:20', "'25:20' is not a cell"],
  ['25:20:0', "'25:20:0' is not a cell"],
  ['25:20:110', 'is not a cell'],
  ['a:20:10', 'is not a cell'],
  ['4:20:10:1:7', 'is not a cell'],
  ['4:20:10,4:20:10', '4:20:10:1 occurs twice'],
])('%s is refused', (text, message) => {
  expect(() => parseCells(text)).toThrow(message);
});

test('a sweep of chosen cells plans these and no others, scale by scale', () => {
  const sweep = parseSweep({ scales: '20', cells: '9:20:10,4:21:50:2,4:21:100' });
  const cells = plan(sweep, { workload, ranksPerNode: 1, hosts: 9 });
  const [first, ...others] = cells.map(({ nodes, scale, bw, rep, role }) => [nodes, scale, bw, rep, role]);
  expect(first).toEqual([9, 20, 10, 1, 'measure']);
  expect(new Set(others)).toEqual(
    new Set([
      [4, 21, 100, 1, 'measure'],
      [4, 21, 50, 2, 'measure'],
    ]),
  );
  const whole = plan(parseSweep({ nodes: '4', scales: '21', bw: '50', reps: '2' }), {
    workload,
    ranksPerNode: 1,
    hosts: 9,
  });
  const ids = new Set(whole.map(({ id }) => id));
  const same = plan(parseSweep({ scales: '21', roots: '64', cells: '4:21:50:2' }), {
    workload,
    ranksPerNode: 1,
    hosts: 9,
  });
  // A cell is the same cell whichever way it was asked for.
  expect(ids.has(same[0]?.id ?? '')).toBe(true);
});

test('node counts are checked as in every sweep, and something must be asked for', () => {
  expect(() => plan(parseSweep({ scales: '20', cells: '5:20:10' }), { workload, ranksPerNode: 1, hosts: 9 })).toThrow(
    /5 nodes cannot run/,
  );
  expect(() => parseSweep({ scales: '20' })).toThrow(/Say what to measure/);
  expect(() => parseSweep({ scales: '20', nodes: '4', cells: '4:20:10' })).toThrow(/Say what to measure/);
});
