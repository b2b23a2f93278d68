import { expect, test } from 'vitest';
import { addedNodes } from '../../experiments/added-nodes.ts';
import { plan } from '../../experiments/plan.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';

const options = { workload: workloadOf({ kind: 'graph500', name: 'graph500' }), ranksPerNode: 1, hosts: 25 };
const sweepOf = (nodes: string) => parseSweep({ nodes, scales: '20', bw: '50' });

/** A campaign whose first sweep was asked for the first node counts, later ones for the others. */
const added = (first: string, ...later: readonly string[]): readonly number[] =>
  addedNodes({
    sweep: sweepOf(first),
    cells: [first, ...later].flatMap((nodes) => plan(sweepOf(nodes), options)),
  });

test.each<[string, readonly string[], readonly number[]]>([
  ['4,9', ['25,16'], [16, 25]],
  ['4,9', ['16', '25'], [16, 25]],
  ['4,9', ['4,9', '9,16'], [16]],
  ['4,9', ['4'], []],
  ['4,9', [], []],
  ['4', ['9'], []],
  ['9,16', ['4,25'], []],
  ['4,16', ['9'], []],
])('of a sweep over %s and later ones over %j, %j were added beyond', (first, later, expected) => {
  expect(added(first, ...later)).toEqual(expected);
});
