import { expect, it } from 'vitest';
import { campaignSchema } from '../../experiments/store/campaign.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { measuredOf } from '../../report/content/from-campaign.ts';
import { campaignOf, emulated } from './campaign.ts';
import { warned } from './page.ts';

const { records, generatedAt } = campaignOf(emulated);
const sweep = { workload: 'graph500', nodes: [4, 9], scales: [19], bw: [10, 100], reps: 1, roots: 8, seed: 1 };
const campaign = campaignSchema.parse({
  schema: 1,
  name: 'first',
  createdAt: generatedAt,
  sweep,
  addedSweeps: [{ ...sweep, nodes: [16, 25], reps: 2 }],
  workload: { kind: 'graph500', name: 'graph500' },
  inventory: {
    cluster: 'lab',
    hosts: [
      { name: 'a', facts: { kernel: '6.18.5', cores: 2, memoryBytes: 4e9, cpuQuota: 0.06, dataInterface: 'eth0' } },
      { name: 'b', facts: { kernel: '6.1.0', cores: 4, memoryBytes: 8e9, cpuQuota: null } },
      { name: 'c', facts: ['unreadable'] },
      { name: 'd' },
    ],
    lineRateBps: 200e6,
    ranksPerNode: 1,
    launcher: 'openmpi',
  },
  cells: records.map((record) => record.cell),
});

it('a campaign gives the facts of its hosts and the sweep of all its cells', () => {
  const report = buildReport({ ...measuredOf(campaign, records.slice(0, -1)), generatedAt });
  expect(report.campaign).toMatchObject({
    cluster: 'lab',
    hosts: 4,
    kernels: ['6.1.0', '6.18.5'],
    cores: { min: 2, max: 4 },
    cpuQuotaCores: { min: 0.06, max: 0.06 },
    memoryBytes: { min: 4e9, max: 8e9 },
    sweep: { nodes: [4, 9, 16, 25], scales: [19], bw: [5, 10, 20, 50, 100], reps: 2, roots: 8 },
    cells: { planned: records.length, done: records.length - 1, failed: 0 },
  });
  expect(warned(report)[0]).toContain('not complete');
});

it('profiled runs are no measurements that are missing', () => {
  const profiled = records.map(({ cell }) => ({ ...cell, role: 'profile' as const }));
  const cells = [...campaign.cells, ...profiled];
  const report = buildReport({ ...measuredOf({ ...campaign, cells }, records), generatedAt });
  expect(report.campaign.cells).toEqual({ planned: records.length, done: records.length, failed: 0 });
});

it('projections keep to the rank rule of the workload', () => {
  const report = buildReport({ ...measuredOf(campaign, records), generatedAt });
  // The project's own Graph500 needs a square number of ranks.
  expect(report.projections.length).toBeGreaterThan(0);
  expect(report.projections.filter((row) => !Number.isInteger(Math.sqrt(row.nodes)))).toEqual([]);
});
