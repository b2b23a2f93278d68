import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkDataset } from '../../../experiments/graphs/check/check-dataset.ts';
import { times } from '../../times.ts';
import { tempFolder } from '../make.ts';
import { converted, edgeLists, handmade, idOf, SAMPLES } from './make.ts';

/** Rule, and the line and text of its cases. */
async function brokenRules(folder: string): Promise<unknown> {
  const { ok, broken } = await checkDataset(folder);
  expect(ok).toBe(broken.length === 0);
  for (const { count, first } of broken) expect(first).toHaveLength(Math.min(count, 10));
  return broken.map(({ rule, first }) => [rule, ...first.map(({ line, text }) => [line, text])]);
}

test('says what is in a dataset', async () => {
  const check = await checkDataset(join(SAMPLES, 'example/example-directed'));
  expect(check).toMatchObject({
    ok: true,
    vertices: 10,
    edges: 17,
    class: '2XS',
    size: 0.09,
    degrees: { out: { least: 0, most: 4, vertex: '3' }, in: { least: 0, most: 5, vertex: '4' } },
    isolated: 0,
    warnings: [],
  });
  expect(Object.keys(check.references)).toHaveLength(6);
  const undirected = await checkDataset(join(SAMPLES, 'example/example-undirected'));
  expect(undirected.degrees).toEqual({ out: { least: 1, most: 5, vertex: '6' }, in: null });
});

test.each([
  ['vertices that are not sorted', { vertices: '1\n3\n2\n' }, [['vertex-order', [3, '2 after 3']]]],
  ['a vertex twice', { vertices: '1\n2\n2\n3\n' }, [['vertex-repeated', [3, '2']]]],
  ['a vertex twice, far apart', { vertices: '1\n2\n3\n1\n' }, [['vertex-repeated', [4, '1']]]],
  [
    'words among vertices',
    { vertices: '1\n2 \nx\n\n3\n' },
    [
      ['junk', [2, '2'], [3, 'x'], [4, '']],
      ['edge-end', [1, '1 2']],
    ],
  ],
  [
    'ids out of range',
    { vertices: '-1\n1\n2\n3\n9223372036854775808\n' },
    [['id-range', [1, '-1'], [5, '9223372036854775808']]],
  ],
  ['the largest id', { vertices: '1\n2\n3\n9223372036854775807\n' }, []],
  [
    'no vertices',
    { vertices: '', edges: '', source: '1' },
    [
      ['empty', [null, '']],
      ['source', [null, 'bfs.source-vertex = 1']],
    ],
  ],
  ['no edges', { edges: '' }, []],
  ['an end that is no vertex', { edges: '1 2\n1 4\n' }, [['edge-end', [2, '1 4']]]],
  ['a self-loop', { edges: '1 2\n2 2\n' }, [['self-loop', [2, '2 2']]]],
  ['edges that are not sorted', { edges: '1 3\n1 2\n' }, [['edge-order', [2, '1 2']]]],
  ['an edge twice', { edges: '1 2\n1 2\n1 3\n' }, [['edge-repeated', [2, '1 2']]]],
  [
    'an edge twice, far apart',
    { edges: '1 2\n2 3\n1 2\n' },
    [
      ['edge-order', [3, '1 2']],
      ['edge-repeated', [3, '1 2']],
    ],
  ],
  [
    'an edge twice after a line that is none',
    { edges: '1 2\nx\n2 3\n1 2\n' },
    [
      ['junk', [2, 'x']],
      ['edge-order', [4, '1 2']],
      ['edge-repeated', [4, '1 2']],
    ],
  ],
  ['an undirected edge from the larger id', { edges: '1 2\n3 1\n' }, [['edge-direction', [2, '3 1']]]],
  [
    'an undirected edge both ways',
    { edges: '1 2\n2 1\n' },
    [
      ['edge-repeated', [2, '2 1']],
      ['edge-direction', [2, '2 1']],
    ],
  ],
  ['a directed edge both ways', { edges: '1 2\n2 1\n', directed: true }, []],
  ['weights where there are none', { edges: '1 2 5\n' }, [['junk', [1, '1 2 5']]]],
  [
    'tabs, commas, two blanks',
    { edges: '1\t2\n1,3\n1  3\n 2 3\n' },
    [['junk', [1, '1\t2'], [2, '1,3'], [3, '1  3'], [4, '2 3']]],
  ],
  ['missing weights', { edges: '1 2 0.5\n1 3\n2 3 \n', weighted: true }, [['weight-missing', [2, '1 3'], [3, '2 3']]]],
  [
    'weights that are none',
    { edges: '1 2 -1\n1 3 nan\n2 3 inf\n', weighted: true },
    [['weight-value', [1, '1 2 -1'], [2, '1 3 nan'], [3, '2 3 inf']]],
  ],
  ['an odd weight', { edges: '1 2 0\n1 3 1e-9\n2 3 5x\n', weighted: true }, [['weight-value', [3, '2 3 5x']]]],
  ['a source that is no vertex', { source: '4' }, [['source', [null, 'bfs.source-vertex = 4']]]],
  [
    'counts that are not the files’',
    { meta: [4, 1] as const },
    [
      [
        'count',
        [null, 'meta.vertices = 4, but the file has 3 lines'],
        [null, 'meta.edges = 1, but the file has 2 lines'],
      ],
    ],
  ],
] as const)('%s', async (_what, parts, expected) => {
  expect(await brokenRules(handmade(parts))).toEqual(expected);
});

test('of each kind the first ten are kept and all are counted', async () => {
  const { broken } = await checkDataset(handmade({ edges: Array.from({ length: 25 }, () => '2 2\n').join('') }));
  expect(broken.map(({ rule, count, first }) => [rule, count, first.length])).toEqual([
    ['self-loop', 25, 10],
    ['edge-repeated', 24, 10],
  ]);
});

test('lines that end in CR LF, and a last line that does not end, are told', async () => {
  const folder = handmade({ vertices: '1\r\n2\r\n3\r\n', edges: '1 2\r\n1 3', meta: [3, 2] });
  const { ok, warnings } = await checkDataset(folder);
  expect([ok, warnings]).toEqual([
    true,
    [
      `${join(folder, 'g.v')} has lines that end in CR LF: the format requires LF.`,
      `${join(folder, 'g.e')} has lines that end in CR LF: the format requires LF.`,
      `${join(folder, 'g.e')} does not end with a newline: it may be truncated.`,
    ],
  ]);
});

test('an edge file that is cut off anywhere in its second half is told', async () => {
  const { dataset } = await converted('10 20 0.25\n10 30 0.5\n20 40 0.125\n30 40 1\n', { directed: true });
  const whole = readFileSync(dataset.edgeFile);
  for (let length = whole.length >> 1; length < whole.length; length += 1) {
    writeFileSync(dataset.edgeFile, whole);
    truncateSync(dataset.edgeFile, length);
    const { ok, warnings } = await checkDataset(dataset.folder);
    expect([length, ok && warnings.length === 0]).toEqual([length, false]);
  }
});

test('a missing file and a binary one are no crash', async () => {
  const folder = handmade({});
  writeFileSync(join(folder, 'g.e'), gzipSync('1 2\n1 3\n'));
  expect(await brokenRules(folder)).toEqual([]);
  writeFileSync(
    join(folder, 'g.e'),
    Uint8Array.from({ length: 5000 }, (_, at) => (at * 31) % 256),
  );
  expect((await checkDataset(folder)).ok).toBe(false);
  rmSync(join(folder, 'g.v'));
  await expect(checkDataset(folder)).rejects.toThrow(/g\.v cannot be read/);
});

test('planted breaks of every kind are found in datasets that kept the rules', async () => {
  const kinds = fc.constantFrom('swap', 'repeat', 'loop', 'end', 'turn', 'drop', 'junk');
  await fc.assert(
    fc.asyncProperty(edgeLists, kinds, fc.nat(), async (list, kind, seed) => {
      const text = list.map(({ from, to }) => `${idOf(from)} ${idOf(to)}\n`).join('');
      const { dataset } = await converted(text, { directed: false });
      fc.pre(dataset.edges >= 2);
      const rows = readFileSync(dataset.edgeFile, 'utf8').trimEnd().split('\n');
      const at = seed % (rows.length - 1);
      const [row = '', next = ''] = rows.slice(at, at + 2);
      const [from = '', to = ''] = row.split(' ');
      const planted = {
        swap: [next, row],
        repeat: [row, row, next],
        loop: [`${from} ${from}`, row, next],
        end: [row, next, '9223372036854775800 9223372036854775807'],
        turn: [`${to} ${from}`, next],
        drop: [row],
        junk: [row, 'x', next],
      }[kind];
      rows.splice(at, 2, ...planted);
      writeFileSync(dataset.edgeFile, `${rows.join('\n')}\n`);
      const found = (await checkDataset(dataset.folder)).broken.map(({ rule }) => rule);
      const rule = {
        swap: 'edge-order',
        repeat: 'edge-repeated',
        loop: 'self-loop',
        end: 'edge-end',
        turn: 'edge-direction',
        drop: 'count',
        junk: 'junk',
      }[kind];
      expect(found).toContain(rule);
    }),
    { numRuns: times(6) },
  );
});

test('a copy of the benchmark’s own datasets is as whole as they are', async () => {
  const own = join(tempFolder(), 'public-test');
  cpSync(join(SAMPLES, 'public-test'), own, { recursive: true });
  for (const name of ['test-pr-undirected', 'test-sssp-undirected', 'test-wcc-directed']) {
    expect(await checkDataset(join(own, name))).toMatchObject({ name, ok: true });
  }
});
