import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asSeconds } from '../../../base/units.ts';
import { type Cell, recordSchema } from '../../../experiments/records.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import { loadWorkload } from '../../../experiments/workloads/load-workload.ts';
import type { CellContext } from '../../../orchestrator/cell/cell-context.ts';
import { JobKeeper, servedByOrders } from '../../../orchestrator/cell/job-keeper.ts';
import { LinkKeeper } from '../../../orchestrator/cell/link-keeper.ts';
import { runCell } from '../../../orchestrator/cell/run-cell.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { pathDataset } from '../../experiments/graphalytics/dataset.ts';
import { tempFolder } from '../../experiments/make.ts';
import { FakeWorld, type Launched, solve } from '../fake/world.ts';

const GRAPH500 = workloadOf({ kind: 'graph500', name: 'graph500' });

const RUNS_HEADER = 'run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest';

const cellOf = (change: Partial<Cell> = {}): Cell => ({
  ...{ id: '00000000000000aa', workload: 'graph500', nodes: 2, ranks: 2, scale: 10 },
  ...{ bw: 20, rep: 1, role: 'measure', roots: 64 },
  ...change,
});

const text = (end: string, ranks: number): string =>
  readFileSync(new URL(`../../fixtures/graph500/v3-bfs-scale10-np1.${end}`, import.meta.url), 'utf8').replace(
    /(num_mpi_processes: +)1/,
    `$1${ranks}`,
  );

const PHASES = 'rank,root,level,phase,start_ns,end_ns,bytes_sent\n0,0,0,expand,1,2,3\n';

/** Two seconds of traffic, a trace, and what the reference prints of 64 searches. */
async function search(launched: Launched) {
  await solve({ ...launched, print: () => undefined });
  launched.write('phases.csv', PHASES);
  const ranks = launched.hosts.length;
  return { stdout: text('stdout', ranks), stderr: text('stderr', ranks) };
}

function contextOf(world: FakeWorld, change: Partial<CellContext> = {}): CellContext {
  world.program = search;
  const cluster = new Cluster(world.inventory, world.open);
  const lease = { seconds: asSeconds(3600), owner: 'ann' };
  return {
    ...{ cluster, workload: GRAPH500, seed: 1, timeoutMs: 30_000, jobs: new JobKeeper(), beside: [] },
    links: new LinkKeeper(cluster, { lease, every: world.clock.every }),
    probed: new Map(),
    signal: new AbortController().signal,
    outputFolder: tmpdir(),
    datasets: new Map(),
    isLastTry: false,
    ...change,
  };
}

/** What ran on the first host, of what this is about. */
const steps = (world: FakeWorld): string[] =>
  world.asked.flatMap((each) => /^n1 (guard|set|clear|measure|write)$/.exec(each)?.[1] ?? []);

describe('cells that differ in their bandwidth alone', () => {
  it('are measured by one start, each under its level, and write when no level holds', async () => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    const rates: unknown[] = [];
    world.start = async ({ hosts }) => {
      rates.push(hosts.map(({ link }) => link.throttle?.rateBps));
      return {};
    };
    world.program = async (launched) => {
      rates.push(launched.hosts.map(({ link }) => link.throttle?.rateBps));
      return search(launched);
    };
    const runs = [];
    for (const bw of [20, 60, 100]) runs.push(await runCell(cellOf({ bw }), context));
    expect(rates).toEqual([
      [undefined, undefined],
      [20e6, 20e6],
      [60e6, 60e6],
      [undefined, undefined],
    ]);
    expect(steps(world)).toEqual([
      ...['guard', 'set', 'measure', 'set', 'write', 'set', 'measure', 'set', 'write', 'clear', 'measure', 'write'],
    ]);
    for (const { record, phases, stdout } of runs) {
      expect(recordSchema.parse(record)).toEqual(record);
      expect([record.status, record.reason, record.runs.length]).toEqual(['ok', null, 64]);
      expect([phases, stdout.match(/SCALE:/g)]).toEqual([PHASES, ['SCALE:']]);
    }
    expect(runs.map(({ record: { proof } }) => proof?.rateBps)).toEqual([20e6, 60e6, 100e6]);
    expect(runs.map(({ record: { timing } }) => timing.startMs === 0)).toEqual([false, true, true]);
    expect(runs.map(({ record: { timing: t } }) => t.totalMs)).toEqual(
      runs.map(({ record: { timing: t } }) => (t.startMs ?? 0) + t.throttleMs + t.workloadMs + t.collectMs),
    );
    await context.jobs.end();
    expect(world.hosts.map(({ running }) => running)).toEqual([[], []]);
    expect([...world.host('n1').files.keys()]).toEqual([]);
  });

  it.each([
    ['of another size', { nodes: 1, ranks: 1 }],
    ['of another scale', { scale: 11 }],
    ['of another number of searches', { roots: 32 }],
    ['of another repetition', { rep: 2 }],
  ])('and one %s has a start of its own, once the earlier one has ended', async (_, change) => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    await runCell(cellOf(), context);
    world.start = async () => {
      expect(world.host('n1').running.filter((verb) => verb === 'guard')).toHaveLength(1);
      return {};
    };
    await runCell(cellOf(change), context);
    expect(world.count('n1 guard')).toBe(2);
    await context.jobs.end();
  });

  it('are judged by the result that each leaves, and a wrong one serves no other', async () => {
    const root = tempFolder();
    const graphs = [pathDataset(root, { name: 'roads' })];
    const workload = await loadWorkload('graphalytics', { graphs, algorithms: ['bfs'] });
    const world = new FakeWorld(2);
    const context = contextOf(world, { workload, outputFolder: root });
    const right = readFileSync(join(root, 'roads', 'roads-BFS'), 'utf8');
    const cell = cellOf({ workload: 'graphalytics', params: { algorithm: 'bfs', graph: 'roads' }, roots: 1 });
    const reasons: unknown[] = [];
    for (const [bw, result] of [
      [20, right],
      [60, right.replace('7 6\n', '7 5\n')],
      [100, right],
    ] as const) {
      world.program = async (launched) => {
        await solve({ ...launched, print: () => undefined });
        launched.write('result', result);
        launched.write('runs.csv', `${RUNS_HEADER}\n0,0.5,1.25,1.75,39,40,40,0,00ff\n`);
        return {};
      };
      reasons.push((await runCell({ ...cell, bw }, context)).record.reason);
    }
    const wrong = 'The result is wrong: 1 of 40 values differ (vertex 7 has 5 instead of 6).';
    expect([reasons, world.count('n1 guard')]).toEqual([[null, wrong, null], 2]);
    await context.jobs.end();
  });

  it('has no part in a profiled or strict cell, nor in a job that steps of SLURM hold', () => {
    const { cluster } = contextOf(new FakeWorld(2));
    expect(servedByOrders(cellOf(), { cluster, workload: GRAPH500 })).toBe(true);
    const profile = { kind: 'wall', hz: 99 } as const;
    expect(servedByOrders(cellOf({ role: 'profile', profile }), { cluster, workload: GRAPH500 })).toBe(false);
    expect(servedByOrders(cellOf({ params: { strict: 'true' } }), { cluster, workload: GRAPH500 })).toBe(false);
    const srun = new FakeWorld(2, 'mpi: {launcher: srun}\n');
    expect(servedByOrders(cellOf(), { cluster: new Cluster(srun.inventory), workload: GRAPH500 })).toBe(false);
  });
});

describe('a run that waits for orders', () => {
  it('and died between two cells is started anew, without a word', async () => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    await runCell(cellOf(), context);
    world
      .fifo(/\S+orders-\S+\/orders/.exec(world.commands.find((each) => each.includes('--orders')) ?? '')?.[0] ?? '')
      .write('end');
    await new Promise((resolve) => setTimeout(resolve, 10));
    const { record } = await runCell(cellOf({ bw: 60 }), context);
    expect([record.status, world.count('n1 guard')]).toEqual(['ok', 2]);
    await context.jobs.end();
  });

  it.each([
    [
      'whose rank is killed',
      {
        exitCode: 137,
        stderr: 'mpirun noticed that process rank 1 with PID 7 on node n2 exited on signal 9 (Killed).\n',
      },
      /^n2: rank 1 \(pid 7\) was killed from outside by SIGKILL/,
    ],
    [
      'that the launcher loses',
      { exitCode: 1, stderr: 'ORTE has lost communication with a remote daemon.\n' },
      /could not start or keep the run: ORTE has lost/,
    ],
  ])('%s is a fault with that reason, and the next cell is none', async (_, end, reason) => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    await runCell(cellOf(), context);
    world.program = async () => end;
    await expect(runCell(cellOf({ bw: 60 }), context)).rejects.toMatchObject({
      ...{
        kind: 'infrastructure',
        message: expect.stringMatching(reason),
        stderr: expect.stringContaining(end.stderr),
      },
    });
    world.program = search;
    expect((await runCell(cellOf({ bw: 60 }), context)).record.status).toBe('ok');
    expect(world.count('n1 guard')).toBe(2);
    await context.jobs.end();
  });

  it('and is lost with the connection to the head carries what it printed, and the next one starts anew', async () => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    await runCell(cellOf(), context);
    world.program = async ({ print }) => {
      print('Running BFS 0\n');
      world.host('n1').lose('guard');
      return await new Promise(() => undefined);
    };
    await expect(runCell(cellOf({ bw: 60 }), context)).rejects.toMatchObject({
      ...{ kind: 'infrastructure', stdout: expect.stringMatching(/Running BFS 0\n$/) },
    });
    world.program = search;
    expect((await runCell(cellOf({ bw: 60 }), context)).record.status).toBe('ok');
    await context.jobs.end();
  });

  it.each(['start', 'program'] as const)(
    'and takes too long (%s) is ended, and its record says after how long',
    async (what) => {
      const world = new FakeWorld(2);
      const context = contextOf(world, { timeoutMs: 200 });
      world[what] = () => new Promise(() => undefined);
      const { record } = await runCell(cellOf(), context);
      expect(record).toMatchObject({ status: 'failed', reason: 'The run took longer than 0.2 s and was ended.' });
      expect(world.hosts.map(({ running }) => running)).toEqual([[], []]);
    },
  );

  it('and fails before it is ready is a record that claims no level', async () => {
    const world = new FakeWorld(2);
    const context = contextOf(world);
    world.start = async () => ({ exitCode: 3, stderr: 'Validation failed for BFS 0: rule 1: 2 vertices\n' });
    const { record } = await runCell(cellOf(), context);
    expect(recordSchema.parse(record)).toMatchObject({ status: 'failed', exitCode: 3, proof: null });
    expect(record.reason).toBe('A validation failed: Validation failed for BFS 0: rule 1: 2 vertices.');
    expect([world.count('set'), world.count('measure')]).toEqual([0, 0]);
    expect(context.jobs.find(cellOf())).toBeNull();
  });

  it('ends with an interrupt, which is no record', async () => {
    const world = new FakeWorld(2);
    const controller = new AbortController();
    const context = contextOf(world, { signal: controller.signal });
    world.program = () => new Promise(() => undefined);
    const stopped = expect(runCell(cellOf(), context)).rejects.toMatchObject({ kind: 'interrupted' });
    await world.when('n1', 'measure');
    controller.abort();
    await stopped;
    expect(world.hosts.map(({ running }) => running)).toEqual([[], []]);
  });
});
