import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALGORITHMS, type Algorithm, referenceName } from '../../../experiments/graphs/benchmark-terms.ts';
import { convert } from '../../../experiments/graphs/convert/convert-graph.ts';
import { readDataset } from '../../../experiments/graphs/dataset.ts';
import { writeReferences } from '../../../experiments/graphs/reference/write-references.ts';
import { validateOutput } from '../../../experiments/graphs/validate/validate-output.ts';
import { times } from '../../times.ts';
import { tempFolder } from '../make.ts';
import * as book from './by-the-book.ts';
import { converted, edgeLists, handmade, idOf, SAMPLES } from './make.ts';

/** The datasets of a folder of samples, each with the outputs that come with it. */
function samples(folder: string): [string, string][] {
  return readdirSync(join(SAMPLES, folder))
    .filter((name) => name.endsWith('.properties'))
    .map((name) => [folder, name.replace('.properties', '')]);
}

test.each([...samples('example'), ...samples('public-test')])(
  '%s/%s: every output is that of the sample',
  async (folder, name) => {
    const own = join(tempFolder(), 'own');
    cpSync(join(SAMPLES, folder), own, { recursive: true });
    const dataset = await readDataset(join(own, name));
    const given = dataset.references;
    expect(Object.keys(given).sort()).toEqual([...dataset.algorithms].sort());
    await writeReferences(dataset, { replace: true });
    for (const algorithm of dataset.algorithms) {
      const file = referenceName(name, algorithm);
      const validation = await validateOutput(join(own, file), join(SAMPLES, folder, file), algorithm);
      expect(validation).toMatchObject({ algorithm, ok: true, compared: dataset.vertices });
    }
  },
);

/** Rows `vertex neighbour neighbour ...` as edges. */
function adjacencyRows(text: string, directed: boolean): { vertices: string; edges: string } {
  const rows = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().split(' ').map(Number)]));
  const edges = rows.flatMap(([from = 0, ...others]) => others.map((to): [number, number] => [from, to]));
  const kept = directed ? edges : edges.filter(([a, b]) => a < b);
  const ids = [...new Set([...rows.map(([id = 0]) => id), ...edges.flat()])];
  const lines = (all: readonly (readonly number[])[]): string => all.map((row) => `${row.join(' ')}\n`).join('');
  const byEnds = (x: readonly number[], y: readonly number[]): number =>
    (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0);
  return { vertices: lines(ids.sort((a, b) => a - b).map((id) => [id])), edges: lines(kept.sort(byEnds)) };
}

const VALIDATION_ITERATIONS = { bfs: 0, wcc: 0, lcc: 0, cdlp: 5, pr: { dir: 14, undir: 26 } } as const;

describe.each(['bfs', 'wcc', 'lcc', 'cdlp', 'pr'] as const)('validation/%s', (algorithm) => {
  test.each(['dir', 'undir'] as const)('%s', async (kind) => {
    const folder = join(SAMPLES, 'validation', algorithm);
    const graph = adjacencyRows(readFileSync(join(folder, `${kind}-input`), 'utf8'), kind === 'dir');
    const made = handmade({ ...graph, directed: kind === 'dir', source: graph.vertices.split('\n', 1)[0] ?? '' });
    const file = join(made, 'g.properties');
    const iterations = algorithm === 'pr' ? VALIDATION_ITERATIONS.pr[kind] : VALIDATION_ITERATIONS[algorithm];
    const text = readFileSync(file, 'utf8').replace(/(iterations) = 10/g, `$1 = ${iterations}`);
    writeFileSync(file, text);
    const [written] = await writeReferences(await readDataset(made), { algorithms: [algorithm] });
    const validation = await validateOutput(written?.file ?? '', join(folder, `${kind}-output`), algorithm);
    expect(validation).toMatchObject({ ok: true, mismatches: [] });
  });
});

test.each([true, false])('random graphs (directed: %s): every output is that of its definition', async (directed) => {
  await fc.assert(
    fc.asyncProperty(edgeLists, async (list) => {
      const text = list.map(({ from, to, weight }) => `${idOf(from)} ${idOf(to)} ${weight}\n`).join('');
      const { dataset } = await converted(text, { directed });
      const graph = book.smallGraph(
        list.map(({ from, to, weight }) => [idOf(from), idOf(to), weight]),
        { directed },
      );
      await writeReferences(dataset);
      const source = BigInt(dataset.parameters.bfs?.source ?? -1);
      const expected: Record<Algorithm, readonly (number | bigint)[]> = {
        bfs: book.distances(graph, source, () => 1).map((hops) => (hops === Infinity ? 2n ** 63n - 1n : hops)),
        pr: book.ranks(graph, 0.85, 10),
        wcc: book.components(graph),
        cdlp: book.communities(graph, directed, 10),
        lcc: book.clustering(graph),
        sssp: book.distances(graph, source),
      };
      for (const algorithm of ALGORITHMS) {
        const rows = readFileSync(join(dataset.folder, referenceName(dataset.name, algorithm)), 'utf8')
          .trim()
          .split('\n');
        expect(rows.map((row) => row.split(' ')[0])).toEqual(graph.vertices.map(String));
        const found = rows.map((row) => row.split(' ')[1] ?? '');
        if (algorithm === 'pr' || algorithm === 'lcc' || algorithm === 'sssp') {
          for (const [at, value] of expected[algorithm].entries())
            expect(Number(found[at])).toBeCloseTo(Number(value), 12);
        } else expect(found).toEqual(expected[algorithm].map(String));
      }
    }),
    { numRuns: times(4) },
  );
});

test('an output that is there is not written over unless that is asked for', async () => {
  const { dataset } = await converted('1 2\n', { directed: true });
  const [first] = await writeReferences(dataset, { algorithms: ['bfs'] });
  await expect(writeReferences(dataset)).rejects.toThrow('made-BFS already exists: add --replace');
  writeFileSync(first?.file ?? '', 'other');
  await writeReferences(dataset, { algorithms: ['bfs'], replace: true });
  expect(readFileSync(first?.file ?? '', 'utf8')).toBe('1 0\n2 1\n');
});

test('a dataset that breaks a rule, or does not list the algorithm, has no reference', async () => {
  const folder = handmade({ edges: '1 2\n1 1\n' });
  await expect(writeReferences(await readDataset(folder))).rejects.toThrow(/g\.e line 2 breaks a rule \('1 1'\)/);
  const { dataset } = await converted('1 2\n', { directed: true });
  await expect(writeReferences(dataset, { algorithms: ['sssp'] })).rejects.toThrow('does not list sssp');
  expect(existsSync(join(folder, 'g-BFS'))).toBe(false);
});

test('a long path is no long work', async () => {
  const size = 30_000;
  const text = Array.from(
    { length: size },
    (_, at) => `${(at * 7919) % 1_000_003} ${((at + 1) * 7919) % 1_000_003}\n`,
  ).join('');
  const { dataset } = await converted(text, { directed: true });
  const [written] = await writeReferences(dataset, { algorithms: ['wcc'] });
  const labels = readFileSync(written?.file ?? '', 'utf8')
    .trim()
    .split('\n')
    .map((row) => row.split(' ')[1]);
  expect(new Set(labels)).toEqual(new Set(['0']));
  expect(labels).toHaveLength(size + 1);
});

test('converting what was converted changes nothing', async () => {
  const { dataset } = await converted('5 9 1.5\n9 5 2\n7 7 1\n5 7 0.1\n', { directed: false });
  const again = await convert(dataset.edgeFile, { out: join(tempFolder(), 'made') });
  for (const file of ['made.v', 'made.e', 'made.properties']) {
    expect(readFileSync(join(again.dataset.folder, file), 'utf8')).toBe(
      readFileSync(join(dataset.folder, file), 'utf8'),
    );
  }
  expect(again).toMatchObject({ format: 'graphalytics', selfLoops: 0, repeated: 0 });
});
