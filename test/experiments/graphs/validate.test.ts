import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Algorithm, referenceName } from '../../../experiments/graphs/benchmark-terms.ts';
import { writeReferences } from '../../../experiments/graphs/reference/write-references.ts';
import { validateOutput } from '../../../experiments/graphs/validate/validate-output.ts';
import { times } from '../../times.ts';
import { tempFolder } from '../make.ts';
import { converted, edgeLists, idOf, SAMPLES, textFile } from './make.ts';

async function compare(algorithm: Algorithm, expected: string, actual: string) {
  return await validateOutput(textFile(actual, 'actual'), textFile(expected, 'expected'), algorithm);
}

// What the benchmark's validator takes and refuses, and where this one is stricter.
test.each([
  ['bfs', '1 0\n2 1\n', '2 1\r\n\r\n1 0 ', true],
  ['bfs', '1 0\n', '1 0.0', true],
  ['bfs', '1 50\n', '1 5e1', true],
  ['bfs', '1 9223372036854775807\n', '1 9223372036854775807\n', true],
  ['bfs', '1 9223372036854775807\n', '1 9223372036854775806\n', false],
  ['bfs', '1 9223372036854775807\n', '1 9223372036854775808\n', false],
  ['bfs', '1 9223372036854775807\n', '1 18446744073709551615\n', false],
  ['bfs', '1 9223372036854775807\n', '1 infinity\n', false],
  ['bfs', '1 9223372036854775807\n', '1 -1\n', false],
  ['bfs', '1 6\n', '1 5.6\n', false],
  ['bfs', '1 6\n', '1\t6\n', false],
  ['bfs', '1 6\n', '1  6\n', false],
  ['bfs', '1 6\n', ' 1 6\n', false],
  ['bfs', '1 6\n', '1,6\n', false],
  ['bfs', '1 6\n', '# c\n1 6\n', false],
  ['bfs', '1 6\n', '1 6 7\n', false],
  ['bfs', '1 6\n', '1\n', false],
  ['bfs', '1 6\n', '', false],
  ['bfs', '1 6\n2 6\n', '1 6\n1 6\n', false],
  ['bfs', '1 6\n', '1 6\n2 6\n', false],
  ['cdlp', '1 7\n2 7\n', '1 7\n2 8\n', false],
  ['cdlp', '1 7\n2 7\n', '1 8\n2 8\n', false],
  ['wcc', '1 1\n2 1\n3 3\n', '1 9223372036854775807\n2 9223372036854775807\n3 -5\n', true],
  ['wcc', '1 1\n2 1\n3 3\n', '1 1\n2 1\n3 1\n', false],
  ['wcc', '1 1\n2 1\n3 3\n', '1 1\n2 2\n3 3\n', false],
  ['wcc', '1 1\n2 1\n3 3\n4 3\n', '1 1\n2 3\n3 3\n4 1\n', false],
  ['pr', '1 0.5\n', '1 0.50005\n', true],
  ['pr', '1 0.5\n', '1 0.49995\n', true],
  ['pr', '1 0.5\n', '1 0.50006\n', false],
  ['pr', '1 0.5\n', '1 0.49994\n', false],
  ['pr', '1 0.5\n', '1 nan\n', false],
  ['pr', '1 0.5\n', '1 0x1p-1\n', false],
  ['lcc', '1 0\n', '1 0e0\n', true],
  ['lcc', '1 0\n', '1 1e-300\n', false],
  ['sssp', '1 Infinity\n', '1 inf\n', true],
  ['sssp', '1 infinity\n', '1 +INF\n', true],
  ['sssp', '1 inf\n', '1 1e400\n', true],
  ['sssp', '1 inf\n', '1 1e300\n', false],
  ['sssp', '1 inf\n', '1 -inf\n', false],
  ['sssp', '1 1e300\n', '1 inf\n', false],
  ['sssp', '1 2\n', '1 +2.\n', true],
] as const)('%s: where %j is expected, %j is right: %s', async (algorithm, expected, actual, ok) => {
  expect((await compare(algorithm, expected, actual)).ok).toBe(ok);
});

test('says which vertices differ, are missing, repeated or unexpected, and which lines are none', async () => {
  expect(await compare('bfs', '1 0\n2 1\n3 2\n4 9223372036854775807\n', '1 0\n2 5\n2 1\n4 3\n9 1\nno\n')).toEqual({
    ok: false,
    algorithm: 'bfs',
    rule: 'exact',
    compared: 3,
    mismatchCount: 2,
    mismatches: [
      { vertex: '2', expected: '1', actual: '5' },
      { vertex: '4', expected: '9223372036854775807', actual: '3' },
    ],
    missing: 1,
    firstMissing: ['3'],
    unexpected: 1,
    firstUnexpected: ['9'],
    repeated: 1,
    firstRepeated: ['2'],
    malformed: 1,
    firstMalformed: [expect.objectContaining({ line: 6, text: 'no' })],
  });
});

test('of a component, the vertices with another label than most differ', async () => {
  const labels = (of: (vertex: number) => number): string =>
    Array.from({ length: 40 }, (_, v) => `${v} ${of(v)}\n`).join('');
  const expected = labels((v) => (v < 20 ? 0 : 20));
  expect(
    await compare(
      'wcc',
      expected,
      labels((v) => (v === 0 ? 3 : v < 20 ? 7 : 5)),
    ),
  ).toMatchObject({
    mismatchCount: 1,
    mismatches: [{ vertex: '0', expected: '7', actual: '3' }],
  });
  const joined = await compare(
    'wcc',
    expected,
    labels((v) => (v < 30 ? 7 : 8)),
  );
  expect([joined.ok, joined.mismatchCount]).toEqual([false, 10]);
  const one = await compare(
    'wcc',
    expected,
    labels(() => 1),
  );
  expect(one.mismatches[0]).toEqual({ vertex: '20', expected: 'a separate label (20)', actual: '1' });
});

test('an output may be in parts, in folders within folders', async () => {
  const folder = join(tempFolder(), 'out');
  mkdirSync(join(folder, 'a'), { recursive: true });
  writeFileSync(join(folder, 'a', 'part-1'), '3 2\n1 0\n');
  writeFileSync(join(folder, 'part-0'), '2 1');
  const reference = textFile('1 0\n2 1\n3 2\n');
  expect(await validateOutput(folder, reference, 'bfs')).toMatchObject({ ok: true, compared: 3 });
  writeFileSync(join(folder, 'log'), 'done\n');
  expect(await validateOutput(folder, reference, 'bfs')).toMatchObject({ ok: false, malformed: 1 });
});

test('a reference that is none is refused', async () => {
  await expect(compare('bfs', '', '1 0\n')).rejects.toThrow('it is not a reference output');
  await expect(compare('bfs', '1 0\n1 0\n', '1 0\n')).rejects.toThrow('line 2: vertex 1 already has a value');
  await expect(compare('pr', '1 0\n2 x\n', '1 0\n')).rejects.toThrow("line 2: '2 x' is not a value of pr");
  await expect(validateOutput('/nowhere', textFile('1 0\n'), 'bfs')).rejects.toThrow('/nowhere cannot be read');
  await expect(validateOutput(textFile('1 0\n'), '/nowhere', 'bfs')).rejects.toThrow('/nowhere cannot be read');
});

test('the samples are right against themselves and wrong against each other', async () => {
  for (const algorithm of ['bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'] as const) {
    const of = (name: string): string => join(SAMPLES, 'example', referenceName(name, algorithm));
    expect(await validateOutput(of('example-directed'), of('example-directed'), algorithm)).toMatchObject({ ok: true });
    const other = await validateOutput(of('example-undirected'), of('example-directed'), algorithm);
    expect(other).toMatchObject({ ok: false, missing: 1 });
  }
});

const planted = fc.record({
  algorithm: fc.constantFrom('bfs', 'pr', 'wcc', 'cdlp', 'lcc', 'sssp'),
  kind: fc.constantFrom('value', 'drop', 'repeat', 'instead', 'more', 'line'),
  at: fc.nat(),
});

test('what the reference wrote is right in any order, and any planted change is found', async () => {
  await fc.assert(
    fc.asyncProperty(edgeLists, planted, fc.boolean(), async (list, { algorithm, kind, at: seed }, directed) => {
      const text = list.map(({ from, to, weight }) => `${idOf(from)} ${idOf(to)} ${weight}\n`).join('');
      const { dataset } = await converted(text, { directed });
      const [written] = await writeReferences(dataset, { algorithms: [algorithm] });
      const reference = written?.file ?? '';
      const rows = readFileSync(reference, 'utf8').trimEnd().split('\n');
      const output = join(tempFolder(), 'output');
      writeFileSync(output, rows.toReversed().join('\n'));
      expect(await validateOutput(output, reference, algorithm)).toMatchObject({ ok: true, compared: rows.length });
      fc.pre(rows.length > 1);
      const at = seed % rows.length;
      const [vertex = '', value = ''] = (rows[at] ?? '').split(' ');
      const other = rows[(at + 1) % rows.length] ?? '';
      const isLabel = algorithm === 'wcc';
      // A label of its own is no change for a component of one vertex.
      const alone = rows.filter((row) => row.endsWith(` ${value}`)).length === 1;
      const changed = isLabel
        ? alone
          ? (other.split(' ')[1] ?? '')
          : '77'
        : value === '0'
          ? '1'
          : Number(value) > 1e9
            ? '5'
            : '0';
      const rest = rows.toSpliced(at, 1);
      const wrong = {
        value: rows.with(at, `${vertex} ${changed}`),
        drop: rest,
        repeat: [...rows, `${vertex} ${value}`],
        instead: [...rest, other],
        more: [...rows, `4 ${value}`],
        line: [...rows, 'Infinity 1'],
      }[kind];
      writeFileSync(output, `${wrong.join('\n')}\n`);
      expect((await validateOutput(output, reference, algorithm)).ok).toBe(false);
    }),
    { numRuns: times(10) },
  );
});

test('a hundred thousand vertices in four parts', async () => {
  const size = 100_000;
  const rows = Array.from({ length: size }, (_, vertex) => `${vertex} ${vertex % 1000}\n`);
  const folder = join(tempFolder(), 'out');
  mkdirSync(folder);
  for (const part of [0, 1, 2, 3])
    writeFileSync(join(folder, `p${part}`), rows.filter((_, vertex) => vertex % 4 === part).join(''));
  const reference = textFile(rows.join(''));
  for (const algorithm of ['bfs', 'wcc', 'pr'] as const) {
    expect(await validateOutput(folder, reference, algorithm)).toMatchObject({ ok: true, compared: size });
  }
  cpSync(join(folder, 'p0'), join(folder, 'p4'));
  expect(await validateOutput(folder, reference, 'wcc')).toMatchObject({
    ok: false,
    repeated: size / 4,
    mismatchCount: 0,
  });
});
