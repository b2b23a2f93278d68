import { expect, test } from 'vitest';
import { plan } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep, type Sweep, withChoices } from '../../experiments/sweep.ts';
import { loadWorkload } from '../../experiments/workloads/load-workload.ts';
import { computeBenchmark } from '../../report/content/benchmark.ts';
import { buildPrograms } from '../../report/content/build-programs.ts';
import { renderPrograms } from '../../report/render.ts';
import { pathDataset } from '../experiments/graphalytics/dataset.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';

type Told = Cell & { readonly graph: string; readonly algorithm: string };

/** A campaign over two paths of a family, with a record for each cell as `measure` has it. */
async function campaignOf(
  flags: Parameters<typeof parseSweep>[0],
  measure: (cell: Told) => Partial<CellRecord> & { readonly times?: readonly number[] },
  preset?: Sweep['preset'],
): Promise<{ campaign: Campaign; records: CellRecord[]; dir: string }> {
  const root = tempFolder();
  const graphs = [
    pathDataset(root, { name: 'small', family: 'path', vertices: 81 }),
    pathDataset(root, { name: 'large', family: 'path', vertices: 161 }),
  ];
  const workload = await loadWorkload('graphalytics', { graphs, algorithms: ['bfs', 'pr'] });
  const sweep = { ...withChoices(parseSweep({ roots: '2', ...flags }), workload), ...(preset ? { preset } : {}) };
  const cells = plan(sweep, { workload, ranksPerNode: 1, hosts: 9 });
  const dir = `${root}/campaign`;
  const campaign = await createOrOpenCampaign(dir, { ...campaignPlan(), sweep, workload: workload.definition, cells });
  const records = cells.map((cell) => {
    const told = { ...cell, graph: String(cell.params?.graph), algorithm: String(cell.params?.algorithm) };
    const { times, ...rest } = measure(told);
    return { ...goodRecord(cell, times), summary: { load_time: 2, validation: 'passed' }, ...rest };
  });
  return { campaign, records, dir };
}

const tookMs = (workloadMs: number) => ({ totalMs: workloadMs, throttleMs: 0, workloadMs, collectMs: 0 });

test('metrics of jobs are those of the benchmark', async () => {
  const { campaign, records } = await campaignOf({ nodes: '1', bw: '100' }, () => ({
    ...{ times: [3, 5], timing: tookMs(16_000) },
  }));
  const job = computeBenchmark(campaign, records)?.jobs.find(({ graph }) => graph === 'small');
  // 80 edges and 81 vertices in 4 s; the sample's standard deviation of 3 and 5 is the root of 2.
  expect(job).toMatchObject({ processingS: 4, loadS: 2, makespanS: 16, eps: 20, evps: 40.25, size: '2XS', broken: 0 });
  expect(job?.cvPercent).toBeCloseTo((Math.SQRT2 / 4) * 100, 9);
  expect(job).toMatchObject({ starts: 1, startsCvPercent: null, price: null });
});

test('spread within starts is told from that over starts, and a price from what a node costs', async () => {
  const { campaign, records } = await campaignOf({ nodes: '1', bw: '100', reps: '2' }, ({ rep }) => ({
    times: rep === 1 ? [3, 5] : [6, 6],
  }));
  const inventory = { ...campaign.inventory, costPerNodeHour: 7.2 };
  const job = computeBenchmark({ ...campaign, inventory }, records)?.jobs.find(({ graph }) => graph === 'small');
  // Starts of 4 and 6 s on average; 7.2 an hour are 0.01 for 5 s, in which 161 edges and vertices were processed.
  expect(job).toMatchObject({ starts: 2, runs: 4, processingS: 5 });
  expect(job?.cvPercent).toBeCloseTo((Math.SQRT2 / 4 / Math.SQRT2) * 100, 9);
  expect(job?.startsCvPercent).toBeCloseTo((Math.SQRT2 / 5) * 100, 9);
  expect(job?.price).toBeCloseTo((0.01 / 161) * 1e9, 6);
});

test('jobs are those on the network as it is, without an added latency', async () => {
  const { campaign, records } = await campaignOf({ nodes: '1', bw: '100', latency: '0,2ms' }, ({ params }) => ({
    times: [params?.latency === 0 ? 4 : 8],
  }));
  expect(computeBenchmark(campaign, records)?.jobs.map(({ processingS }) => processingS)).toEqual([4, 4, 4, 4]);
});

test('speedups are against the fewest nodes', async () => {
  const { campaign, records } = await campaignOf({ nodes: '1,2,4', bw: '100' }, ({ nodes, graph }) => ({
    times: [graph === 'small' ? 8 / nodes : ([6, 3, 4][Math.log2(nodes)] ?? 0)],
  }));
  const data = computeBenchmark(campaign, records);
  expect(data?.stress).toEqual([]);
  const found = data?.speedups.filter(({ algorithm }) => algorithm === 'pr');
  expect(found?.map(({ graph, over, most }) => [graph, over, most])).toEqual([
    ['small', 'nodes', 4],
    ['large', 'nodes', 2],
  ]);
  expect(found?.[1]?.steps.map(({ count, speedup }) => [count, speedup])).toEqual([
    [1, 1],
    [2, 2],
    [4, 1.5],
  ]);
});

test('vertical scaling is over ranks on one node', async () => {
  const { campaign, records } = await campaignOf({ nodes: '1', bw: '100', ranksPerNode: '1,2,4' }, ({ ranks }) => ({
    times: [12 / ranks ** 0.5],
  }));
  const found = computeBenchmark(campaign, records)?.speedups;
  expect(new Set(found?.map(({ over }) => over))).toEqual(new Set(['ranks']));
  for (const { most } of found ?? []) expect(most).toBeCloseTo(2, 9);
});

test('and over threads of each rank, everything else equal', async () => {
  const flags = { nodes: '1', bw: '100', ranksPerNode: '1,2', param: ['threads=1,2'] };
  const { campaign, records } = await campaignOf(flags, ({ ranks, params }) => ({
    times: [12 / ranks / (1 + Number(params?.threads)) ** 0.5],
  }));
  const data = computeBenchmark(campaign, records);
  expect(data?.jobs.slice(0, 4).map(({ ranks, threads }) => [ranks, threads])).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
  ]);
  const found = (over: string) => data?.speedups.filter((one) => one.over === over).map(({ most }) => most.toFixed(6));
  expect(found('threads')).toEqual(Array.from({ length: 8 }, () => (1.5 ** 0.5).toFixed(6)));
  expect(found('ranks')).toEqual(Array.from({ length: 8 }, () => '2.000000'));
});

test('threads on several nodes have a speedup and a law, without runs that broke the SLA', async () => {
  const flags = { nodes: '1,4', bw: '100', param: ['threads=1,2,4'] };
  const { campaign, records } = await campaignOf(flags, ({ nodes, graph, params }) => ({
    times: [(2 + 6 / Number(params?.threads)) / nodes],
    ...(graph === 'large' ? { timing: tookMs(3_601_000) } : {}),
  }));
  const data = computeBenchmark(campaign, records);
  const over = data?.speedups.filter((one) => one.over === 'threads' && one.algorithm === 'pr');
  expect(over?.map(({ steps, most }) => [steps.map(({ nodes }) => nodes), most])).toEqual([
    [[1, 1, 1], 16 / 7],
    [[4, 4, 4], 16 / 7],
  ]);
  const laws = data?.threads.filter(({ algorithm }) => algorithm === 'pr');
  // 2 s of 8 are serial; 8 threads take 2.75 s on one node.
  expect(laws?.map(({ graph, nodes, ranks, twice }) => [graph, nodes, ranks, twice.threads])).toEqual([
    ['small', 1, 1, 8],
    ['small', 4, 4, 8],
  ]);
  for (const { nodes, serialPercent, twice } of laws ?? []) {
    expect(serialPercent.value).toBeCloseTo(25, 6);
    expect(twice.ct.value).toBeCloseTo(2.75 / nodes, 6);
  }
});

test('weak scaling compares graphs of a family, each on its nodes', async () => {
  const preset = { name: 'graphalytics-weak', slaS: 3600 };
  const cells = '1:2.32:100,2:3.32:100';
  const made = await campaignOf({ cells }, ({ nodes }) => ({ times: [nodes === 1 ? 4 : 5] }), preset);
  const found = computeBenchmark(made.campaign, made.records);
  expect(found?.speedups).toEqual([]);
  expect(
    found?.weak.map(({ algorithm, steps }) => [algorithm, steps.map(({ graph, slowdown }) => [graph, slowdown])]),
  ).toEqual([
    [
      'bfs',
      [
        ['small', 1],
        ['large', 1.25],
      ],
    ],
    [
      'pr',
      [
        ['small', 1],
        ['large', 1.25],
      ],
    ],
  ]);
});

test('what breaks the SLA is named with its reason, by size', async () => {
  const preset = { name: 'graphalytics-stress', slaS: 10 };
  const made = await campaignOf(
    { nodes: '1', bw: '100' },
    ({ graph, algorithm }) =>
      graph === 'small'
        ? { timing: tookMs(9_000) }
        : algorithm === 'bfs'
          ? { timing: tookMs(11_000) }
          : { status: 'failed', reason: 'The run took longer than 10 s and was ended.', runs: [] },
    preset,
  );
  expect(computeBenchmark(made.campaign, made.records)?.stress).toEqual([
    {
      ...{ algorithm: 'bfs', nodes: 1, largestGood: 'small', size: '2XS', smallestBroken: 'large' },
      reason: 'The makespan was 11 s, the SLA is 10 s.',
    },
    {
      ...{ algorithm: 'pr', nodes: 1, largestGood: 'small', size: '2XS', smallestBroken: 'large' },
      reason: 'The run took longer than 10 s and was ended.',
    },
  ]);
});

test('the page of several programs has a section and a sentence for each, and these tables', async () => {
  const made = await campaignOf({ nodes: '1,4,9', bw: '20' }, ({ nodes, bw, algorithm }) => ({
    times: [1, 1.01].map((one) => one * (0.02 + 1 / nodes + (algorithm === 'pr' ? 6 : 0.2) / bw)),
  }));
  for (const record of made.records) await writeCell(made.dir, record, { stdout: '', stderr: '' });
  const data = await buildPrograms(await openCampaign(made.dir), { generatedAt: '2026-01-01T00:00:00Z' });
  expect(data.programs.map(({ program }) => program)).toEqual(['bfs on path', 'pr on path']);
  expect(data.first).toMatch(/^pr on path becomes bandwidth-bound first: on 25 nodes it needs /);
  const page = renderPrograms(data);
  for (const { sentence } of data.programs) expect(page).toContain(sentence.slice(0, 20));
  expect(page).toContain('The benchmark’s metrics');
  expect(page).toContain('Strong scaling: speedup over nodes');
  expect(page).not.toMatch(/<script|undefined|NaN/);
});
