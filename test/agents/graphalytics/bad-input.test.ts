import { existsSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildHostPrograms } from '../../../agents/build.ts';
import { type AlgorithmName, graphalytics, readValues, writeGraph } from './run-graphalytics.ts';

interface Files {
  readonly vertices?: string;
  readonly edges?: string;
  readonly algorithm?: AlgorithmName;
  readonly weighted?: boolean;
  readonly directed?: boolean;
  readonly options?: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'predict-ga-bad-'));
const VERTICES = '1\n2\n3\n4\n5\n6\n7\n8\n';
let written = 0;

async function run(ranks: number, files: Files): Promise<{ exitCode: number | null; stderr: string }> {
  const { vertices = VERTICES, edges = '1 2\n', algorithm = 'wcc', weighted = false, directed = true } = files;
  const graph = { ...writeGraph(folder, `g${written++}`, vertices, edges), directed, weighted };
  const { exitCode, stderr } = await graphalytics(ranks, algorithm, graph, ...(files.options ?? []));
  const lines = stderr.split('\n').filter((line) => line.startsWith('predict-graphalytics: '));
  return { exitCode, stderr: lines.join('\n').replaceAll(/\/\S*\/g\d+/g, 'graph') };
}

/** What is wrong, in which file and line, and what the sentence says. */
const VERTEX_FILES: readonly (readonly [string, string, number, RegExp])[] = [
  ['unsorted', '1\n3\n2\n4\n', 3, /smaller than the one before/],
  ['with a vertex twice', '1\n2\n3\n3\n', 4, /listed twice/],
  ['with junk', '1\n2\nthree\n', 3, /'three': this is not a vertex/],
  ['with two columns', '1\n2 3\n', 2, /this is not a vertex/],
  ['with a fraction', '1\n2.5\n', 2, /this is not a vertex/],
  ['with an empty line', '1\n\n2\n', 2, /this is not a vertex/],
  ['with a negative id', '-1\n2\n', 1, /out of range/],
  ['with an id beyond 2^63-1', '1\n9223372036854775808\n', 2, /out of range/],
  ['with an id beyond 2^64', '1\n118446744073709551616\n', 2, /out of range/],
];

const EDGE_FILES: readonly (readonly [string, Files, number, RegExp])[] = [
  ['junk', { edges: '1 2\n1 x\n' }, 2, /'1 x': this is not an edge/],
  ['one id only', { edges: '1 2\n3\n4 5\n' }, 2, /this is not an edge/],
  ['commas', { edges: '1,2\n' }, 1, /this is not an edge/],
  ['a third column', { edges: '1 2\n2 3 0.5\n' }, 2, /more than two ids; say --weighted true/],
  ['an end that is no vertex', { edges: '1 2\n2 9\n9 1\n' }, 2, /an end of this edge is not in the vertex file/],
  ['a source that is no vertex', { edges: '1 2\n7 8\n99 1\n' }, 3, /an end of this edge is not in the vertex file/],
  ['a self-loop', { edges: '1 2\n3 3\n' }, 2, /joins a vertex to itself/],
  ['an edge twice', { edges: '1 2\n2 1\n3 4\n1 2\n2 1\n' }, 4, /the edge is listed twice/],
  ['an undirected edge twice', { edges: '1 2\n3 4\n1 2\n', directed: false }, 3, /the edge is listed twice/],
  ['an undirected edge both ways', { edges: '1 2\n2 1\n', directed: false }, 2, /with the smaller id first/],
  ['an id beyond 2^63-1', { edges: '1 9223372036854775808\n' }, 1, /an id is out of range/],
  ['a negative id', { edges: '1 2\n-1 2\n' }, 2, /an id is out of range/],
  ['an end in the middle of a line', { edges: '1 2\n2 3\n3 ' }, 3, /ends in the middle of this line/],
  ['no weight', { edges: '1 2 1\n2 3\n', weighted: true, algorithm: 'sssp' }, 2, /the weight is missing/],
  ['a negative weight', { edges: '1 2 -1\n', weighted: true, algorithm: 'sssp' }, 1, /finite number, 0 or more/],
  ['a weight that is no number', { edges: '1 2 NaN\n', weighted: true, algorithm: 'sssp' }, 1, /finite number/],
  ['an infinite weight', { edges: '1 2 inf\n', weighted: true, algorithm: 'sssp' }, 1, /finite number/],
  ['a weight beyond all doubles', { edges: '1 2 1e999\n', weighted: true, algorithm: 'sssp' }, 1, /finite number/],
  ['a hexadecimal weight', { edges: '1 2 0x1p3\n', weighted: true, algorithm: 'sssp' }, 1, /this is not an edge/],
  ['a weight cut off', { edges: '1 2 1\n2 3 ', weighted: true, algorithm: 'sssp' }, 2, /ends in the middle/],
];

const SOURCE = ['--source', '1'];

describe.skipIf(!existsSync('/usr/bin/mpirun'))('files that are no graph (need mpirun)', () => {
  beforeAll(() => buildHostPrograms());

  it.each(VERTEX_FILES)('a vertex file %s is refused with its line', async (_, vertices, line, sentence) => {
    const { exitCode, stderr } = await run(1, { vertices, edges: '' });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain(`graph.v, line ${line},`);
    expect(stderr).not.toContain('\n');
  });

  it.each(EDGE_FILES)('an edge file with %s is refused with its line', async (_, files, line, sentence) => {
    const { exitCode, stderr } = await run(1, { options: SOURCE, ...files });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain(`graph.e, line ${line},`);
    expect(stderr).not.toContain('\n');
  });

  it.each([
    ['ids out of order at a seam', { vertices: '1\n2\n3\n4\n5\n4\n7\n8\n9\n' }],
    ['the first of several bad lines', { edges: '1 2\n2 3\n3 4\n4 x\n5 6\n6 6\n7 y\n' }],
    ['the first of several unknown ends', { edges: '1 2\n2 3\n3 4\n4 77\n5 78\n6 79\n7 80\n' }],
    ['the first of several repeats', { edges: '1 2\n3 4\n5 6\n7 8\n7 8\n5 6\n3 4\n1 2\n' }],
  ] as const)('one fault is told alike by any number of ranks and threads: %s', async (_, files) => {
    const alone = await run(1, files);
    expect(alone.stderr).not.toBe('');
    expect(await run(5, files)).toEqual(alone);
    expect(await run(1, { ...files, options: ['--threads', '3'] })).toEqual(alone);
    expect(await run(2, { ...files, options: ['--threads', '2'] })).toEqual(alone);
  });

  it.each([
    ['a graph without vertices', { vertices: '', edges: '' }, 'holds no vertex'],
    [
      'a source that is no vertex',
      { algorithm: 'bfs', options: ['--source', '12'] },
      '--source 12 is not a vertex of graph.v',
    ],
    ['a search without a source', { algorithm: 'bfs' }, '--source is missing'],
    ['distances without weights', { algorithm: 'sssp', options: SOURCE }, 'sssp needs weights'],
    ['an algorithm that is none', { options: ['--algorithm', 'sort'] }, 'must be one of bfs|pr|wcc|cdlp|lcc|sssp'],
    ['a damping factor above 1', { options: ['--damping', '1.5'] }, 'a number from 0 to 1'],
    ['a file that is not there', { options: ['--edges', '/nowhere.e'] }, '/nowhere.e cannot be read on every host'],
  ] as const)('%s is refused', async (_, files, sentence) => {
    const { exitCode, stderr } = await run(1, files);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it('a graph that no host can hold is refused before it is read', async () => {
    const files = writeGraph(folder, 'large', VERTICES, '1 2\n'.repeat(20_000));
    truncateSync(files.edges, 2 ** 42);
    const graph = { ...files, directed: true, weighted: false };
    const { exitCode, stderr } = await graphalytics(1, 'wcc', graph);
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(
      /^predict-graphalytics: out of memory: large.v .* need some \d+\.\d GiB on a host, of which one has/,
    );
    rmSync(files.edges);
  });

  it('a run past its time limit ends with a sentence and a status of its own', async () => {
    const graph = { ...writeGraph(folder, 'long', VERTICES, '1 2\n'), directed: true, weighted: false };
    const run = await graphalytics(1, 'pr', graph, '--iterations', '1000000000', '--time-limit', '1');
    expect([run.exitCode, run.stderr]).toEqual([
      5,
      'predict-graphalytics: the time limit of 1 s is over; nothing is written.',
    ]);
  });

  it('lines may end as on Windows, the last one nowhere, and a graph needs no edge', async () => {
    const graph = { directed: true, weighted: true };
    const output = join(folder, 'fine.out');
    const ends = writeGraph(folder, 'crlf', '0\r\n5\r\n9223372036854775807', '0 5 1e0\r\n5 9223372036854775807 .5');
    const found = await graphalytics(1, 'sssp', { ...ends, ...graph }, '--source', '0', '--output', output);
    expect(found.exitCode).toBe(0);
    expect([...readValues(output)]).toEqual([
      ['0', '0'],
      ['5', '1'],
      ['9223372036854775807', '1.5'],
    ]);
    const bare = writeGraph(folder, 'bare', '3\n7\n', '');
    expect((await graphalytics(1, 'lcc', { ...bare, ...graph }, '--output', output)).exitCode).toBe(0);
    expect([...readValues(output).values()]).toEqual(['0', '0']);
  });
});
