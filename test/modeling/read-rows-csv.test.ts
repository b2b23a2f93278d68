import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRowsCsv } from '../../modeling/exchange/csv.ts';
import { readRowsFile } from '../../modeling/exchange/formats.ts';
import { distinct, filterRows, type MeasuredRow, type Rows, rowsFrom } from '../../modeling/rows.ts';
import { fixture, objects } from './fixtures.ts';

const HEADER = 'scale,n,bw,rep,ct';

test('a fixture is read whole', async () => {
  const rows = await fixture('eq7_s26-28');
  expect(rows.length).toBe(16128);
  expect(distinct(rows, 'scale')).toEqual([26, 27, 28]);
  expect(distinct(rows, 'nodes')).toEqual([4, 9, 16, 25]);
  expect(objects(rows)[0]).toEqual({ scale: 26, nodes: 4, bw: 10, ct: 0.857293547 });
});

test('filtering keeps the rows at the given values, in order', async () => {
  const some = filterRows(await fixture('eq7_s26-28'), { scale: 27, nodes: 16 });
  expect(some.length).toBe(16128 / 12);
  expect(distinct(some, 'nodes')).toEqual([16]);
});

describe('forms of the same table', () => {
  const expected = [
    { scale: 28, nodes: 4, bw: 12.5, ct: 0.5 },
    { scale: 28, nodes: 9, bw: 100, ct: 2e-3 },
  ];
  test.each([
    ['plain', `${HEADER}\n28,4,12.5,1,0.5\n28,9,100,1,2e-3\n`],
    ['CRLF', `${HEADER}\r\n28,4,12.5,1,0.5\r\n28,9,100,1,2e-3\r\n`],
    ['no last newline', `${HEADER}\n28,4,12.5,1,0.5\n28,9,100,1,2e-3`],
    ['a BOM', `\uFEFF${HEADER}\n28,4,12.5,1,0.5\n28,9,100,1,2e-3\n`],
    ['blank lines', `${HEADER}\n\n28,4,12.5,1,0.5\r\n   \n28,9,100,1,2e-3\n\n\n`],
    ['another order', 'ct,bw,scale,n\n0.5,12.5,28,4\n2e-3,100,28,9\n'],
    ['spaces and capitals', ' Scale , N , BW , Rep , CT \n 28 , 4 , 12.5 , 1 , 0.5 \n28,9,100,1,2e-3\n'],
    ['nodes for n', 'scale,nodes,bw,rep,ct\n28,4,12.5,1,0.5\n28,9,100,1,2e-3\n'],
    ['quoted fields', '"note","scale","n","bw","ct"\n"a, ""b""","28","4","12.5","0.5"\r\n,28,9,100,2e-3\n'],
    ['extra columns with any text', 'host,scale,n,bw,ct,why\na,28,4,12.5,0.5,NaN\n,28,9,100,2e-3,\n'],
  ])('%s', (_, text) => {
    expect(objects(parseRowsCsv(text, 'a.csv'))).toEqual(expected);
  });
});

describe('a file that is no table of measurements is an error with file, line and value', () => {
  test.each([
    ['', 'a.csv is empty'],
    ['\n\n', 'a.csv is empty'],
    [HEADER, 'a.csv has a header but no rows'],
    [`${HEADER}\r\n\r\n`, 'a.csv has a header but no rows'],
    ['28,4,100,1,0.5\n', "line 1: no column value (or ct) in '28,4,100,1,0.5'"],
    ['scale,bw,ct\n28,100,1\n', 'line 1: no column n (or nodes)'],
    ['scale,n,nodes,bw,ct\n28,4,4,100,1\n', 'line 1: two columns n (or nodes)'],
    [`${HEADER}\n28,4,100,1,0.5\n28,4,100`, "a.csv, line 3: '28,4,100' has 3 of 5 fields"],
    [`${HEADER}\n28,4,100,1,NaN\n`, "a.csv, line 2: ct is 'NaN'"],
    [`${HEADER}\n28,4,100,1,0\n`, "a.csv, line 2: ct is '0'"],
    [`${HEADER}\n28,4,100,1,-1.5\n`, "a.csv, line 2: ct is '-1.5'"],
    [`${HEADER}\n28,4,100,1,\n`, "a.csv, line 2: ct is ''"],
    [`${HEADER}\n28,4,100,1,Infinity\n`, "ct is 'Infinity'"],
    [`${HEADER}\n28,4,100,1,1e999\n`, "ct is '1e999'"],
    [`${HEADER}\n28,4,100,1,0x10\n`, "ct is '0x10'"],
    [`${HEADER}\n28,4,100,1,1.2.3\n`, "ct is '1.2.3'"],
    [`${HEADER}\n28,4,0,1,1\n`, "bw is '0': a bandwidth is a percentage above 0 and up to 100"],
    [`${HEADER}\n28,4,101,1,1\n`, "bw is '101'"],
    [`${HEADER}\n28,4,20%,1,1\n`, "bw is '20%'"],
    [`${HEADER}\n28,0,10,1,1\n`, "n is '0'"],
    [`${HEADER}\n28,4.5,10,1,1\n`, "n is '4.5'"],
    [`${HEADER}\n-1,4,10,1,1\n`, "scale is '-1'"],
    [`${HEADER}\n61,4,10,1,1\n`, "scale is '61'"],
  ])('%j', (text, message) => {
    expect(() => parseRowsCsv(text, 'a.csv')).toThrow(message);
    expect(() => parseRowsCsv(text, 'a.csv')).toThrow(expect.objectContaining({ kind: 'badInput' }));
  });

  test('a missing file and a folder are bad input', async () => {
    await expect(readRowsFile('/nowhere/rows.csv')).rejects.toThrow(
      expect.objectContaining({ kind: 'badInput', message: expect.stringContaining('/nowhere/rows.csv') }),
    );
    await expect(readRowsFile(tmpdir())).rejects.toThrow(expect.objectContaining({ kind: 'badInput' }));
  });

  test('objects are checked by the same rules', () => {
    const good = { scale: 28, nodes: 4, bw: 100, ct: 1 };
    expect(() => rowsFrom([good, { ...good, ct: Number.NaN }])).toThrow('Row 2: ct is NaN');
    expect(() => rowsFrom([{ ...good, bw: 0 }])).toThrow('Row 1: bw is 0');
  });
});

test('what is written is read back exactly', () => {
  const row: fc.Arbitrary<MeasuredRow> = fc.record({
    scale: fc.integer({ min: 0, max: 60 }),
    nodes: fc.integer({ min: 1, max: 100_000 }),
    bw: fc.double({ min: 1e-3, max: 100, noNaN: true }),
    ct: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.constantFrom('\n', '\r\n'), (rows, newline) => {
      const lines = rows.map(({ scale, nodes, bw, ct }) => `${scale},${nodes},${bw},1,${ct}`);
      expect(objects(parseRowsCsv([HEADER, ...lines].join(newline), 'a.csv'))).toEqual(rows);
    }),
  );
});

test('half a million rows are read in seconds of a processor, however busy the machine', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'predict-rows-'));
  try {
    const path = join(folder, 'large.csv');
    const lines = Array.from(
      { length: 500_000 },
      (_, i) => `28,${4 + (i % 4)},${10 + (i % 40)},${i},${1 + (i % 977) / 977}`,
    );
    await writeFile(path, `${HEADER}\n${lines.join('\n')}\n`);
    const before = process.cpuUsage();
    const rows = await readRowsFile(path);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(10);
    expect(rows.length).toBe(500_000);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('a column communication', () => {
  const header = 'scale,n,bw,rep,ct,communication,source';
  const read = (...lines: string[]): Rows => parseRowsCsv(`${[header, ...lines].join('\n')}\n`, 'parts.csv');

  test('has the seconds of ct that are communication; a row may lack them', () => {
    const { ct, communication } = read(
      '1,4,100,1,2.5,0.5,x',
      '1,4,100,2,2.6,,x',
      '1,9,100,1,1.5,1.5,x',
      '1,9,100,2,1,0,x',
    );
    expect([...ct]).toEqual([2.5, 2.6, 1.5, 1]);
    expect([...communication]).toEqual([0.5, Number.NaN, 1.5, 0]);
    expect([...parseRowsCsv('scale,n,bw,ct\n1,4,100,2.5\n', 'plain.csv').communication]).toEqual([Number.NaN]);
  });

  test.each(['3', '-1', 'much', 'Infinity'])('of %j is refused with its line', (text) => {
    expect(() => read('1,4,100,1,2.5,0.5,x', `1,9,100,1,1.5,${text},x`)).toThrow(
      `parts.csv, line 3: communication is '${text}': it is a part of ct, from 0 to ct seconds.`,
    );
  });
});
