import { expect, it } from 'vitest';
import { parseSweep } from '../../../experiments/sweep.ts';
import { workloadSchema } from '../../../experiments/workloads/workload-schema.ts';
import { datasetsOf, misfitOf, routesOf, unservedText } from '../../../orchestrator/fleet/cell-routes.ts';
import { orderSchema } from '../../../orchestrator/fleet/fleet-records.ts';

const graph = { family: 'f', directed: false, weighted: false, vertices: 2, edges: 1, scale: 1, parameters: {} };
const graphs = ['web', 'road'].map((name) => ({ ...graph, name, digest: name }));
const KERNELS = workloadSchema.parse({ kind: 'graphalytics', name: 'graphalytics', graphs, algorithms: ['bfs'] });
const ORDER = orderSchema.parse({
  ...{ schema: 1, key: '0'.repeat(16), site: 'site-a', name: 'first', owner: 'me', leaseS: 60, cellTimeoutS: 60 },
  ...{ createdAt: '2026-01-01T00:00:00Z', sweep: parseSweep({ nodes: '2,4' }), workload: KERNELS, ranksPerNode: 2 },
});
const [web, road] = datasetsOf(KERNELS);
const worker = (more: object) => ({ id: 'w', hosts: 4, ranksPerNode: 2, datasets: datasetsOf(KERNELS), ...more });

it('routes cells by node count and dataset', () => {
  expect(routesOf(ORDER)).toEqual([
    { nodes: 2, dataset: 'web' },
    { nodes: 2, dataset: 'road' },
    { nodes: 4, dataset: 'web' },
    { nodes: 4, dataset: 'road' },
  ]);
});

it.each([
  [{}, null],
  [{ hosts: 3 }, 'w has 3 hosts'],
  [{ ranksPerNode: 1 }, 'w has 1 MPI ranks per node, not 2'],
  [{ datasets: [road] }, 'w lacks the dataset web'],
  [{ datasets: [{ ...web, hash: '1'.repeat(16) }] }, 'w lacks the dataset web'],
])('a worker with %o measures 4 nodes with a graph unless it lacks something', (more, why) => {
  expect(misfitOf(worker(more), ORDER, { nodes: 4, dataset: 'web' })).toBe(why);
});

it('does not ask for ranks per node where the sweep names them', () => {
  const order = { ...ORDER, sweep: { ...ORDER.sweep, ranksPerNode: [8] } };
  expect(misfitOf(worker({ ranksPerNode: 1 }), order, { nodes: 4, dataset: 'web' })).toBeNull();
});

it('says which cells no worker can measure, and why', () => {
  const cells = routesOf(ORDER).map((route) => ({ route, count: 3 }));
  const workers = [worker({ hosts: 2, datasets: [web] }), worker({ id: 'v', hosts: 2 })];
  expect(unservedText(ORDER, cells, workers)).toBe(
    'No worker of site-a can measure 6 cells on 4 nodes: w has 2 hosts and v has 2 hosts.',
  );
  expect(unservedText(ORDER, cells, [worker({})])).toBeNull();
  expect(unservedText(ORDER, cells, [])).toBeNull();
});
