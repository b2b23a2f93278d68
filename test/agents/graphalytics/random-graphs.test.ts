import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { isLong } from '../../times.ts';
import { plainValues } from './plain-algorithms.ts';
import { RANDOM_RANKS } from './ranks.ts';
import {
  type AlgorithmName,
  differences,
  type GraphFiles,
  graphalytics,
  readValues,
  writeGraph,
} from './run-graphalytics.ts';

const folder = mkdtempSync(join(tmpdir(), 'predict-ga-random-'));

/** Numbers from 0 to 1, the same each time (a linear congruential generator). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Some hubs, many leaves, ids all over the 63 bits, vertices without edges, weights of 0 and of many sizes. */
function randomGraph(name: string, directed: boolean, seed: number) {
  const next = numbers(seed);
  const ids = Array.from({ length: 160 }, () => BigInt(Math.floor(next() * 2 ** 31)) * 2n ** 32n + BigInt(seed));
  const vertices = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  const edges = new Map<string, number>();
  for (let k = 0; k < 900; k++) {
    const [from, to] = [next() ** 3, next()].map((x) => vertices[Math.floor(x * 150)] ?? 0n);
    if (from === undefined || to === undefined || from === to || (!directed && from > to)) continue;
    edges.set(`${from} ${to}`, next() < 0.1 ? 0 : 10 ** Math.floor(4 * next()) * next());
  }
  const lines = [...edges].map(([ends, weight]) => `${ends} ${weight}\n`);
  const files = writeGraph(folder, name, vertices.map((id) => `${id}\n`).join(''), lines.join(''));
  return { vertices, edges, files: { ...files, directed, weighted: true } satisfies GraphFiles };
}

const CASES = (['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'] as const).flatMap((algorithm) =>
  [true, false].map((directed, place) => ({
    directed,
    algorithm,
    ranks: RANDOM_RANKS[algorithm][place] ?? Number.NaN,
  })),
);
/** With two threads each: directed and undirected by turns. */
const THREADED = CASES.filter((_, place) => isLong || [0, 3].includes(place % 4)).map((one) => ({
  ...one,
  ranks: one.directed ? 1 : 2,
}));

/** [neighbours; vertices with so many], ascending; none for those without any. One way: those that edges lead to. */
function countDegrees(
  { edges }: ReturnType<typeof randomGraph>,
  isOneWay: boolean,
): readonly (readonly [number, number])[] {
  const neighbours = new Map<string, Set<string>>();
  for (const [from = '', to = ''] of [...edges.keys()].map((ends) => ends.split(' '))) {
    for (const [one, other] of isOneWay
      ? [[from, to] as const]
      : ([
          [from, to],
          [to, from],
        ] as const))
      neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
  }
  const counts = new Map<number, number>();
  for (const { size } of neighbours.values()) counts.set(size, (counts.get(size) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b);
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('random graphs (need mpirun)', () => {
  beforeAll(() => buildHostPrograms());

  async function verify({ directed, algorithm, ranks }: (typeof CASES)[number], threads: number) {
    const graph = randomGraph(`${algorithm}-${directed}-${threads}`, directed, ranks + 19 + threads);
    const source = `${graph.vertices[7]}`;
    const output = join(folder, `${algorithm}-${directed}-${threads}.out`);
    const options = algorithm === 'bfs' || algorithm === 'sssp' ? ['--source', source] : ['--iterations', '7'];
    const more = ['--repetitions', '2', '--threads', String(threads), '--output', output];
    const run = await graphalytics(ranks, algorithm, graph.files, ...options, ...more);
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
    const expected = plainValues(algorithm, { ...graph, directed, source, iterations: 7, damping: 0.85 });
    expect(differences(algorithm, expected, readValues(output))).toEqual([]);
    expect([...readValues(output).keys()]).toEqual(graph.vertices.map(String));
    return { said: run.stdout, graph };
  }

  it.each(CASES)('$algorithm on $ranks ranks is what the definition says, directed: $directed', async (one) => {
    const { said, graph } = await verify(one, 1);
    // Shortest paths go along edges only.
    const degrees = countDegrees(graph, one.directed && one.algorithm === 'sssp');
    const told = /^degrees: +(.+)$/m.exec(said)?.[1]?.split(' ') ?? [];
    expect(told.filter((pair) => Number.parseFloat(pair) < 32)).toEqual(
      degrees.filter(([degree]) => degree < 32).map((pair) => pair.join(':')),
    );
    expect(told.reduce((sum, pair) => sum + Number(pair.split(':')[1]), 0)).toBe(
      degrees.reduce((sum, [, count]) => sum + count, 0),
    );
  });

  it.each(THREADED)('$algorithm on $ranks x 2 threads is so too, directed: $directed', async (one) => {
    const { said } = await verify(one, 2);
    expect(/^threads: +(\d+)$/m.exec(said)?.[1]).toBe(one.algorithm === 'sssp' ? '1' : '2');
  });

  it.each([
    { directed: false, ranks: 2 },
    { directed: false, ranks: 3 },
    { directed: true, ranks: 6 },
  ])(
    'pr on $ranks ranks copies one end of each edge between ranks, directed: $directed',
    async ({ directed, ranks }) => {
      const graph = randomGraph(`cut-${ranks}`, directed, ranks);
      const output = join(folder, `cut-${ranks}.out`);
      const run = await graphalytics(ranks, 'pr', graph.files, '--iterations', '7', '--output', output);
      expect([run.exitCode, run.stderr]).toEqual([0, '']);
      const expected = plainValues('pr', { ...graph, directed, source: '', iterations: 7, damping: 0.85 });
      expect(differences('pr', expected, readValues(output))).toEqual([]);
    },
  );

  it('leaves a row for each run, phases without a gap, and the lines that the official harness reads', async () => {
    const { files } = randomGraph('told', true, 3);
    const [runs, phases] = [join(folder, 'runs.csv'), join(folder, 'phases.csv')];
    const more = ['--repetitions', '3', '--iterations', '4', '--runs-out', runs, '--phases', phases];
    const { stdout } = await graphalytics(4, 'pr', files, ...more);
    expect(stdout.match(/^Processing starts at \d{13}$/gm)).toHaveLength(3);
    expect(stdout.match(/^Processing ends at \d{13}$/gm)).toHaveLength(3);
    const [head, ...rows] = readFileSync(runs, 'utf8').trimEnd().split('\n');
    expect(head).toBe('run,time_s,load_s,makespan_s,edges,vertices,iterations,bytes_sent,digest');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['0', '1', '2']);
    expect(new Set(rows.map((row) => row.split(',').slice(4).join())).size).toBe(1);
    const spans = readFileSync(phases, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));
    const before = spans.filter(([worker, , , , , , , root]) => worker === '0' && root === '');
    expect(before.map(([, phase]) => phase)).toEqual(['load', 'construct', 'cover']);
    const sent = spans.filter(([, phase, , , , , , root]) => phase === 'process' && root === '1');
    expect(sent).toHaveLength(4);
    expect(sent.reduce((sum, row) => sum + Number(row[4]), 0)).toBe(Number(rows[1]?.split(',')[7]));
    for (const [worker, , start, end] of sent) {
      const steps = spans.filter((row) => row[0] === worker && row[7] === '1' && row[8] !== '');
      expect(new Set(steps.map((row) => row[1]))).toEqual(new Set(['compute', 'exchange', 'synchronise']));
      expect(steps.slice(1).map((row) => row[2])).toEqual(steps.slice(0, -1).map((row) => row[3]));
      expect((steps[0]?.[2] ?? '') >= (start ?? '') && (steps.at(-1)?.[3] ?? '9') <= (end ?? '')).toBe(true);
    }
  });

  describe('a cached graph', () => {
    const cache = join(folder, 'cache');
    const search = async (ranks: number, files: GraphFiles, algorithm: AlgorithmName = 'wcc'): Promise<string> => {
      const run = await graphalytics(
        ranks,
        algorithm,
        files,
        '--graph-cache',
        cache,
        '--output',
        join(folder, 'c.out'),
      );
      expect(run.exitCode).toBe(0);
      return `${run.stdout.match(/^graph_cache: +(\w+)$/m)?.[1]} ${run.stdout.match(/^digest: +(\w+)$/m)?.[1]}`;
    };

    it('is found by what the files hold, and made anew when a part of it is damaged or missing', async () => {
      const { files } = randomGraph('cached', true, 5);
      const made = await search(2, files);
      const digest = made.split(' ')[1];
      expect(made).toMatch(/^miss \w{16}$/);
      expect(await search(2, files)).toBe(`hit ${digest}`);
      const parts = readdirSync(cache).map((name) => join(cache, name));
      expect(parts).toHaveLength(2);
      for (const damage of [changeByte, cutOff, (part: string) => rmSync(part)]) {
        damage(parts[1] ?? '');
        expect(await search(2, files)).toBe(`miss ${digest}`);
      }
      // Another graph in files of the same name and length.
      const text = readFileSync(files.edges, 'utf8').split('\n');
      const [first = '', second = ''] = text;
      writeFileSync(files.edges, [second, first, ...text.slice(2)].join('\n'));
      expect(await search(2, files)).toBe(`miss ${digest}`);
    });
  });
});

function changeByte(part: string): void {
  const bytes = readFileSync(part);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 4;
  writeFileSync(part, bytes);
}

function cutOff(part: string): void {
  truncateSync(part, readFileSync(part).length - 4096);
}
