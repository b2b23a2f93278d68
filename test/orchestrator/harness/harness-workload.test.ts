import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { programFile } from '../../../agents/host-programs.ts';
import { asSeconds } from '../../../base/units.ts';
import { type Cell, type CellRecord, recordSchema } from '../../../experiments/records.ts';
import { workloadOf } from '../../../experiments/workloads/adapters.ts';
import { workloadSchema } from '../../../experiments/workloads/workload-schema.ts';
import { JobKeeper } from '../../../orchestrator/cell/job-keeper.ts';
import { LinkKeeper } from '../../../orchestrator/cell/link-keeper.ts';
import { runCell } from '../../../orchestrator/cell/run-cell.ts';
import { Cluster } from '../../../orchestrator/hosts/cluster.ts';
import { probeHosts } from '../../../orchestrator/hosts/facts.ts';
import { FakeWorld } from '../fake/world.ts';
import { plainFolder } from '../hosts/local-machine.ts';
import { makeDistribution, processesOf, replaceKernel } from './distribution.ts';

interface Trial {
  readonly algorithm: string;
  readonly graph?: string;
  readonly repetitions?: number;
  readonly definition?: Record<string, unknown>;
  readonly prepare?: (places: { distribution: string; graphs: string }) => void;
}

/** Runs a cell of the workload: the host's link is made up, and what runs on it runs here, in the distribution folder. */
async function measure({ algorithm, graph = 'example-directed', repetitions = 1, definition, prepare }: Trial) {
  const folder = plainFolder();
  const { agent, graphalytics } = await buildHostPrograms();
  const places = await makeDistribution(folder, [agent, graphalytics]);
  prepare?.(places);
  const work = join(folder, 'work');
  const world = new FakeWorld(1, `work: {folder: ${JSON.stringify(work)}}\nranksPerNode: 2\n`);
  const told: string[] = [];
  world.program = async ({ argv, write, print }) => {
    const words = argv.map((word) => (word.endsWith('predict-run-harness') ? programFile('run-harness') : word));
    const output = words[words.indexOf('--output') + 1] ?? '';
    mkdirSync(output, { recursive: true });
    const [command = '', ...rest] = words.map((word) => word.replace(/^PREDICT_HOSTS=n1$/, 'PREDICT_HOSTS=localhost'));
    const { exitCode = null, stdout, stderr } = await execa(command, rest, { reject: false });
    for (const name of ['results.json', 'benchmark.log', 'programs.log']) {
      const path = join(output, name);
      if (existsSync(path)) write(path, readFileSync(path, 'utf8'));
    }
    // As a terminal's output comes, in pieces.
    for (let from = 0; from < stdout.length; from += 1000) print(stdout.slice(from, from + 1000));
    print('\n');
    return { exitCode, stderr };
  };
  const workload = workloadOf(
    workloadSchema.parse({
      ...{ kind: 'graphalytics-harness', name: 'official', folder: places.distribution, graphs: places.graphs },
      ...definition,
    }),
  );
  const cluster = new Cluster(world.inventory, world.open);
  const cell: Cell = {
    ...{ id: '00000000000000bb', workload: 'official', nodes: 1, ranks: 2, scale: 1, bw: 100, rep: 1 },
    ...{ role: 'measure', roots: repetitions, params: { graph, algorithm } },
  };
  const probed = await probeHosts(cluster, world.inventory.hosts, () => 0n);
  const { record } = await runCell(cell, {
    ...{ cluster, workload, seed: 1, timeoutMs: 60_000, outputFolder: tmpdir(), datasets: new Map(), isLastTry: true },
    links: new LinkKeeper(cluster, { lease: { seconds: asSeconds(60), owner: 'ann' }, every: world.clock.every }),
    jobs: new JobKeeper(),
    beside: [],
    probed: new Map(probed.map((host) => [host.host, host])),
    signal: new AbortController().signal,
    note: (text) => void told.push(text),
  });
  expect(recordSchema.parse(record)).toEqual(record);
  return { record, told, ...places };
}

beforeAll(async () => void (await buildHostPrograms()));

/** As `predict graph convert` leaves a graph. */
function inFolderOfItsName({ graphs }: { readonly graphs: string }): void {
  const files = readdirSync(graphs).filter((name) => name.startsWith('example-directed'));
  mkdirSync(join(graphs, 'example-directed'));
  for (const name of files) renameSync(join(graphs, name), join(graphs, 'example-directed', name));
}

const failed = (record: CellRecord): unknown[] => [record.status, record.exitCode, record.runs.length];

describe('the harness with our kernels', () => {
  test.each(['bfs', 'sssp'])('%s succeeds and is a record with its figures', async (algorithm) => {
    const repetitions = algorithm === 'bfs' ? 2 : 1;
    const prepare = algorithm === 'sssp' ? inFolderOfItsName : undefined;
    const { record, told, distribution } = await measure({ algorithm, repetitions, ...(prepare ? { prepare } : {}) });
    expect(told).toHaveLength(repetitions);
    expect(told[0]).toMatch(/^the harness's run r\d+ has succeeded, T_l=/);
    expect([record.reason, record.status, record.exitCode]).toEqual([null, 'ok', 0]);
    expect(record.runs).toHaveLength(repetitions);
    const { ct, nedge, teps } = record.runs[0] ?? { ct: 0 };
    expect([nedge, teps]).toEqual([17, 17 / ct]);
    expect(record.summary).toMatchObject({
      ...{ platform: 'predict', algorithm: algorithm.toUpperCase(), dataset: 'example-directed' },
      ...{ vertices: 10, edges: 17, machines: 1, repetitions },
      ...{ load_time: expect.any(Number), makespan: expect.any(Number), processing_time: expect.any(Number) },
    });
    expect(record.hosts).toEqual(['n1']);
    // The graph was unloaded, and nothing but the harness's report is left.
    const left = readdirSync(distribution).filter((name) => /^(cache|intermediate)/.test(name));
    expect(left.flatMap((name) => readdirSync(join(distribution, name)))).toEqual([]);
  });

  test('a wrong output is a failed record with the vertex', async () => {
    const { record } = await measure({
      algorithm: 'bfs',
      prepare: ({ graphs }) => {
        const path = join(graphs, 'example-directed-BFS');
        writeFileSync(path, readFileSync(path, 'utf8').replace(/^1 0$/m, '1 7'));
      },
    });
    expect(failed(record)).toEqual(['failed', 0, 0]);
    expect(record.reason).toMatch(
      /^The run of the harness failed, r\d+ \(BFS on example-directed\): its output differs from the reference \(VAL\): Validation failed for 1: expected: 7, actual: 0\.$/,
    );
  });

  test('a run that takes too long is a failed record, and no rank outlives it', async () => {
    const mark = `97${process.pid}`;
    const { record } = await measure({
      algorithm: 'wcc',
      definition: { timeoutS: 3 },
      prepare: ({ distribution }) =>
        replaceKernel(distribution, `case $* in *--output*) echo Processing starts at 1; exec sleep ${mark} ;; esac`),
    });
    expect(failed(record)).toEqual(['failed', 0, 0]);
    expect(record.reason).toMatch(/it took longer than the timeout \(TIM\): Timeout is reached after 3 seconds/);
    await expect.poll(() => processesOf(`sleep ${mark}`), { timeout: 10_000 }).toEqual([]);
  });

  test('a crash is a failed record with what the program said last', async () => {
    const { record } = await measure({
      algorithm: 'pr',
      prepare: ({ distribution }) => replaceKernel(distribution, 'case $* in *--output*) kill -SEGV $$ ;; esac'),
    });
    expect(failed(record)).toEqual(['failed', 0, 0]);
    expect(record.reason).toMatch(
      /^The run of the harness failed, r\d+ \(PR on example-directed\): the platform's program failed \(EXE\)/,
    );
  });
});

describe('a harness that cannot do what was asked', () => {
  test.each<[string, Trial, RegExp]>([
    ['an unknown algorithm', { algorithm: 'tc' }, /^The harness did no run\. .*Found unknown algorithm name "TC"/],
    [
      'a graph without its files',
      {
        algorithm: 'bfs',
        prepare: ({ graphs }) => rmSync(join(graphs, 'example-directed.e')),
      },
      /^The harness did no run\. No run has the requested graph example-directed/,
    ],
    [
      'a graph that nothing describes',
      { algorithm: 'bfs', graph: 'nowhere' },
      /left no results\.json and ended with exit status 2: predict-run-harness: nothing describes the graph 'nowhere'/,
    ],
    [
      'a distribution folder that is none',
      { algorithm: 'bfs', definition: { folder: '/nowhere/at/all' } },
      /exit status 2: predict-run-harness: the distribution folder '\/nowhere\/at\/all' is not on/,
    ],
    [
      'a graph whose edges are damaged',
      { algorithm: 'bfs', prepare: ({ graphs }) => writeFileSync(join(graphs, 'example-directed.e'), '1 77\n') },
      /the graph could not be loaded \(DAT\)/,
    ],
    [
      'an unloading that fails, which ends the harness',
      {
        algorithm: 'bfs',
        prepare: ({ distribution }) =>
          writeFileSync(join(distribution, 'bin/sh/unload-graph.sh'), '#!/bin/sh\nexit 3\n'),
      },
      /^The harness left no results\.json and ended with exit status 1/,
    ],
  ])('%s is a failed record', async (_, trial, reason) => {
    const { record } = await measure(trial);
    expect(record.status).toBe('failed');
    expect(record.reason).toMatch(reason);
  });

  test('an earlier runner that is still there is named', async () => {
    const name = 'science.atlarge.graphalytics.execution.RunnerService';
    const left = execa('bash', ['-c', `exec -a ${name} sleep 600`], { reject: false });
    try {
      await expect.poll(() => readFileSync(`/proc/${left.pid}/cmdline`, 'utf8')).toContain(name);
      const { record } = await measure({ algorithm: 'bfs' });
      expect(record.reason).toContain(`a runner of the harness is still there (process ${left.pid})`);
    } finally {
      left.kill();
      await left;
    }
  });
});
