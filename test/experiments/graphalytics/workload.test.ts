import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plan, startOf } from '../../../experiments/plan.ts';
import type { Cell } from '../../../experiments/records.ts';
import { programOf } from '../../../experiments/store/programs.ts';
import { parseSweep, withChoices } from '../../../experiments/sweep.ts';
import { loadWorkload } from '../../../experiments/workloads/load-workload.ts';
import type { ParamChoice, Workload } from '../../../experiments/workloads/workload.ts';
import { campaignPlan, nth, tempFolder } from '../make.ts';
import { pathDataset } from './dataset.ts';

const where = {
  ...{ outputFolder: '/w/out', program: (name: string) => `/w/bin/${name}`, seed: 7, hosts: ['n1'] },
  datasetFolder: (name: string) => `/data/${name}`,
};

async function loaded(...algorithms: readonly string[]): Promise<{ workload: Workload; root: string }> {
  const root = tempFolder();
  const graphs = [
    pathDataset(root, { name: 'roads' }),
    pathDataset(root, { name: 'graph500-9', weighted: true, vertices: 200 }),
  ];
  const options = { graphs, ...(algorithms.length === 0 ? {} : { algorithms }) };
  return { workload: await loadWorkload('graphalytics', options), root };
}

function cellsOf(workload: Workload, flags: object = {}): Cell[] {
  const sweep = withChoices(parseSweep({ nodes: '1,2', bw: '100', roots: '2', ...flags }), workload);
  return plan(sweep, { workload, ranksPerNode: 1, hosts: 4 });
}

describe('the graphs of a sweep', () => {
  test('each runs what it is made for, at its own size', async () => {
    const { workload } = await loaded();
    const told = (workload.choices ?? []).map(({ scale, params }: ParamChoice) => [
      params.graph,
      params.algorithm,
      scale,
    ]);
    // log2(39 / 16) and log2(199 / 16)
    expect(told).toEqual([
      ...['bfs', 'pr', 'wcc'].map((algorithm) => ['roads', algorithm, 1.29]),
      ...['bfs', 'pr', 'wcc', 'sssp'].map((algorithm) => ['graph500-9', algorithm, 3.64]),
    ]);
  });

  test('every choice is measured on all nodes, with the baseline once more', async () => {
    const { workload } = await loaded('bfs', 'sssp');
    const cells = cellsOf(workload);
    const told = cells.map(({ nodes, params, role }) => `${params?.algorithm} ${params?.graph} ${nodes} ${role}`);
    const programs = ['bfs roads', 'bfs graph500-9', 'sssp graph500-9'];
    const expected = programs.flatMap((name) =>
      [1, 2].flatMap((nodes) => [`${name} ${nodes} measure`, `${name} ${nodes} drift`]),
    );
    expect(told.toSorted()).toEqual(expected.toSorted());
  });

  test('every choice is measured with each number of threads, and the program and its launcher are told', async () => {
    const { workload } = await loaded('bfs');
    const cells = cellsOf(workload, { nodes: '1', param: ['threads=1,2'] });
    const told = cells
      .filter(({ role }) => role === 'measure')
      .map(({ params }) => `${params?.graph} ${params?.threads}`);
    expect(told.toSorted()).toEqual(['graph500-9 1', 'graph500-9 2', 'roads 1', 'roads 2']);
    const two = nth(
      cells.filter(({ params }) => params?.threads === '2'),
      0,
    );
    expect(workload.programOf(two.params ?? {})).toMatch(/^bfs on \S+, threads=2$/);
    const { argv, threads } = workload.invocation(two, where);
    expect([argv[argv.indexOf('--threads') + 1], threads]).toEqual(['2', 2]);
    expect(workload.invocation(nth(cellsOf(workload), 0), where).argv).not.toContain('--threads');
    expect(() => cellsOf(workload, { param: ['threads=0'] })).toThrow("--param threads: '0' is not one of 1..128");
    expect(() => cellsOf(workload, { param: ['cores=2'] })).toThrow('only algorithm, graph, threads');
  });

  test('cells named one by one are those of the graphs of their size', async () => {
    const { workload } = await loaded('bfs');
    const cells = cellsOf(workload, { nodes: undefined, cells: '1:1.29:100,2:3.64:100' });
    expect(cells.map(({ nodes, params }) => [nodes, params?.graph]).toSorted()).toEqual([
      [1, 'roads'],
      [2, 'graph500-9'],
    ]);
  });

  test('each algorithm on each graph and node count is one start, whose levels follow each other', async () => {
    const { workload } = await loaded('bfs', 'sssp');
    const measured = cellsOf(workload, { bw: '20,60', reps: '2' }).filter(({ role }) => role === 'measure');
    // bfs on roads, and both on graph500-9, on 1 and 2 nodes, twice.
    const starts = Array.from({ length: 3 * 2 * 2 }, (_, index) => measured.slice(3 * index, 3 * index + 3));
    expect(measured).toHaveLength(36);
    for (const levels of starts) {
      expect(new Set(levels.map(startOf)).size).toBe(1);
      expect(levels.map(({ bw }) => bw).toSorted()).toEqual([100, 20, 60]);
    }
    expect(new Set(measured.map(startOf)).size).toBe(12);
  });

  test('a program is an algorithm on a family, apart from those with other ranks per node', async () => {
    const { workload } = await loaded('bfs');
    const campaign = { ...campaignPlan(), workload: workload.definition };
    const names = cellsOf(workload, { ranksPerNode: '1,2' }).map((cell) => programOf(campaign, cell));
    expect([...new Set(names)].toSorted()).toEqual([
      'bfs on graph500',
      'bfs on graph500, 2 ranks per node',
      'bfs on roads',
      'bfs on roads, 2 ranks per node',
    ]);
    const late = cellsOf(workload, { latency: '0,2ms' }).map((cell) => programOf(campaign, cell));
    expect([...new Set(late)].toSorted()).toEqual(
      ['graph500', 'roads'].flatMap((family) => [0, 2].map((ms) => `bfs on ${family}, latency=${ms}`)),
    );
  });

  test('another content of a graph makes other cells', async () => {
    const { workload, root } = await loaded('bfs');
    const before = cellsOf(workload).map(({ id }) => id);
    const again = await loadWorkload('graphalytics', {
      graphs: [join(root, 'roads'), join(root, 'graph500-9')],
      algorithms: ['bfs'],
    });
    expect(cellsOf(again).map(({ id }) => id)).toEqual(before);
    const edges = join(root, 'roads', 'roads.e');
    writeFileSync(edges, readFileSync(edges, 'utf8').replace('1 2\n', '1 3\n'));
    const other = await loadWorkload('graphalytics', {
      graphs: [join(root, 'roads'), join(root, 'graph500-9')],
      algorithms: ['bfs'],
    });
    expect(cellsOf(other).filter(({ id }) => before.includes(id))).toEqual([]);
  });

  test.each([
    [{ graphs: [] as string[], algorithms: ['bfz'] }, "--algorithms: 'bfz' is none of"],
    [{ graphs: ['roads'], algorithms: ['sssp'] }, 'sssp is on the list of none of roads'],
    [{ graphs: ['roads', 'roads'] }, 'two graphs are called roads'],
    [{ graphs: ['nowhere'] }, 'There is no dataset'],
  ])('%j is refused', async ({ graphs, ...options }, message) => {
    const root = tempFolder();
    pathDataset(root, { name: 'roads' });
    const folders = graphs.map((name) => join(root, name));
    await expect(loadWorkload('graphalytics', { ...options, graphs: folders })).rejects.toThrow(message);
  });

  test('graphs belong to graphalytics, and graphalytics to graphs', async () => {
    await expect(loadWorkload('graphalytics')).rejects.toThrow('--graphs');
    await expect(loadWorkload('graph500', { graphs: ['web'] })).rejects.toThrow('belong to --workload graphalytics');
  });
});

describe('a run', () => {
  test('is told where its graph is on the hosts, and its parameters', async () => {
    const { workload } = await loaded('pr', 'sssp');
    const [pr, sssp] = ['pr', 'sssp'].map((algorithm) => {
      const cell = cellsOf(workload).find(
        ({ params }) => params?.algorithm === algorithm && params.graph === 'graph500-9',
      );
      if (!cell) throw new Error(`no cell of ${algorithm}`);
      return workload.invocation(cell, where).argv.join(' ');
    });
    expect(pr).toMatch(
      /^\/w\/bin\/graphalytics --algorithm pr --vertices \/data\/graph500-9\/graph500-9\.v --edges \/data\/graph500-9\/graph500-9\.e /,
    );
    expect(pr).toContain(' --directed false --weighted true --iterations 7 --damping 0.85 --repetitions 2 ');
    expect(sssp).toContain(' --source 2 --repetitions 2 ');
  });

  test('that follows orders is told names alone and warms up once, and leaves the same outputs', async () => {
    const { workload } = await loaded('bfs');
    const cell = nth(cellsOf(workload, { roots: '1' }), 0);
    const own = workload.invocation(cell, { ...where, cacheFolder: '/cache' });
    const ordered = workload.invocation(cell, { ...where, cacheFolder: '/cache', orders: '/w/fifo' });
    expect(own.argv.slice(-12)).toEqual([
      ...['--warm-up', '0', '--output', '/w/out/result', '--runs-out', '/w/out/runs.csv'],
      ...['--phases', '/w/out/phases.csv', '--messages', '/w/out/messages.csv', '--graph-cache', '/cache'],
    ]);
    expect(ordered.argv.slice(-14)).toEqual([
      ...['--warm-up', '1', '--output', 'result', '--runs-out', 'runs.csv', '--phases', 'phases.csv'],
      ...['--messages', 'messages.csv', '--orders', '/w/fifo', '--graph-cache', '/cache'],
    ]);
    expect(ordered.argv.slice(0, -14)).toEqual(own.argv.slice(0, -12));
    expect(ordered.outputs).toEqual(own.outputs);
  });

  const HEADER = 'run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest';

  test('is its repetitions, with edges per second', async () => {
    const { workload } = await loaded('bfs');
    const runs = `${HEADER}\n0,0.5,1.25,3,39,40,39,0,00ff\n1,0.25,1.25,3,39,40,39,0,00ff\n`;
    const stdout = 'graph_cache:            hit\nmemory_bytes_per_rank:  4096\nreference_time:                 0.104\n';
    const result = workload.parse({ exitCode: 0, stdout, stderr: '', files: { runs } });
    expect(result).toMatchObject({ ok: true, summary: { load_time: 1.25, makespan: 3, iterations: 39, vertices: 40 } });
    const printed = { graph_cache: 'hit', memory_bytes_per_rank: 4096, reference_time: 0.104 };
    expect(result).toMatchObject({ summary: printed });
    expect(result.ok && result.runs.map(({ ct, teps, nedge }) => [ct, teps, nedge])).toEqual([
      [0.5, 78, 39],
      [0.25, 156, 39],
    ]);
  });

  test.each([
    [{ exitCode: 2, stderr: 'predict-graphalytics: roads.e line 3: the edge 2 2 is a self-loop.\n' }, 'Roads.e line 3'],
    [{ exitCode: null }, 'The kernel ended with a signal.'],
    [{ exitCode: 0 }, 'The run left no file of its times.'],
    [{ exitCode: 0, files: { runs: `${HEADER}\n` } }, 'The file of runs has no run.'],
    [{ exitCode: 0, files: { runs: `${HEADER}\n0,nan,1,3,39,40,39,0,00ff\n` } }, 'damaged at line 2'],
    [{ exitCode: 0, files: { runs: 'a,b\n1,2\n' } }, 'does not begin with'],
  ])('%j failed', async (output, reason) => {
    const { workload } = await loaded('bfs');
    const result = workload.parse({ stdout: '', stderr: '', ...output });
    expect(result.ok ? '' : result.reason).toContain(reason);
  });

  test('is right or wrong by the reference output, and unjudged without one', async () => {
    const { workload, root } = await loaded('bfs', 'pr');
    const cells = cellsOf(workload).filter(({ params }) => params?.graph === 'roads');
    const bfs = nth(
      cells.filter(({ params }) => params?.algorithm === 'bfs'),
      0,
    );
    const pr = nth(
      cells.filter(({ params }) => params?.algorithm === 'pr'),
      0,
    );
    const result = join(root, 'result');
    const right = readFileSync(join(root, 'roads', 'roads-BFS'), 'utf8');
    writeFileSync(result, right);
    expect(await workload.validate?.(bfs, result)).toEqual({ reason: null, summary: { validation: 'passed' } });
    writeFileSync(result, right.replace('7 6\n', '7 5\n').replace('9 8\n', ''));
    expect((await workload.validate?.(bfs, result))?.reason).toBe(
      'The result is wrong: 1 of 39 values differ (vertex 7 has 5 instead of 6); 1 vertices are missing.',
    );
    expect((await workload.validate?.(bfs, null))?.reason).toBe('The run left no result to validate.');
    expect(await workload.validate?.(pr, result)).toEqual({
      reason: null,
      summary: { validation: 'no reference output' },
    });
  });
});
