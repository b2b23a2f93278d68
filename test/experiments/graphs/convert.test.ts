import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkDataset } from '../../../experiments/graphs/check/check-dataset.ts';
import { convert } from '../../../experiments/graphs/convert/convert-graph.ts';
import { times } from '../../times.ts';
import { tempFolder } from '../make.ts';
import { converted, edgeLists, idOf, textFile } from './make.ts';

/** Vertices and edges of a dataset as lines. */
async function lines(...args: Parameters<typeof converted>): Promise<{ v: string[]; e: string[] }> {
  const { dataset } = await converted(...args);
  const of = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
  return { v: of(dataset.vertexFile), e: of(dataset.edgeFile) };
}

const EDGES = { v: ['1', '3', '10'], e: ['1 3', '3 10'] };
const WEIGHTED = { v: ['1', '3', '10'], e: ['1 3 0.5', '3 10 2'] };

describe.each([
  ['SNAP', '# Directed graph: x\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n3\t10\n1\t3\n', {}, EDGES],
  ['blanks in front, between and behind', '  3   10 \n\n1 \t 3\n', { directed: true }, EDGES],
  ['CR LF', '# c\r\n3 10\r\n1 3\r\n', { directed: true }, EDGES],
  ['no last newline', '3 10\n1 3', { directed: true }, EDGES],
  ['a byte order mark', '\ufeff3 10\n1 3\n', { directed: true }, EDGES],
  ['CSV without a header', '3,10\n1,3\n', { directed: true }, EDGES],
  ['CSV with a header', 'source,target\n3,10\n1,3\n', { directed: true }, EDGES],
  ['quoted CSV', '"source","target"\n"3","10"\n"1","3"\n', { directed: true }, EDGES],
  ['semicolons', 'a;b;weight\n3;10;2.0\n1;3;.5\n', { directed: true }, WEIGHTED],
  ['tabs and a header', 'a\tb\tkm\n3\t10\t2\n1\t3\t5e-1\n', { directed: true }, WEIGHTED],
  ['blanks and a header', 'a b w\n3 10 2\n1 3 0.5\n', { directed: true }, WEIGHTED],
  ['ends that are not the first columns', 'id,weight,to,from\n7,2,10,3\n8,0.5,3,1\n', { directed: true }, WEIGHTED],
  [
    'a column by its name',
    'a,b,x,"the, km"\n3,10,"1,2""",2\n1,3,,0.5\n',
    { directed: true, weights: 'the, km' },
    WEIGHTED,
  ],
  ['a column by its number', '3 10 9 2\n1 3 9 0.5\n', { directed: true, weights: '4' }, WEIGHTED],
  ['an end that is called weight', 'target,weight\n3,10\n1,3\n', { directed: true }, EDGES],
  ['weights left out', '3 10 2\n1 3 0.5\n', { directed: true, weights: null }, EDGES],
  ['Matrix Market, general', '%%MatrixMarket matrix coordinate pattern general\n% c\n10 10 2\n3 10\n1 3\n', {}, EDGES],
  ['Matrix Market, real', '%%MatrixMarket matrix coordinate real general\n10 10 2\n3 10 2\n1 3 0.5\n', {}, WEIGHTED],
  [
    'Matrix Market, integer',
    '%%matrixmarket MATRIX coordinate integer general\n4 4 1\n1 2 7\n',
    {},
    { v: ['1', '2'], e: ['1 2 7'] },
  ],
  ['Matrix Market, symmetric', '%%MatrixMarket matrix coordinate pattern symmetric\n10 10 2\n10 3\n3 1\n', {}, EDGES],
  [
    'a symmetric matrix as a directed graph',
    '%%MatrixMarket matrix coordinate pattern symmetric\n10 10 2\n10 3\n3 3\n',
    { directed: true },
    { v: ['3', '10'], e: ['3 10', '10 3'] },
  ],
  [
    'ids of 63 bits',
    '9223372036854775807 9007199254740993\n9007199254740992 3\n',
    { directed: false },
    {
      v: ['3', '9007199254740992', '9007199254740993', '9223372036854775807'],
      e: ['3 9007199254740992', '9007199254740993 9223372036854775807'],
    },
  ],
] as const)('%s', (_name, text, options, expected) => {
  test.each([
    ['plain', text],
    ['gzip', gzipSync(text)],
  ])('%s', async (_kind, content) => {
    const name = text.toLowerCase().startsWith('%%matrix') ? 'm.mtx' : 'edges.txt';
    const upper = text.startsWith('%%matrixmarket') ? { ...options, format: 'matrix-market' as const } : options;
    expect(await lines(content, { ...upper, file: name })).toEqual(expected);
  });
});

test('loops and repeated edges are dropped and counted; the first weight stays', async () => {
  const text = '4 2 1\n2 4 2\n2 2 3\n4 2 4\n2 3 5\n9 9 1\n';
  const found = await converted(text, { directed: false });
  expect(found).toMatchObject({
    read: 6,
    selfLoops: 2,
    repeated: 2,
    columns: { source: '1', target: '2', weight: '3' },
  });
  expect(readFileSync(found.dataset.edgeFile, 'utf8')).toBe('2 3 5\n2 4 1\n');
  expect(readFileSync(found.dataset.vertexFile, 'utf8')).toBe('2\n3\n4\n9\n');
  const directed = await converted(text, { directed: true });
  expect(directed).toMatchObject({ selfLoops: 2, repeated: 1, dataset: { edges: 3 } });
});

test('searches begin at the vertex with most out-edges, the smallest of several, or where asked', async () => {
  const source = async (text: string, options: object): Promise<unknown> =>
    (await converted(text, options)).dataset.parameters.bfs?.source;
  expect(await source('1 5\n2 5\n3 5\n5 9\n', { directed: true })).toBe('1');
  expect(await source('1 5\n2 5\n3 5\n5 9\n', { directed: false })).toBe('5');
  expect(await source('7 5\n7 6\n3 5\n3 6\n', { directed: true })).toBe('3');
  expect(await source('1 5\n2 5\n', { directed: true, source: '2' })).toBe('2');
  await expect(source('1 5\n', { directed: true, source: '3' })).rejects.toThrow("the graph has no vertex '3'");
});

test('the properties are those of the benchmark', async () => {
  const { dataset } = await converted('1 2 3\n', { directed: true, name: 'web' });
  expect(readFileSync(join(dataset.folder, 'web.properties'), 'utf8')).toMatchInlineSnapshot(`
    "# The graph web

    graph.web.vertex-file = web.v
    graph.web.edge-file = web.e

    graph.web.meta.vertices = 2
    graph.web.meta.edges = 1

    graph.web.directed = true

    graph.web.edge-properties.names = weight
    graph.web.edge-properties.types = real

    graph.web.algorithms = bfs, cdlp, lcc, pr, sssp, wcc

    graph.web.bfs.source-vertex = 1
    graph.web.cdlp.max-iterations = 10
    graph.web.pr.damping-factor = 0.85
    graph.web.pr.num-iterations = 10
    graph.web.sssp.weight-property = weight
    graph.web.sssp.source-vertex = 1
    "
  `);
});

const MATRIX = '%%MatrixMarket matrix coordinate';

test.each([
  ['nothing', '', /is empty/],
  ['comments only', '# a\n# b\n', /has no edges/],
  ['loops are a graph, one id is none', '1\n', /line 1: '1' is not an edge: a line needs two ids/],
  ['no direction', '1 2\n', /does not state whether its edges are directed/, null],
  ['a missing end', '1 2\n3\n', /edges.txt line 2: '3' is not an edge: it has only one field/],
  ['a word', '1 2\n# c\n3 x4\n', /line 3: '3 x4' is not an edge: 'x4' is not an id/],
  ['a fraction', '1 2\n3 4.5\n', /'4.5' is not an id/],
  ['a negative id', '1 2\n3 -4\n', /the id -4 is negative/],
  ['an id beyond 2^63 - 1', '1 2\n3 9223372036854775808\n', /the id 9223372036854775808 is beyond 2\^63 - 1/],
  ['more fields than the first line', '1 2\n3 4 5\n', /'3 4 5' is not an edge: it has more than 2 fields/],
  ['a missing weight', '1 2 0.5\n3 4\n', /line 2: '3 4' is not an edge: the weight is missing/],
  ['a negative weight', '1 2 0.5\n3 4 -1\n', /the weight '-1' is not a number of at least 0 \(--no-weights/],
  ['a weight that is no number', '1 2 0.5\n3 4 NaN\n', /the weight 'NaN' is not a number/],
  ['an infinite weight', '1 2 0.5\n3 4 inf\n', /the weight 'inf' is not a number/],
  ['a hexadecimal weight', '1 2 0x5\n', /is not an edge/],
  ['an unclosed quote', 'a,"b\n1,2\n', /a quote is not closed/],
  ['a comma where blanks were', '1 2\n3,4\n', /'3,4' is not an id/],
  [
    'no column of that name',
    'a,b,c\n1,2,3\n',
    /has no column 'd' besides the two vertices \(columns: a, b, c\)/,
    true,
    'd',
  ],
  ['a column that is an end', '1 2 3\n', /has no column '2' besides the two vertices/, true, '2'],
  ['a matrix without a size', `${MATRIX} pattern general\n`, /give the numbers of rows/],
  ['a dense matrix', '%%MatrixMarket matrix array real general\n2 2\n', /it is a 'matrix array'/],
  ['complex entries', `${MATRIX} complex general\n2 2 1\n1 1 1 1\n`, /its entries are 'complex'/],
  ['a skew-symmetric matrix', `${MATRIX} real skew-symmetric\n2 2 1\n2 1 1\n`, /it is 'skew-symmetric'/],
  ['a matrix that is not square', `${MATRIX} pattern general\n2 3 1\n1 2\n`, /2 rows and 3 columns/],
  ['an entry outside', `${MATRIX} pattern general\n2 2 1\n1 3\n`, /it is outside a matrix of 2 rows/],
  ['a row 0', `${MATRIX} pattern general\n2 2 1\n0 1\n`, /it is outside a matrix of 2 rows/],
  [
    'a matrix that is cut off',
    `${MATRIX} pattern general\n3 3 3\n1 2\n2 3\n`,
    /announces 3 entries but has 2: it may be truncated/,
  ],
  ['a matrix entry without its value', `${MATRIX} real general\n3 3 1\n1 2\n`, /the weight is missing/],
] as const)(
  'refused, and no folder is left: %s',
  async (_what, text, message, directed: boolean | null = true, weights = undefined) => {
    const out = join(tempFolder(), 'made');
    const asked = text.startsWith('%%') || directed === null ? {} : { directed };
    const task = convert(textFile(text), { out, ...asked, ...(weights !== undefined && { weights }) });
    await expect(task).rejects.toThrow(message);
    await expect(task).rejects.toMatchObject({ kind: 'badInput' });
    expect(readdirSync(dirname(out))).toEqual([]);
  },
);

test('a gzip file that is cut off, a folder and a missing file are refused', async () => {
  const text = Array.from({ length: 5000 }, (_, at) => `${at} ${(at * 7) % 1000}\n`).join('');
  const whole = gzipSync(text);
  const out = join(tempFolder(), 'made');
  await expect(convert(textFile(whole.subarray(0, whole.length / 2)), { out, directed: true })).rejects.toThrow(
    /cannot be decompressed/,
  );
  await expect(convert(tempFolder(), { out, directed: true })).rejects.toThrow(/cannot be read/);
  await expect(convert('/nowhere.txt', { out, directed: true })).rejects.toThrow(/nowhere.txt cannot be read/);
  expect(existsSync(out)).toBe(false);
});

test('names of columns are no edge of a SNAP file', async () => {
  const task = converted('source target\n1 2\n', { directed: true, format: 'snap' });
  await expect(task).rejects.toThrow("line 1: 'source target' is not an edge: 'source' is not an id");
});

test('a SNAP file with fewer edges than it announces is told', async () => {
  const { warnings } = await converted('# Undirected graph\n# Nodes: 3 Edges: 3\n1 2\n2 3\n');
  expect(warnings).toEqual([expect.stringMatching(/announces 3 edges but has 2: it may be truncated/)]);
});

test('a folder that is there, and a name that is none, are refused', async () => {
  const out = tempFolder();
  await expect(convert(textFile('1 2\n'), { out, directed: true, name: 'a' })).rejects.toThrow('already exists');
  await expect(converted('1 2\n', { directed: true, name: 'a b' })).rejects.toThrow("'a b' cannot be a graph's name");
});

test('whatever the edges are, what is made keeps every rule and has these edges', async () => {
  await fc.assert(
    fc.asyncProperty(edgeLists, fc.boolean(), fc.boolean(), async (list, directed, weighted) => {
      const text = list
        .map(({ from, to, weight }) => `${idOf(from)}\t${idOf(to)}${weighted ? `\t${weight}` : ''}\n`)
        .join('');
      const { dataset, ...counts } = await converted(text, { directed });
      const check = await checkDataset(dataset.folder);
      expect(check).toMatchObject({
        ok: true,
        broken: [],
        warnings: dataset.edges === 0 ? ['made has no edges.'] : [],
      });
      const ends = new Set(
        list
          .filter(({ from, to }) => from !== to)
          .map(({ from, to }) => (directed || from < to ? `${idOf(from)} ${idOf(to)}` : `${idOf(to)} ${idOf(from)}`)),
      );
      const rows = readFileSync(dataset.edgeFile, 'utf8').split('\n').slice(0, -1);
      expect(new Set(rows.map((row) => row.split(' ').slice(0, 2).join(' ')))).toEqual(ends);
      expect(rows).toHaveLength(ends.size);
      expect(counts.read).toBe(ends.size + counts.selfLoops + counts.repeated);
      expect(check.vertices).toBe(new Set(list.flatMap(({ from, to }) => [from, to])).size);
    }),
    { numRuns: times(6) },
  );
});

test('weights are written as the numbers that they are', async () => {
  const weights = fc.array(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), {
    minLength: 1,
    maxLength: 50,
  });
  await fc.assert(
    fc.asyncProperty(
      weights,
      fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 50 }),
      async (doubles, billionths) => {
        const all = [...doubles, ...billionths.map((one) => one / 1e9)];
        const { dataset } = await converted(all.map((weight, at) => `${at} ${at + 1} ${weight}\n`).join(''), {
          directed: true,
        });
        const rows = readFileSync(dataset.edgeFile, 'utf8').trim().split('\n');
        expect(rows.map((row) => Number(row.split(' ')[2]))).toEqual(all.map((weight) => weight + 0));
      },
    ),
    { numRuns: times(3) },
  );
});

test('blocks of a large file end anywhere', async () => {
  const size = 400_000;
  const text = Array.from({ length: size }, (_, at) => `${at}\t${at + 1}\n`).join('');
  const { dataset, read } = await converted(gzipSync(text, { level: 1 }), { directed: true });
  expect([read, dataset.vertices, dataset.edges]).toEqual([size, size + 1, size]);
});
