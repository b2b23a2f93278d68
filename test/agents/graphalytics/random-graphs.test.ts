import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { times } from '../../times.ts';
import { manyRuns, TEAMS } from './many-runs.ts';
import { plainValues } from './plain-algorithms.ts';
import {
  type AlgorithmName,
  differences,
  type GraphFiles,
  graphalytics,
  readValues,
  wordsFor,
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

const ALGORITHMS = ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'] as const;
/** Graphs that are tried, directed ones and the others by turns: 1,000 with PREDICT_TIMES=333.3. */
const GRAPHS = times(3);

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

/** Whether they were told so: singly below 32, those above by their means in classes. */
function isTold(said: string, degrees: readonly (readonly [number, number])[]): boolean {
  const told = (/^degrees: +(.+)$/m.exec(said)?.[1]?.split(' ') ?? []).map((pair) => pair.split(':').map(Number));
  const few = (all: readonly (readonly number[])[]) => all.filter(([degree = 0]) => degree < 32);
  const sum = (all: readonly (readonly number[])[]): number => all.reduce((total, [, count = 0]) => total + count, 0);
  return isDeepStrictEqual(few(told), few(degrees)) && sum(told) === sum(degrees);
}

describe.skipIf(!existsSync('/usr/bin/mpirun'))('random graphs (need mpirun)', () => {
  const startMany = manyRuns(folder);

  /** Runs of all algorithms on a graph, what they must give and what they must say of degrees. */
  function plan(seed: number) {
    const directed = seed % 2 === 0;
    const graph = randomGraph(`graph-${seed}`, directed, seed);
    const source = `${graph.vertices[seed % 100]}`;
    return ALGORITHMS.map((algorithm) => ({
      ...{ algorithm, seed, output: join(folder, `${algorithm}-${seed}.out`), ids: graph.vertices.map(String) },
      expected: plainValues(algorithm, { ...graph, directed, source, iterations: 7, damping: 0.85 }),
      degrees: countDegrees(graph, directed && algorithm === 'sssp'), // shortest paths go along edges only
      words: [
        ...wordsFor(algorithm, graph.files),
        ...(algorithm === 'bfs' || algorithm === 'sssp' ? ['--source', source] : ['--iterations', '7']),
        ...['--repetitions', '2'],
      ],
    }));
  }

  describe('are what the definitions say', () => {
    let plans: ReturnType<typeof plan> = [];
    beforeAll(() => {
      plans = Array.from({ length: GRAPHS }, (_, k) => plan(k + 20)).flat();
    });

    it.each(TEAMS)('on $ranks ranks x $threads threads', async (team) => {
      const said = await startMany(
        team,
        plans.map(({ words, output }) => [...words, '--output', output]),
      );
      const wrong = plans.flatMap(({ algorithm, seed, output, ids, expected, degrees }, place) => {
        const values = readValues(output);
        const vertices = differences(algorithm, expected, values);
        const heard = said[place] ?? '';
        const threads = /^threads: +(\d+)$/m.exec(heard)?.[1];
        const checks = [
          ...[vertices.length === 0, isDeepStrictEqual([...values.keys()], ids)],
          ...[isTold(heard, degrees), threads === String(team.threads)],
        ];
        return checks.every(Boolean) ? [] : [{ algorithm, seed, vertices, checks }];
      });
      expect(wrong).toEqual([]);
    });
  });

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
