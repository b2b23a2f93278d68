import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeParquet } from '../../experiments/store/write-table.ts';
import { parseRowsCsv, readExperimentCsv, writeExperimentCsv } from '../../modeling/exchange/csv.ts';
import { canonical, type Experiment } from '../../modeling/exchange/experiment.ts';
import { readExperimentParquet, writeExperimentParquet } from '../../modeling/exchange/experiment-parquet.ts';
import {
  readExtrapJson,
  readExtrapJsonl,
  writeExtrapJson,
  writeExtrapJsonl,
} from '../../modeling/exchange/extrap-json.ts';
import { readExtrapText, writeExtrapText } from '../../modeling/exchange/extrap-text.ts';
import {
  encodeExperiment,
  formatOfPath,
  parseFormat,
  readExperiment,
  readRowsFile,
} from '../../modeling/exchange/formats.ts';
import {
  chooseSeries,
  experimentFromRows,
  parseParameterMap,
  selectSeries,
  seriesRows,
} from '../../modeling/exchange/to-rows.ts';
import { pickRows } from '../../modeling/rows.ts';
import { times } from '../times.ts';
import { fixture, fixturePath, objects } from './fixtures.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'predict-exchange-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two call paths and metrics over (nodes, bw), three repetitions at most. */
const EXAMPLE: Experiment = {
  parameters: ['nodes', 'bw'],
  series: [
    {
      callpath: 'main->solve',
      metric: 'bytes',
      points: [
        { coordinate: [4, 10], values: [1e6] },
        { coordinate: [4, 20], values: [2e6] },
      ],
    },
    {
      callpath: 'main->solve',
      metric: 'time',
      points: [
        { coordinate: [4, 10], values: [0.5, 0.25, 1e-7] },
        { coordinate: [4, 20], values: [1.5] },
      ],
    },
  ],
};

const EXAMPLE_TEXT = `# made by hand
PARAMETER nodes bw
POINTS ( 4 10 ) ( 4 20 )

REGION main->solve
METRIC time
DATA 0.5 .25 1e-7
# between
DATA 1.5
METRIC bytes
DATA 1000000
DATA 2E6
`;

const EXAMPLE_JSON = `{
 "parameters": ["nodes", "bw"],
 "measurements": {
  "main->solve": {
   "time": [
    {"point": [4, 10], "values": [0.5, 0.25, 1e-7]},
    {"point": [4, 20], "values": [1.5]}
   ],
   "bytes": [{"point": [4, 10], "values": [1000000]}, {"point": [4, 20], "values": [2e6]}]
  }
 }
}
`;

const EXAMPLE_IDS = JSON.stringify({
  callpaths: [{ id: 7, name: 'main->solve' }],
  metrics: [
    { id: 1, name: 'time' },
    { id: 2, name: 'bytes' },
  ],
  // The order of parameters is that of their ids.
  parameters: [
    { id: 2, name: 'bw' },
    { id: 1, name: 'nodes' },
  ],
  coordinates: [10, 20].map((bw, id) => ({
    id,
    parameter_value_pairs: [
      { parameter_id: 2, parameter_value: bw },
      { parameter_id: 1, parameter_value: 4 },
    ],
  })),
  measurements: [
    [0, 1, 0.5],
    [1, 1, 1.5],
    [0, 1, 0.25],
    [0, 1, 1e-7],
    [0, 2, 1e6],
    [1, 2, 2e6],
  ].map(([coordinate_id, metric_id, value], id) => ({ id, callpath_id: 7, coordinate_id, metric_id, value })),
});

const EXAMPLE_JSONL = `{"params":{"nodes":4,"bw":10},"callpath":"main->solve","metric":"time","value":0.5}
{"params":{"bw":20,"nodes":4},"callpath":"main->solve","metric":"time","value":1.5}

{"params":{"nodes":4,"bw":10},"callpath":"main->solve","metric":"time","value":[0.25,1e-7]}
{"params":{"nodes":4,"bw":10},"callpath":"main->solve","metric":"bytes","value":1000000}
{"params":{"nodes":4,"bw":20},"callpath":"main->solve","metric":"bytes","value":2e6}
`;

const EXAMPLE_CSV = `nodes,bw,rep,metric,callpath,value
4,10,1,time,main->solve,0.5
4,20,1,time,main->solve,1.5
4,10,2,time,"main->solve",.25
4,10,3,time,main->solve,1e-7
4,10,1,bytes,main->solve,1000000
4,20,1,bytes,main->solve,2E6
`;

const READERS: [string, (text: string, source: string) => Experiment, string][] = [
  ['csv', readExperimentCsv, EXAMPLE_CSV],
  ['extrap-text', readExtrapText, EXAMPLE_TEXT],
  ['extrap-json', readExtrapJson, EXAMPLE_JSON],
  ['extrap-json with ids', readExtrapJson, EXAMPLE_IDS],
  ['extrap-jsonl', readExtrapJsonl, EXAMPLE_JSONL],
];

describe('every format says the same', () => {
  test.each(READERS)('%s', (_, read, text) => {
    expect(read(text, 'a')).toEqual(EXAMPLE);
  });
  test.each(READERS)('%s with CRLF and a BOM', (_, read, text) => {
    expect(read(`\uFEFF${text.replaceAll('\n', '\r\n')}`, 'a')).toEqual(EXAMPLE);
  });
  test.each(READERS)('%s without its last newline', (_, read, text) => {
    expect(read(text.trimEnd(), 'a')).toEqual(EXAMPLE);
  });
  test.each(READERS)('%s: an empty file is refused', (_, read) => {
    for (const text of ['', '\uFEFF', ' \r\n\n']) {
      expect(() => read(text, 'a.file')).toThrow(expect.objectContaining({ kind: 'badInput' }));
      expect(() => read(text, 'a.file')).toThrow('a.file is empty');
    }
  });
});

const NAME = fc
  .oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom('', '10', '2', '__proto__', 'constructor', 'a,b', 'say "x"', '#x', 'a->b->c', '(', "it's", 'null'),
  )
  .map((text) => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '').trim());
const FREE_PARAMETER = NAME.filter(
  (name) => name !== '' && !['rep', 'callpath', 'metric', 'value', 'ct'].includes(name.toLowerCase()),
);
const VALUE = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());

/** `shared`: every series at the same points, as Extra-P wants it. */
function experiments({ shared, parameter = FREE_PARAMETER }: { shared: boolean; parameter?: fc.Arbitrary<string> }) {
  return fc
    .uniqueArray(parameter, { minLength: 1, maxLength: 4, selector: (name) => name.toLowerCase() })
    .chain((parameters) => {
      const coordinates = fc.uniqueArray(
        fc.array(VALUE, { minLength: parameters.length, maxLength: parameters.length }),
        { minLength: 1, maxLength: 5, selector: (at) => at.map((value) => value + 0).join(' ') },
      );
      const names = fc.uniqueArray(fc.record({ callpath: NAME, metric: NAME }), {
        minLength: 1,
        maxLength: 4,
        selector: ({ callpath, metric }) => `${callpath}\n${metric}`,
      });
      const values = fc.array(VALUE, { minLength: 1, maxLength: 3 });
      return fc
        .tuple(names, coordinates)
        .chain(([series, all]) =>
          fc
            .tuple(
              ...series.map((name) =>
                (shared ? fc.constant(all) : fc.subarray(all, { minLength: 1 })).chain((some) =>
                  fc
                    .tuple(...some.map((coordinate) => values.map((list) => ({ coordinate, values: list }))))
                    .map((points) => ({ ...name, points })),
                ),
              ),
            )
            .map((list): Experiment => canonical({ parameters, series: list })),
        );
    });
}

describe('what is written is read back exactly', () => {
  const shared = experiments({ shared: true });
  test.each([
    ['csv', readExperimentCsv, writeExperimentCsv, experiments({ shared: false })],
    ['extrap-json', readExtrapJson, writeExtrapJson, shared],
    ['extrap-jsonl', readExtrapJsonl, writeExtrapJsonl, shared],
    [
      'extrap-text',
      readExtrapText,
      writeExtrapText,
      experiments({ shared: true, parameter: FREE_PARAMETER.filter((name) => !/\s/.test(name)) }),
    ],
  ] as const)('%s', (_, read, write, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (one) => {
        expect(read(write(one), 'a')).toEqual(one);
      }),
      { numRuns: times(20) },
    );
  });

  test('parquet', async () => {
    await fc.assert(
      fc.asyncProperty(experiments({ shared: false }), async (one) => {
        expect(await readExperimentParquet(await writeExperimentParquet(one), 'a')).toEqual(one);
      }),
      { numRuns: times(4) },
    );
  });

  test('the measurement layout, in CSV and Parquet', async () => {
    const rows = fc.array(
      fc.record({
        scale: fc.integer({ min: 0, max: 60 }),
        n: fc.integer({ min: 1, max: 1000 }),
        bw: fc.double({ min: 0.001, max: 100, noNaN: true }),
        ct: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
      }),
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(rows, async (list) => {
        const text = `scale,n,bw,rep,ct\n${list.map(({ scale, n, bw, ct }) => `${scale},${n},${bw},1,${ct}\n`).join('')}`;
        const one = readExperimentCsv(text, 'a');
        const written = writeExperimentCsv(one);
        expect(written.split('\n')[0]).toBe('scale,n,bw,rep,ct');
        expect(readExperimentCsv(written, 'a')).toEqual(one);
        expect(parseRowsCsv(written, 'a').length).toBe(list.length);
        expect(await readExperimentParquet(await writeExperimentParquet(one), 'a')).toEqual(one);
      }),
      { numRuns: times(8) },
    );
  });
});

describe('a damaged file is refused with its name, line and value', () => {
  const text = (change: (all: string) => string): [string, string] => ['extrap-text', change(EXAMPLE_TEXT)];
  const json = (change: (all: string) => string): [string, string] => ['extrap-json', change(EXAMPLE_JSON)];
  const ids = (change: (all: string) => string): [string, string] => ['extrap-json', change(EXAMPLE_IDS)];
  const jsonl = (change: (all: string) => string): [string, string] => ['extrap-jsonl', change(EXAMPLE_JSONL)];
  const csv = (change: (all: string) => string): [string, string] => ['csv', change(EXAMPLE_CSV)];
  const swap = (from: string, to: string) => (all: string) => all.replace(from, to);

  test.each([
    [text(swap('DATA 1.5', 'DATA nan')), "a, line 9: a value is 'nan'"],
    [text(swap('DATA 1.5', 'DATA -inf')), "a, line 9: a value is '-inf'"],
    [text(swap('DATA 1.5', 'DATA 1e999')), "a, line 9: a value is '1e999'"],
    [text(swap('DATA 1.5', 'DATA 1,5')), "a, line 9: a value is '1,5'"],
    [text(swap('DATA 1.5', 'DATA')), 'a, line 9: DATA has no value'],
    [text(swap('( 4 20 )', '( 4 10 )')), 'a, line 3: the point ( 4 10 ) is given a second time, after line 3'],
    [text(swap('( 4 20 )', '( 4 1e1 )')), 'a, line 3: the point ( 4 10 ) is given a second time'],
    [
      text(swap('( 4 20 )', '( 4 )')),
      "a, line 3: the point '( 4 )' has 1 coordinates, the parameters are 2 (nodes, bw)",
    ],
    [text(swap('( 4 20 )', '4 20')), "a, line 3: the point '( 4 )' has 1 coordinates"],
    [text(swap('( 4 20 )', '( 4 20')), "a, line 3: a '(' is not closed"],
    [text(swap('( 4 20 )', '4 20 )')), 'a, line 3'],
    [text(swap('( 4 20 )', '( 4 many )')), "a, line 3: a coordinate is 'many'"],
    [text(swap('DATA 1.5\n', '')), "a, line 7: metric 'time' of call path 'main->solve' ends after 1 of 2 DATA lines"],
    [
      text(swap('DATA 2E6\n', '')),
      "a, line 11: metric 'bytes' of call path 'main->solve' ends after 1 of 2 DATA lines",
    ],
    [text(swap('DATA 2E6', 'DATA 2E6\nDATA 3')), 'a, line 13: DATA line 3 of'],
    [
      text(swap('METRIC bytes', 'METRIC time')),
      "a, line 11: metric 'time' of call path 'main->solve' is given a second time, after line 7",
    ],
    [text(swap('PARAMETER nodes bw\n', '')), 'a, line 2: POINTS before any PARAMETER'],
    [text(swap('POINTS ( 4 10 ) ( 4 20 )\n', '')), 'a, line 6: DATA before PARAMETER and POINTS'],
    [text(swap('nodes bw', 'nodes nodes')), "a, line 2: the parameter 'nodes' is named a second time"],
    [text(swap('nodes bw', 'a b c d e')), "a, line 2: parameter 5 is 'e'"],
    [text(swap('# between', 'Data 3')), "a, line 8: 'Data' is not one of PARAMETER"],
    [text((all) => `${all}REGION other\n`), 'a, line 13: no DATA follows'],
    [text(swap('REGION main->solve', 'REGION a\nREGION b')), 'a, line 5: no DATA follows this REGION'],
    [text((all) => `${all}POINTS ( 8 8 )\n`), 'a, line 13: POINTS after DATA'],
    [text(() => '# nothing\n'), 'a has no PARAMETER line'],
    [text(() => 'PARAMETER p\n'), 'a has no POINTS line'],
    [text(() => 'PARAMETER p\nPOINTS 4 8\n'), 'a has no DATA line'],
    [json(swap('1.5', 'NaN')), 'a, line 7: values[0] is "NaN": give a finite number'],
    [json(swap('1.5', '-Infinity')), 'a, line 7: values[0] is "-Infinity": give a finite number'],
    [json(swap('1.5', '1e999')), 'a, line 7: values[0] is Infinity: give a finite number'],
    [json(swap('1.5', '"1.5"')), 'a, line 7: values[0] is "1.5"'],
    [json(swap('1.5', 'null')), 'a, line 7: values[0] is null'],
    [json(swap('[1.5]', '[]')), 'a, line 7: values is an empty list'],
    [json(swap('[1.5]', '1.5')), 'a, line 7: values is 1.5: it must be a list'],
    [
      json(swap('[4, 20]', '[4, 10]')),
      "a, line 7: the point [4, 10] of metric 'time' of call path 'main->solve' is given a second time, after line 6",
    ],
    [json(swap('[4, 20]', '[4]')), 'a, line 7: point [4] has 1 coordinates, the parameters are 2 (nodes, bw)'],
    [json(swap('"bytes"', '"time"')), "a, line 9: the key 'time' is given twice"],
    [json(swap('"parameters": ["nodes", "bw"],', '')), "a, line 1: the file has no 'parameters'"],
    [json(swap('"bw"]', '"nodes"]')), "a, line 2: the parameter 'nodes' is named a second time"],
    [json(swap('"values"', '"vals"')), "a, line 6: the point has the key 'vals'"],
    [json((all) => all.slice(0, all.indexOf('1.5'))), 'a, line 7: '],
    [
      json((all) => all.slice(0, all.indexOf('"bytes') + 3)),
      'a, line 9: \'"by\' is not valid JSON: Missing closing "quote',
    ],
    [json((all) => all.slice(0, all.indexOf('\n   ],'))), 'a, line 7: '],
    [json((all) => `${all}{}`), "a, line 13: '{}' is not valid JSON"],
    [json(() => '[]'), 'a, line 1: the file is a list'],
    [json(() => '['.repeat(5000)), 'nested too deeply'],
    [
      json(swap(', {"point": [4, 20], "values": [2e6]}', '')),
      "metric 'bytes' of call path 'main->solve' has no value at nodes=4, bw=20",
    ],
    [ids(swap('"coordinate_id":1', '"coordinate_id":9')), 'a, line 1: coordinate_id 9 is not one of 0, 1'],
    [ids(swap('"value":1.5', '"value":"fast"')), 'a, line 1: value is "fast"'],
    [ids(swap('"parameter_value":20', '"parameter_value":10')), 'the point [4, 10] is given a second time'],
    [jsonl(swap('1.5', 'Infinity')), 'a, line 2: '],
    [
      jsonl(swap('"nodes":4},"callpath":"main->solve","metric":"time","value":1.5', '"nodez":4},"value":1.5')),
      "a, line 2: params has 'nodez'",
    ],
    [jsonl(swap('"bw":20,"nodes":4', '"bw":20')), "a, line 2: params has no 'nodes'"],
    [jsonl(swap('"bw":20,"nodes":4', '"bw":"20","nodes":4')), 'a, line 2: params.bw is "20"'],
    [jsonl(swap('"value":1.5', '"val":1.5')), "a, line 2: the line has the key 'val'"],
    [jsonl(swap(',"value":1.5', '')), "a, line 2: the line has no 'value'"],
    [jsonl((all) => all.slice(0, -12)), 'a, line 6: '],
    [jsonl(() => '4\n'), 'a, line 1: the line is 4'],
    [csv(swap('1.5', 'NaN')), "a, line 3: value is 'NaN'"],
    [csv(swap('1.5', '')), "a, line 3: value is ''"],
    [csv(swap('4,20,1,time', 'x,20,1,time')), "a, line 3: nodes is 'x'"],
    [csv(swap('4,10,3,', '4,10,2,')), 'a, line 5: repetition 2 of this point is given a second time, after line 4'],
    [csv(swap(',0.5', '')), "a, line 2: '4,10,1,time,main->solve' has 5 of 6 fields"],
    [csv(swap('0.5', '0.5,9')), 'a, line 2'],
    [csv(swap('"main->solve"', '"main->solve')), 'a, line 4'],
    [csv(swap('value', 'seconds')), 'a, line 1: no column value (or ct)'],
    [csv(swap('nodes', 'bw')), "a, line 1: column 2 is named 'bw': another column has the same name"],
    [csv(swap('nodes', '')), "a, line 1: column 1 is named ''"],
    [csv(() => 'nodes,value\n'), 'a has a header but no rows'],
    [csv(() => 'scale,n,bw,rep,ct\n20,4,250,1,0.5\n'), "a, line 2: bw is '250': a bandwidth is a percentage"],
    [csv(() => 'scale,n,bw,rep,ct\n20,4,25,1,inf\n'), "a, line 2: ct is 'inf'"],
  ])('%#', ([name, damaged], message) => {
    const read = READERS.find(([known]) => known === name)?.[1] ?? readExperimentCsv;
    expect(() => read(damaged, 'a')).toThrow(message);
    expect(() => read(damaged, 'a')).toThrow(expect.objectContaining({ kind: 'badInput' }));
  });

  test('a file that was cut off anywhere is never an unexpected error', () => {
    expect(READERS.length).toBeGreaterThan(3);
    for (const [, read, whole] of READERS) {
      for (let end = 0; end < whole.length; end += 1) {
        try {
          read(whole.slice(0, end), 'a');
        } catch (error) {
          expect(error).toMatchObject({ kind: 'badInput' });
        }
      }
    }
  });

  test('Parquet', async () => {
    await expect(readExperimentParquet(new Uint8Array(), 'a')).rejects.toThrow('a is empty');
    await expect(readExperimentParquet(new TextEncoder().encode('no parquet'), 'a')).rejects.toThrow(
      'a cannot be read as Parquet',
    );
    const path = join(folder, 'typed.parquet');
    await writeParquet(
      path,
      ['p', 'callpath', 'metric', 'value'].map((name) => ({ name, type: 'text', values: ['x'] })),
    );
    await expect(readExperimentParquet(await readFile(path), 'a')).rejects.toThrow(
      "a, row 1: p is 'x': give a finite number",
    );
    const whole = await writeExperimentParquet(EXAMPLE);
    await expect(readExperimentParquet(whole.slice(0, -20), 'a')).rejects.toThrow(
      expect.objectContaining({ kind: 'badInput' }),
    );
  });
});

describe('Extra-P text', () => {
  test('one parameter needs no brackets, regions and metrics are optional, points may be spread over lines', () => {
    const one = readExtrapText('PARAMETER p\nPOINTS 4 8\nPOINTS ( 16 )\nDATA 1\nDATA\t2\nDATA 3 4\n', 'a');
    expect(one.series).toEqual([
      {
        callpath: '',
        metric: '',
        points: [
          { coordinate: [4], values: [1] },
          { coordinate: [8], values: [2] },
          { coordinate: [16], values: [3, 4] },
        ],
      },
    ]);
  });
  test('brackets around single coordinates change nothing', () => {
    const one = readExtrapText('PARAMETER a\nPARAMETER b\nPOINTS ((4) (10)) ((4)(20))\nDATA 1\nDATA 2\n', 'a');
    expect(one.series[0]?.points.map(({ coordinate }) => coordinate)).toEqual([
      [4, 10],
      [4, 20],
    ]);
  });
  test('a metric is written once, with all its regions', () => {
    const point = { coordinate: [4], values: [1] };
    const series = ['a', 'b'].flatMap((callpath) =>
      ['x', 'y'].map((metric) => ({ callpath, metric, points: [point] })),
    );
    expect(writeExtrapText({ parameters: ['p'], series })).toBe(
      'PARAMETER p\nPOINTS 4\n\nMETRIC x\nREGION a\nDATA 1\nREGION b\nDATA 1\n\nMETRIC y\nREGION a\nDATA 1\nREGION b\nDATA 1\n',
    );
  });
  test('what it cannot hold is refused', () => {
    const series = (count: number) => [
      { callpath: '', metric: '', points: [{ coordinate: Array(count).fill(1), values: [1] }] },
    ];
    expect(() => writeExtrapText({ parameters: ['a b'], series: series(1) })).toThrow("the blank in 'a b'");
    expect(() => writeExtrapText({ parameters: [...'abcde'], series: series(5) })).toThrow('at most 4 parameters');
    expect(() => writeExperimentCsv({ parameters: ['Value'], series: series(1) })).toThrow("a parameter named 'Value'");
  });
});

test('a JSON file that is too long to know lines is read, and refused without them', () => {
  const points = Array.from({ length: 2000 }, (_, place) => `{"point": [${place}],${' '.repeat(520)}"values": [1]}`);
  const text = (last: string) => `{"parameters": ["p"], "measurements": {"main": {"time": [${[...points, last]}]}}}`;
  expect(text('').length).toBeGreaterThan(2 ** 20);
  expect(readExtrapJson(text('{"point": [-1], "values": [1]}'), 'a').series[0]?.points.length).toBe(2001);
  expect(() => readExtrapJson(text('{"point": [-1], "values": ["1"]}'), 'a')).toThrow('a: values[0] is "1": give');
});

test('a key that a line has twice is refused', () => {
  const line = EXAMPLE_JSONL.replace('"bw":10', '"bw":10,"bw":20');
  expect(() => readExtrapJsonl(line, 'a')).toThrow('a, line 1: ');
});

describe('series as measurement rows', () => {
  const single = (parameters: string[], coordinate: number[], value = 0.5): Experiment => ({
    parameters,
    series: [{ callpath: 'main', metric: 'time', points: [{ coordinate, values: [value, 2 * value] }] }],
  });
  const rowsOf = (one: Experiment, map = '') =>
    seriesRows(one, chooseSeries(one, {}, 'a'), { source: 'a', map: map ? parseParameterMap(map) : new Map() });

  test.each(['p', 'procs', 'Processes', 'nodes', 'n'])('%s is the node count', (name) => {
    const { rows, defaults } = rowsOf(single([name, 'bandwidth'], [4, 20]));
    expect(objects(rows)).toEqual([0.5, 1].map((ct) => ({ scale: 0, nodes: 4, bw: 20, ct })));
    expect(defaults).toEqual({ scale: 0 });
  });
  test('a map names the rest and overrides', () => {
    const { rows, defaults } = rowsOf(single(['p', 'size', 'bw'], [20, 4, 50]), 'p=scale, size=nodes');
    expect(objects(rows)[0]).toEqual({ scale: 20, nodes: 4, bw: 50, ct: 0.5 });
    expect(defaults).toEqual({});
  });
  test.each([
    [single(['nodes', 'size'], [4, 9]), '', "the parameter 'size' is not nodes, bw, scale or threads"],
    [single(['nodes', 'p'], [4, 9]), '', "'nodes' and 'p' are both nodes"],
    [single(['bw'], [9]), '', 'no parameter of bw is the node count'],
    [single(['nodes'], [4]), 'p=nodes', "a has no parameter 'p'"],
    [single(['nodes'], [4]), 'nodes=n', "'nodes=n' is not PARAMETER=VARIABLE"],
    [single(['nodes', 'bw'], [4, 250]), '', 'at nodes=4, bw=250: bw is 250: a bandwidth is a percentage'],
    [single(['nodes'], [4.5]), '', 'nodes is 4.5'],
    [single(['nodes'], [4], -1), '', 'the value is -1: a completion time'],
  ])('%#: refused', (one, map, message) => {
    expect(() => rowsOf(one, map)).toThrow(message);
  });
  test('among several series the metric time or ct is chosen, others have to be named', () => {
    expect(chooseSeries(EXAMPLE, {}, 'a').metric).toBe('time');
    expect(chooseSeries(EXAMPLE, { metric: 'bytes' }, 'a').metric).toBe('bytes');
    const renamed = { ...EXAMPLE, series: EXAMPLE.series.map((one) => ({ ...one, metric: `${one.metric}2` })) };
    expect(() => chooseSeries(renamed, {}, 'a')).toThrow("several metrics: choose one of 'bytes2', 'time2'");
    const paths = {
      ...EXAMPLE,
      series: ['x', 'y'].flatMap((callpath) => EXAMPLE.series.map((one) => ({ ...one, callpath }))),
    };
    expect(() => chooseSeries(paths, {}, 'a')).toThrow("several call paths: choose one of 'x', 'y'");
    expect(chooseSeries(paths, { callpath: 'y' }, 'a')).toMatchObject({ callpath: 'y', metric: 'time' });
    expect(() => selectSeries(EXAMPLE, { metric: 'watts' }, 'a')).toThrow("has no metric 'watts' but 'bytes', 'time'");
  });
});

describe('files', () => {
  test('the name tells the format, a flag goes before', () => {
    expect(['a.CSV', 'a.parquet', 'a.txt', 'a.json', 'a.jsonl', 'a'].map(formatOfPath)).toEqual([
      'csv',
      'parquet',
      'extrap-text',
      'extrap-json',
      'extrap-jsonl',
      null,
    ]);
    expect(parseFormat('extrap-text', 'a.csv')).toBe('extrap-text');
    expect(() => parseFormat('xml', 'a.csv')).toThrow("'xml' is not one of csv");
    expect(() => parseFormat(undefined, 'a')).toThrow('give one of csv');
  });

  test('a fixture goes through every format and comes back with the same rows', async () => {
    const all = await fixture('eq7_s26-28');
    const rows = pickRows(
      all,
      Array.from({ length: Math.floor(all.length / 8) }, (_, index) => 8 * index),
    );
    const sorted = (list: ReturnType<typeof objects>): string[] => list.map((row) => JSON.stringify(row)).sort();
    const expected = sorted(objects(rows));
    const one = experimentFromRows(rows);
    for (const [format, extension] of [
      ['csv', 'csv'],
      ['parquet', 'parquet'],
      ['extrap-text', 'txt'],
      ['extrap-json', 'json'],
      ['extrap-jsonl', 'jsonl'],
    ] as const) {
      const path = join(folder, `rows.${extension}`);
      await writeFile(path, await encodeExperiment(one, format));
      expect(sorted(objects(await readRowsFile(path)))).toEqual(expected);
      expect(await readExperiment(path, format)).toEqual(one);
    }
    expect(objects(await readRowsFile(fixturePath('eq7_s26-28')))).toEqual(objects(all));
  });

  test('rows are read from the long form too, and from what has no scale and bandwidth', async () => {
    const path = join(folder, 'long.csv');
    await writeFile(path, 'procs,metric,value\n4,time,0.5\n9,time,0.25\n');
    expect(objects(await readRowsFile(path))).toEqual([
      { scale: 0, nodes: 4, bw: 100, ct: 0.5 },
      { scale: 0, nodes: 9, bw: 100, ct: 0.25 },
    ]);
  });

  test('a missing file and bytes that are no text are bad input', async () => {
    for (const name of ['none.csv', 'none.parquet', 'none.json']) {
      await expect(readRowsFile(join(folder, name))).rejects.toThrow(expect.objectContaining({ kind: 'badInput' }));
    }
    const path = join(folder, 'binary.json');
    await writeFile(path, new Uint8Array([0x80, 0xff]));
    await expect(readRowsFile(path)).rejects.toThrow('is not UTF-8 text');
  });
});
