import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classOf, familyOf, scaleOf, sizeOf } from '../../../experiments/graphs/benchmark-terms.ts';
import { checkDataset } from '../../../experiments/graphs/check/check-dataset.ts';
import { readDataset, readDatasets } from '../../../experiments/graphs/dataset.ts';
import { escapedValue, parseProperties } from '../../../experiments/graphs/graph-properties.ts';
import { tempFolder } from '../make.ts';
import { handmade, SAMPLES, textFile } from './make.ts';

const values = (text: string): Record<string, string> =>
  Object.fromEntries([...parseProperties(text, 'x.properties')].map(([key, { value }]) => [key, value]));

// Expected values are those that java.util.Properties gives.
test.each([
  ['a = 1', { a: '1' }],
  ['a=1\r\nb:2\rc 3\n', { a: '1', b: '2', c: '3' }],
  ['# no\n! no\n\n   a\t=  x y ', { a: 'x y' }],
  ['a = 1, \\\n    2, \\\n    3', { a: '1, 2, 3' }],
  ['a = x\\\\\nb = 2', { a: 'x\\', b: '2' }],
  ['a\\ b\\=c = d', { 'a b=c': 'd' }],
  ['a = \\u0041\\t|\\q', { a: 'A\t|q' }],
  ['a', { a: '' }],
  ['a =', { a: '' }],
  ['a = b = c', { a: 'b = c' }],
  ['a = 1\na = 1', { a: '1' }],
])('%j is read as Java reads it', (text, expected) => {
  expect(values(text)).toEqual(expected);
});

test('a key with two values and a broken escape are refused with their lines', () => {
  expect(() => values('a = 1\nb = 2\na = 3')).toThrow('x.properties line 3: a has a different value in line 1');
  expect(() => values('a = \\u12')).toThrow('x.properties line 1');
});

test('whatever a value is, its text is read as this value', () => {
  const text = fc.string().map((one) => one.trim());
  fc.assert(
    fc.property(text, (value) => {
      expect(values(`key = ${escapedValue(value)}\nother = 1`)).toEqual({ key: value, other: '1' });
    }),
  );
});

test.each(['graphs', 'public-test', 'example'])('all properties of %s are read', async (folder) => {
  const files = readdirSync(join(SAMPLES, folder)).filter((name) => name.endsWith('.properties'));
  for (const file of files) {
    const dataset = await readDataset(join(SAMPLES, folder, file));
    expect(`${dataset.name}.properties`).toBe(file);
    expect(dataset.edgeFile).toBe(join(SAMPLES, folder, `${dataset.name}.e`));
  }
  expect(files.length).toBeGreaterThan(1);
});

test('a dataset is what its properties say', async () => {
  expect(await readDataset(join(SAMPLES, 'example/example-directed'))).toMatchObject({
    name: 'example-directed',
    directed: true,
    weighted: true,
    vertices: 10,
    edges: 17,
    algorithms: ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'],
    parameters: {
      bfs: { source: '1' },
      pr: { dampingFactor: 0.85, iterations: 2 },
      cdlp: { iterations: 2 },
      sssp: { source: '1', weightProperty: 'weight' },
    },
    references: { pr: join(SAMPLES, 'example/example-directed-PR') },
    warnings: [],
  });
  const talk = await readDataset(join(SAMPLES, 'graphs/wiki-Talk.properties'));
  expect(talk).toMatchObject({ weighted: false, edges: 5_021_410, family: 'wiki-Talk', references: {} });
});

test('an edge file that is named as the vertex file is NAME.e, with a warning', async () => {
  const { edgeFile, warnings } = await readDataset(join(SAMPLES, 'public-test/test-wcc-directed'));
  expect([edgeFile, warnings.length]).toEqual([join(SAMPLES, 'public-test/test-wcc-directed.e'), 1]);
});

test('all datasets of a folder are read, or the one that has its name', async () => {
  expect(await readDatasets(join(SAMPLES, 'public-test'))).toHaveLength(12);
  expect(await readDatasets(join(SAMPLES, 'graphs/wiki-Talk.properties'))).toMatchObject([{ name: 'wiki-Talk' }]);
});

test('folders with several datasets or none, and paths that are nothing, are refused', async () => {
  await expect(readDataset(join(SAMPLES, 'public-test'))).rejects.toThrow(
    'holds 12 datasets (test-bfs-directed.properties',
  );
  await expect(readDataset(SAMPLES)).rejects.toThrow('there is no .properties file');
  await expect(readDataset('/nowhere/at/all')).rejects.toThrow('There is no dataset /nowhere/at/all');
});

const GOOD =
  'vertex-file = g.v\nedge-file = g.e\nmeta.vertices = 3\nmeta.edges = 2\ndirected = true\nalgorithms = bfs\nbfs.source-vertex = 1';

test.each([
  ['meta.vertices = 3', 'meta.vertices = many', "line 3: graph.g.meta.vertices = 'many' is not a whole number"],
  ['directed = true', 'directed = yes', "line 5: graph.g.directed = 'yes' is neither 'true' nor 'false'"],
  ['directed = true\n', '', 'has no graph.g.directed'],
  [
    'algorithms = bfs',
    'algorithms = bfs, dfs',
    "line 6: graph.g.algorithms = 'bfs, dfs' lists algorithms other than bfs, pr",
  ],
  ['algorithms = bfs', 'algorithms = bfs, pr', 'lists pr among the algorithms but has no graph.g.pr.damping-factor'],
  ['algorithms = bfs', 'algorithms = sssp', 'lists sssp, but graph.g.edge-properties.names names no weight'],
  ['bfs.source-vertex = 1', 'bfs.source-vertex = -1', 'is not a vertex id'],
  ['bfs.source-vertex = 1', 'edge-properties.names = a, b\nbfs.source-vertex = 1', 'edges have a and b'],
  ['edge-file = g.e', 'edge-file =', 'names no file'],
  ['vertex-file = g.v\n', '', 'describes 0 graphs'],
])('properties with %j turned into %j are refused', async (before, after, message) => {
  const keyed = GOOD.replace(before, after).replace(/^(?=.)/gm, 'graph.g.');
  await expect(readDataset(textFile(keyed, 'g.properties'))).rejects.toThrow(message);
});

test('a key of its own names the family', async () => {
  const properties = `${GOOD}\nfamily = mine`.replace(/^(?=.)/gm, 'graph.g.');
  expect((await readDataset(handmade({ properties }))).family).toBe('mine');
});

// The thesis, tables 3.3 and 3.4: vertices, edges, scale and class of its datasets.
test.each([
  ['wiki-talk', 2.39e6, 5.02e6, 6.9, '2XS'],
  ['kgs', 0.83e6, 17.9e6, 7.3, 'XS'],
  ['dota-league', 0.06e6, 50.9e6, 7.7, 'S'],
  ['com-friendster', 65.6e6, 1.81e9, 9.3, 'XL'],
  ['datagen-100', 1.67e6, 102e6, 8.0, 'M'],
  ['datagen-300', 4.35e6, 304e6, 8.5, 'L'],
  ['graph500-24', 8.87e6, 260e6, 8.4, 'M'],
  ['graph500-26', 32.8e6, 1.05e9, 9.0, 'XL'],
  ['graph500-30', 447.8e6, 17e9, 10.2, '2XL'],
])('%s has the scale and class of the thesis', (_name, vertices, edges, scale, label) => {
  expect([scaleOf(vertices, edges), classOf(vertices, edges)]).toEqual([scale, label]);
});

describe('size', () => {
  test('is the scale of a Graph500 graph with as many edges', () => {
    expect(sizeOf({ name: 'g', edges: 16 * 2 ** 20 })).toBe(20);
    expect(sizeOf({ name: 'g', edges: 15_700_919 })).toBe(19.9);
    expect(() => sizeOf({ name: 'g', edges: 0 })).toThrow("The graph 'g' has no edges");
  });
});

test.each([
  ['graph500-22', 'graph500'],
  ['datagen-7_5-fb', 'datagen-fb'],
  ['datagen-9_0-fb', 'datagen-fb'],
  ['cit-Patents', 'cit-Patents'],
  ['my-graph500-22', 'my-graph500-22'],
])('%s is of the family %s', (name, family) => {
  expect(familyOf(name)).toBe(family);
});

test.each([
  [
    'graph.example-directed.',
    'graph.../../elsewhere/x.',
    /'\.\.\/\.\.\/elsewhere\/x' cannot be a graph's name: use letters/,
  ],
  ['vertex-file = example-directed.v', 'vertex-file = /etc/passwd', /\/etc\/passwd leads out of the dataset's folder/],
  ['edge-file = example-directed.e', 'edge-file = ../other.e', /\.\.\/other\.e leads out of the dataset's folder/],
  [
    'vertex-file = example-directed.v',
    'vertex-file = link.v',
    /link\.v leads out of the dataset's folder.*or by a symlink/,
  ],
])('a dataset of somebody else names files of its own folder alone: %s as %s', async (from, to, said) => {
  const folder = tempFolder();
  symlinkSync('/etc/passwd', join(folder, 'link.v'));
  const text = readFileSync(join(SAMPLES, 'example/example-directed.properties'), 'utf8');
  expect(text).toContain(from);
  writeFileSync(join(folder, 'x.properties'), text.replaceAll(from, to));
  await expect(readDataset(join(folder, 'x.properties'))).rejects.toThrow(said);
  await expect(checkDataset(join(folder, 'x.properties'))).rejects.not.toThrow(/root:/);
});

test('a reference output that is a link out of the folder is not read', async () => {
  const folder = tempFolder();
  const text = readFileSync(join(SAMPLES, 'example/example-directed.properties'), 'utf8');
  writeFileSync(join(folder, 'x.properties'), text);
  symlinkSync('/etc/passwd', join(folder, 'example-directed-BFS'));
  await expect(readDataset(join(folder, 'x.properties'))).rejects.toThrow(
    "example-directed-BFS leads out of the dataset's folder",
  );
});

test('a FIFO or a link in place of the properties file that a folder has is refused; a link that was named is followed', async () => {
  const folder = tempFolder();
  const file = join(folder, 'x.properties');
  execFileSync('mkfifo', [file]);
  await expect(readDataset(folder)).rejects.toThrow(`${file} is a FIFO, not a file`);
  rmSync(file);
  symlinkSync('/dev/zero', file);
  await expect(readDataset(folder)).rejects.toThrow(`${file} is a link, not a file`);
  const link = join(folder, 'link.properties');
  symlinkSync(join(SAMPLES, 'example/example-directed.properties'), link);
  expect((await readDataset(link)).name).toBe('example-directed');
});
