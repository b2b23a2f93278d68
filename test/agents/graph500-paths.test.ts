import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { parseGraph500 } from '../../experiments/parse-graph500.ts';
import { plan } from '../../experiments/plan.ts';
import { parseSweep } from '../../experiments/sweep.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { isLong } from '../times.ts';
import { runGraph500 } from './run-graph500.ts';

/** Ranks, scale, edge factor, and more options. With few edges: many small components and vertices without edges. */
const GRAPHS: readonly (readonly [number, number, number, readonly string[]])[] = [
  [1, 9, 16, []],
  [1, 8, 1, ['--delta', '0.5']],
  [4, 8, 16, []],
  [9, 7, 1, ['--delta', '0.001']],
  ...(isLong
    ? ([
        [9, 10, 16, []],
        [16, 9, 2, []],
        [4, 9, 4, ['--delta', '1']],
      ] as const)
    : []),
];

/** By number: the edge list and its weights, as the program writes them. */
interface Edges {
  readonly vertices: number;
  readonly ends: readonly number[];
  readonly weights: Float32Array;
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('shortest paths of the bundled Graph500 (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-g500-paths-'));
  const file = (name: string): string => join(folder, name);
  beforeAll(() => buildHostPrograms());
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(GRAPHS)(
    'are those of Dijkstra on %i ranks at scale %i with edge factor %i and %j',
    async (ranks, scale, edgeFactor, more) => {
      const size = ['--scale', `${scale}`, '--edgefactor', `${edgeFactor}`, '--seed', '7'];
      await runGraph500(1, ...size, '--edges-out', file('edges'), '--weights-out', file('weights'));
      const edges = {
        vertices: 2 ** scale,
        ends: labels(file('edges')),
        weights: floats(file('weights')),
      };
      expect(edges.weights).toHaveLength(edges.ends.length / 2);
      expect(edges.weights.every((weight) => weight >= 0 && weight < 1)).toBe(true);
      const files = ['--distances-out', file('d'), '--parents-out', file('p'), '--roots-out', file('rows')];
      const run = await runGraph500(ranks, ...size, ...more, '--kernel', 'sssp', '--roots', '7', ...files);
      const failed = run.stderr.match(/Validation failed.*/g);
      expect({ exitCode: run.exitCode, failed }).toEqual({ exitCode: 0, failed: null });
      const [distances, parents] = [doubles(file('d')), labels(file('p'))];
      const rows = readFileSync(file('rows'), 'utf8').trim().split('\n').slice(1);
      expect(distances).toHaveLength(rows.length * edges.vertices);
      for (const [i, row] of rows.entries()) {
        const [, root = Number.NaN, , counted] = row.split(',').map(Number);
        const part = [i * edges.vertices, (i + 1) * edges.vertices] as const;
        const truth = shortest(edges, root);
        expect([...distances.subarray(...part)]).toEqual(truth);
        expect(faultsOf(parents.slice(...part), truth, edges, root)).toEqual([]);
        expect(counted).toBe(edges.ends.filter((u, k) => k % 2 === 0 && truth[u] !== Number.POSITIVE_INFINITY).length);
      }
    },
  );

  /** Fault, and the rule that sees it: 1 to 5 break a rule of the tree, the others as named in agents/graph500/corrupt.h. */
  const FAULTS = [
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 5],
    [6, 4],
    [7, 5],
    [8, 5],
    [9, 2],
    [10, 5],
    [11, 2],
  ] as const;

  it.each(isLong ? [1, 4, 9] : [1, 4])('are judged by the edge list on %i ranks', async (ranks) => {
    for (const [fault, rule] of ranks === 1 || isLong
      ? FAULTS
      : FAULTS.filter(([number]) => [2, 9, 11].includes(number))) {
      const size = ['--scale', '9', '--roots', '3', '--kernel', 'sssp'];
      const { exitCode, stderr } = await runGraph500(ranks, ...size, '--corrupt', `${fault}`);
      expect(exitCode).toBe(3);
      for (const search of [0, 1, 2])
        expect(stderr).toMatch(new RegExp(`^Validation failed for SSSP ${search}: rule ${rule}`, 'm'));
    }
  });

  it('go from the same keys over as many edges as breadth-first search, with statistics of their own', async () => {
    const { exitCode, stdout, stderr } = await runGraph500(4, '--scale', '9', '--roots', '4', '--kernel', 'both');
    const { valid, kernel, validated, summary, fields } = parseGraph500([stdout, stderr], { exitCode });
    expect({ valid, kernel, validated }).toEqual({ valid: true, kernel: 'bfs', validated: true });
    const searches = stderr.match(/^(TEPS|Validate time) for (BFS|SSSP) \d is [\d.e+-]+$/gm);
    expect(searches).toHaveLength(4 * 2 * 2);
    expect(summary?.sssp?.harmonicMeanTeps).toBeGreaterThan(0);
    expect(summary?.sssp?.validate?.max).toBeGreaterThan(0);
    expect(summary?.sssp?.time.min).toBeLessThanOrEqual(summary?.sssp?.time.max ?? 0);
    expect(fields.mean_supersteps).toBeGreaterThan(1);
    expect(stdout).toMatch(/^num_validated: +8$/m);
  });

  it('are the same from a kept graph', async () => {
    const found = [];
    for (const time of ['miss', 'hit']) {
      const files = ['--graph-cache', file('cache'), '--distances-out', file(time)];
      const { stdout } = await runGraph500(1, '--scale', '8', '--roots', '3', '--kernel', 'sssp', ...files);
      expect(stdout).toMatch(new RegExp(`^graph_cache: +${time}$`, 'm'));
      found.push(doubles(file(time)));
    }
    expect(found[0]).toEqual(found[1]);
  });

  it('are measured by the cells of a sweep with kernel=sssp: times, TEPS and a trace', async () => {
    const workload = workloadOf({ kind: 'graph500', name: 'graph500' });
    const texts = { nodes: '4', scales: '9', bw: '100', roots: '3', param: ['kernel=sssp'] };
    const [cell] = plan(parseSweep(texts), { workload, ranksPerNode: 1, hosts: 4 });
    if (cell === undefined) throw new Error('there is no cell');
    const where = { outputFolder: folder, hosts: [], seed: 1, datasetFolder: () => '' };
    const { argv, outputs } = workload.invocation(cell, { ...where, program: () => '' });
    const { exitCode, stdout, stderr } = await runGraph500(cell.ranks, ...argv.slice(1));
    const read = (name: 'runs' | 'phases' | 'messages'): string => readFileSync(outputs[name] ?? '', 'utf8');
    const files = { runs: read('runs'), phases: read('phases'), messages: read('messages') };
    const result = workload.parse({ exitCode, stdout, stderr, ranks: 4, files });
    if (!result.ok) throw new Error(result.reason);
    expect(result.runs).toHaveLength(3);
    expect(
      result.runs.every(({ ct, teps, nedge }) => ct > 0 && Math.abs((nedge ?? 0) / ct / (teps ?? 0) - 1) < 1e-9),
    ).toBe(true);
    expect(result.summary.sssp_harmonic_mean_TEPS).toBeGreaterThan(0);
    expect(result.summary).not.toHaveProperty('bfs_min_time');
    expect(files.phases).toMatch(/,sssp,/);
    expect(files.phases).not.toMatch(/,bfs,/);
    // A phase comes once in a level of a search on a rank, and all ranks have the same levels.
    const spans = files.phases
      .trim()
      .split('\n')
      .map((row) => row.split(','))
      .filter((row) => row[8] !== '');
    const told = spans
      .slice(1)
      .map(([rank, phase, , , , , , root, level]) => [rank, `${phase} ${root} ${level}`] as const);
    const byRank = ['0', '1', '2', '3'].map((rank) => told.filter(([of]) => of === rank).map(([, key]) => key));
    for (const keys of byRank) {
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys).toEqual(byRank[0]);
    }
  });

  it.each([
    [
      'a file',
      ['--kernel', 'both', '--phases', 'x'],
      '--kernel both writes no files: ask for bfs and for sssp, each with its own.',
    ],
    [
      'distances of the other kernel',
      ['--distances-out', 'x'],
      '--distances-out and --corrupt 9 to 11 are of shortest paths: add --kernel sssp.',
    ],
    ['weights alone', ['--weights-out', 'x'], '--weights-out goes with --edges-out: name that file too.'],
    ['a width past 1', ['--delta', '2'], "--delta must be a number from 0 to 1, not '2'."],
  ])('refuses %s in one sentence', async (_, args, sentence) => {
    const { exitCode, stderr } = await runGraph500(1, '--scale', '5', ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `predict-graph500: ${sentence}` });
  });
});

/** Signed 64-bit numbers, little end first. */
function labels(path: string): number[] {
  const bytes = readFileSync(path);
  return Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigInt64LE(8 * i)));
}

function doubles(path: string): Float64Array {
  const bytes = readFileSync(path);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => bytes.readDoubleLE(8 * i));
}

function floats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

/** Dijkstra without a heap, in single precision: the nearest vertex that is open is settled, and its edges are relaxed. */
function shortest({ vertices, ends, weights }: Edges, root: number): number[] {
  const distances = new Array<number>(vertices).fill(Number.POSITIVE_INFINITY);
  const arcs = Array.from({ length: vertices }, (): [number, number][] => []);
  for (const [k, weight] of weights.entries()) {
    const [u = 0, v = 0] = [ends[2 * k], ends[2 * k + 1]];
    arcs[u]?.push([v, weight]);
    arcs[v]?.push([u, weight]);
  }
  distances[root] = 0;
  for (const open = new Set(distances.keys()); open.size > 0; ) {
    let nearest = -1;
    for (const v of open) if (nearest < 0 || (distances[v] ?? 0) < (distances[nearest] ?? 0)) nearest = v;
    open.delete(nearest);
    for (const [v, weight] of arcs[nearest] ?? []) {
      const distance = Math.fround((distances[nearest] ?? 0) + weight);
      if (distance < (distances[v] ?? 0)) distances[v] = distance;
    }
  }
  return distances;
}

function faultsOf(parents: readonly number[], distances: readonly number[], edges: Edges, root: number): string[] {
  const steps = new Set<string>();
  for (const [k, weight] of edges.weights.entries()) {
    const [u = 0, v = 0] = [edges.ends[2 * k], edges.ends[2 * k + 1]];
    if (Math.fround((distances[u] ?? 0) + weight) === distances[v]) steps.add(`${u} ${v}`);
    if (Math.fround((distances[v] ?? 0) + weight) === distances[u]) steps.add(`${v} ${u}`);
  }
  return parents.flatMap((parent, v) => {
    const isReached = distances[v] !== Number.POSITIVE_INFINITY;
    const isRight = v === root ? parent === root : isReached ? steps.has(`${parent} ${v}`) : parent === -1;
    return isRight ? [] : [`${v} at ${distances[v]} has parent ${parent}`];
  });
}
