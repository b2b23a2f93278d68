import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../agents/build.ts';
import { isLong } from '../times.ts';
import { runGraph500 } from './run-graph500.ts';

const SEED = ['--seed', '7'];

/** Ranks, scale, edge factor. With few edges: many small components, vertices without edges, deep trees. */
const GRAPHS: readonly (readonly [number, number, number])[] = [
  [9, 10, 16],
  [1, 9, 1],
  [4, 9, 1],
  [9, 3, 2],
  ...(isLong
    ? ([
        [1, 10, 16],
        [4, 10, 16],
        [9, 9, 1],
      ] as const)
    : []),
];

/** Edges of the generated list, as the program writes it. */
interface EdgeList {
  readonly vertices: number;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('what a search of the bundled Graph500 gives (needs mpirun)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'predict-g500-result-'));
  const list = async (scale: number, edgeFactor: number): Promise<EdgeList> => {
    const file = join(folder, `edges-${scale}-${edgeFactor}`);
    const size = ['--scale', String(scale), '--edgefactor', String(edgeFactor)];
    const { exitCode, stdout, stderr } = await runGraph500(1, ...size, ...SEED, '--edges-out', file);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const labels = numbers(readFileSync(file));
    expect(labels).toHaveLength(2 * edgeFactor * 2 ** scale);
    return {
      vertices: 2 ** scale,
      from: labels.filter((_, i) => i % 2 === 0),
      to: labels.filter((_, i) => i % 2 === 1),
    };
  };

  beforeAll(() => buildHostPrograms());
  afterAll(() => rmSync(folder, { recursive: true }));

  it('writes edges of which each depends on its number alone, with repeats and self-loops among them', async () => {
    const [few, many] = [await list(8, 4), await list(8, 16)];
    expect(many.from.slice(0, few.from.length)).toEqual(few.from);
    expect(many.to.slice(0, few.to.length)).toEqual(few.to);
    expect(Math.max(...many.from, ...many.to)).toBeLessThan(many.vertices);
    const tuples = many.from.map((u, e) => `${u} ${many.to[e]}`);
    expect(new Set(tuples).size).toBeLessThan(tuples.length);
    expect(many.from.some((u, e) => u === many.to[e])).toBe(true);
  });

  it('refuses to write them from several ranks, and says what a full disk lacks', async () => {
    const several = await runGraph500(4, '--scale', '5', '--edges-out', join(folder, 'several'));
    expect(several.exitCode).toBe(2);
    expect(several.stderr).toContain('--edges-out is for one rank');
    const full = await runGraph500(1, '--scale', '10', '--edges-out', '/dev/full');
    expect(full.exitCode).toBe(1);
    expect(full.stderr).toBe(
      'predict-graph500: /dev/full is not complete: No space left on device; it takes 262144 bytes.',
    );
  });

  it.each(GRAPHS)(
    'is a parent per label, shortest paths by the edge list, on %i ranks at scale %i with edge factor %i',
    async (ranks, scale, edgeFactor) => {
      const edges = await list(scale, edgeFactor);
      const [results, rows] = [join(folder, `parents-${ranks}-${scale}`), join(folder, `rows-${ranks}-${scale}`)];
      const size = ['--scale', String(scale), '--edgefactor', String(edgeFactor), '--roots', '11'];
      const run = await runGraph500(ranks, ...size, ...SEED, '--parents-out', results, '--roots-out', rows);
      expect({ exitCode: run.exitCode, failed: run.stderr.match(/Validation failed.*/g) }).toEqual({
        exitCode: 0,
        failed: null,
      });
      const searches = readFileSync(rows, 'utf8').trim().split('\n').slice(1);
      const parents = numbers(readFileSync(results));
      expect(parents).toHaveLength(searches.length * edges.vertices);
      for (const [i, row] of searches.entries()) {
        const [, root, , counted] = row.split(',').map(Number);
        const own = parents.slice(i * edges.vertices, (i + 1) * edges.vertices);
        const levels = levelsFrom(edges, root ?? Number.NaN);
        expect(faultsOf(own, levels, edges, root ?? Number.NaN)).toEqual([]);
        // Section 9 of the specification: tuples within the component, self-loops and repeats among them.
        expect(counted).toBe(edges.from.filter((u) => (levels[u] ?? -1) >= 0).length);
      }
    },
  );

  it.each(isLong ? [1, 4, 9] : [1, 9])(
    'is judged by the edge list on %i ranks: a lost edge, a stray one and a wrong label are seen',
    async (ranks) => {
      for (const [fault, rule] of [
        [6, 4],
        [7, 5],
        [8, 5],
      ]) {
        const { exitCode, stderr } = await runGraph500(ranks, '--scale', '9', '--roots', '3', '--corrupt', `${fault}`);
        expect(exitCode).toBe(3);
        for (const search of [0, 1, 2])
          expect(stderr).toMatch(new RegExp(`^Validation failed for BFS ${search}: rule ${rule}`, 'm'));
      }
    },
  );

  it('does not damage a graph that is kept', async () => {
    const { exitCode, stderr } = await runGraph500(1, '--scale', '5', '--corrupt', '6', '--graph-cache', folder);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--graph-cache');
  });

  it.each(isLong ? [1, 4] : [4])('is the same from a kept graph, on %i ranks', async (ranks) => {
    const cache = join(folder, 'cache');
    const seen = [];
    for (const time of ['miss', 'hit']) {
      const results = join(folder, `kept-${time}`);
      const files = ['--graph-cache', cache, '--parents-out', results];
      const { exitCode, stdout } = await runGraph500(ranks, '--scale', '9', '--roots', '5', ...SEED, ...files);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(new RegExp(`^graph_cache: +${time}$`, 'm'));
      seen.push(numbers(readFileSync(results)));
    }
    expect(seen[0]).toHaveLength(5 * 512);
    expect(seen[1]).toEqual(seen[0]);
  });
});

/** Signed 64-bit numbers, little end first. */
function numbers(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigInt64LE(8 * i)));
}

/** Distances from the root by repeated passes over the edge list (Bellman and Ford), -1 where there is no path. */
function levelsFrom(edges: EdgeList, root: number): number[] {
  const levels = new Array<number>(edges.vertices).fill(Number.POSITIVE_INFINITY);
  levels[root] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (const [e, u] of edges.from.entries()) {
      const v = edges.to[e] ?? u;
      const [a = 0, b = 0] = [levels[u], levels[v]];
      if (a > b + 1) levels[u] = b + 1;
      else if (b > a + 1) levels[v] = a + 1;
      changed ||= Math.abs(a - b) > 1;
    }
  }
  return levels.map((level) => (Number.isFinite(level) ? level : -1));
}

function faultsOf(parents: readonly number[], levels: readonly number[], edges: EdgeList, root: number): string[] {
  const joined = new Set(edges.from.flatMap((u, e) => [`${u} ${edges.to[e]}`, `${edges.to[e]} ${u}`]));
  return parents.flatMap((parent, v) => {
    const level = levels[v] ?? Number.NaN;
    if (v === root) return parent === root ? [] : [`the root's parent is ${parent}`];
    if (level < 0) return parent === -1 ? [] : [`${v} is not reached, its parent is ${parent}`];
    const isStepUp = levels[parent] === level - 1 && joined.has(`${v} ${parent}`);
    return isStepUp ? [] : [`${v} at level ${level} has parent ${parent} at level ${levels[parent]}`];
  });
}
