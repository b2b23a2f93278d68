import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { PATH_NAME, projectRoot } from '../../base/paths.ts';
import { checkDataset } from '../../experiments/graphs/check/check-dataset.ts';
import { readLayout } from '../../experiments/graphs/convert/graph-formats.ts';
import { readEdges } from '../../experiments/graphs/convert/read-edges.ts';
import { type Dataset, readDataset } from '../../experiments/graphs/dataset.ts';
import { EdgeSink } from '../../experiments/graphs/edge-list.ts';
import { validateOutput } from '../../experiments/graphs/validate/validate-output.ts';
import { isLong } from '../times.ts';
import { damagedTexts } from './mutations.ts';
import { allFinite, fuzz } from './reader.ts';

const sample = (name: string): string =>
  readFileSync(join(projectRoot(), 'test/fixtures/graphalytics/example', `example-directed${name}`), 'utf8');

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const part of ['.v', '.e', '.properties', '-PR', '-BFS'])
  writeFileSync(join(folder, `example-directed${part}`), sample(part));

/** Puts a text in place of a part, reads, and puts the part back. */
async function instead<T>(part: string, text: string, read: () => Promise<T>): Promise<T> {
  const file = join(folder, `example-directed${part}`);
  writeFileSync(file, text);
  try {
    return await read();
  } finally {
    writeFileSync(file, sample(part));
  }
}

const LISTS = [
  sample('.e'),
  '# Directed graph: a\n# Nodes: 3 Edges: 2\n1\t2\n2\t3\n',
  'source,target,weight\n1,2,0.5\n"3",4,1e3\n',
  'a;b\n1;2\n',
  '%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 2\n2 1 0.5\n4 4 1\n',
];

fuzz({
  name: 'edge lists',
  inputs: damagedTexts(LISTS),
  count: isLong ? 600 : 200,
  read: async (text) => {
    const file = join(folder, 'edges.txt');
    writeFileSync(file, text);
    const layout = await readLayout(file, {});
    const sink = new EdgeSink(layout.weight !== null);
    const read = await readEdges(file, layout, sink);
    return { read, weights: sink.edges.chunks.map(({ weight, length }) => [...(weight?.subarray(0, length) ?? [])]) };
  },
});

fuzz({
  name: 'properties of datasets',
  inputs: damagedTexts([
    sample('.properties'),
    sample('.properties').replace('= example-directed.v', '= below/../../x.v'),
  ]),
  count: isLong ? 500 : 166,
  read: (text) => instead('.properties', text, () => readDataset(join(folder, 'example-directed.properties'))),
  isRight: (value) => {
    const { name, vertexFile, edgeFile } = value as Dataset;
    if (!PATH_NAME.test(name)) throw new Error(`the name ${name}`);
    if (![vertexFile, edgeFile].every((file) => file.startsWith(`${folder}/`))) throw new Error('a file elsewhere');
    allFinite(value);
  },
});

fuzz({
  name: 'datasets',
  inputs: fc.tuple(fc.constantFrom('.v', '.e'), damagedTexts([sample('.v'), sample('.e')])),
  count: isLong ? 500 : 166,
  read: ([part, text]) =>
    instead(part, text, async () => {
      const check = await checkDataset(join(folder, 'example-directed.properties'));
      return check.ok ? check : null;
    }),
});

fuzz({
  name: 'outputs',
  inputs: fc.tuple(fc.constantFrom('-PR', '-BFS'), damagedTexts([sample('-PR'), sample('-BFS')])),
  count: isLong ? 500 : 166,
  read: async ([part, text]) => {
    const file = join(folder, 'output');
    writeFileSync(file, text);
    const reference = join(folder, `example-directed${part}`);
    const validation = await validateOutput(file, reference, part === '-PR' ? 'pr' : 'bfs');
    return validation.ok ? validation : null;
  },
});
