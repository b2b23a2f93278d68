import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { readJob } from '../../../../analysis/sources/logs/read-job.ts';
import { refusal } from './refusal.ts';
import { lines, textFolder } from './text-folder.ts';

const MODEL = lines(
  'name: m',
  'phases:',
  '  Rank: { repeat: concurrent, key: rank }',
  'resources:',
  '  host: { repeat: many, key: host, metrics: { cpu: consumable, gc: blocking } }',
  'mapping:',
  "  /Rank: ['/host[host={host}]']",
  'places: { rank: { 0: a } }',
);
const GOOD = {
  'model.yaml': MODEL,
  'phases.csv': lines('path,start_ns,end_ns', '/,0,100', '/Rank[rank=0],0,100'),
  'rates.csv': lines('metric,capacity,period_start_ns,period_end_ns,value', '/host[host=a]/cpu,2,0,100,1'),
  'waits.csv': lines('metric,start_ns,end_ns', '/host[host=a]/gc,10,20'),
};

async function refusedWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await textFolder({ ...GOOD, ...files });
  const platform = await loadPlatform(join(folder, 'model.yaml'));
  return refusal(readJob(folder, { platform }), folder);
}

/** The good file with its line `at` (from 1) replaced by others. */
function changed(name: 'phases.csv' | 'rates.csv' | 'waits.csv', at: number, ...by: readonly string[]) {
  return {
    [name]: lines(
      ...GOOD[name]
        .trimEnd()
        .split('\n')
        .toSpliced(at - 1, 1, ...by),
    ),
  };
}

test('the files that the other tests spoil are good', async () => {
  const folder = await textFolder(GOOD);
  const { model, warnings } = await readJob(folder, { platform: await loadPlatform(join(folder, 'model.yaml')) });
  expect([model.phases.count, model.metrics.length, warnings]).toEqual([2, 2, []]);
});

test.each([
  [
    'an empty phases.csv',
    { 'phases.csv': '' },
    'phases.csv:1: the column path is missing: its header must name path, start_ns, end_ns.',
  ],
  [
    'a phases.csv of one empty line',
    { 'phases.csv': '\r\n' },
    'phases.csv:1: the column path is missing: its header must name path, start_ns, end_ns.',
  ],
  [
    'a phases.csv without phases',
    { 'phases.csv': 'path,start_ns,end_ns\n' },
    'phases.csv lists no phases: list at least the job, path /.',
  ],
  [
    'phases without a column',
    changed('phases.csv', 1, 'path,start_ns,end'),
    'phases.csv:1: the column end_ns is missing: its header must name path, start_ns, end_ns.',
  ],
  [
    'rates without a column',
    changed('rates.csv', 1, 'metric,period_start_ns,period_end_ns,value,unit'),
    'rates.csv:1: the column capacity is missing: its header must name metric, capacity, period_start_ns, period_end_ns, value.',
  ],
  [
    'an empty rates.csv',
    { 'rates.csv': '' },
    'rates.csv:1: the column metric is missing: its header must name metric, capacity, period_start_ns, period_end_ns, value.',
  ],
  [
    'an empty waits.csv',
    { 'waits.csv': '' },
    'waits.csv:1: the column metric is missing: its header must name metric, start_ns, end_ns.',
  ],
  [
    'a short line',
    changed('phases.csv', 3, '/Rank[rank=0],0'),
    'phases.csv:3: the line has 2 of 3 fields: correct or remove it.',
  ],
  [
    'a long line',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,100,1,5'),
    'rates.csv:2: the line has 6 of 5 fields: correct or remove it.',
  ],
  [
    'a comma without quotes',
    changed('phases.csv', 3, '/Rank[rank=a,b],0,100'),
    'phases.csv:3: the line has 4 of 3 fields: correct or remove it.',
  ],
  [
    'half a nanosecond',
    changed('phases.csv', 3, '/Rank[rank=0],0,99.5'),
    "phases.csv:3: end_ns is '99.5': give whole nanoseconds.",
  ],
  [
    'a time that is missing',
    changed('phases.csv', 2, '/,,100'),
    "phases.csv:2: start_ns is '': give whole nanoseconds.",
  ],
  [
    'a time with an exponent',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,1e2,1'),
    "rates.csv:2: period_end_ns is '1e2': give whole nanoseconds.",
  ],
  [
    'a wait that is no number',
    changed('waits.csv', 2, '/host[host=a]/gc,soon,20'),
    "waits.csv:2: start_ns is 'soon': give whole nanoseconds.",
  ],
  [
    'a rate that is no number',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,100,-'),
    "rates.csv:2: value is '-': give a number.",
  ],
  [
    'a rate that is missing',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,100, '),
    "rates.csv:2: value is ' ': give a number.",
  ],
  [
    'a rate of nan',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,100,nan'),
    "rates.csv:2: value is 'nan': give a number.",
  ],
  [
    'a capacity without end',
    changed('rates.csv', 2, '/host[host=a]/cpu,Infinity,0,100,1'),
    "rates.csv:2: capacity is 'Infinity': give a number.",
  ],
  [
    'a phase of no known type',
    changed('phases.csv', 3, '/Thread[rank=0],0,100'),
    'phases.csv: The phase /Thread[rank=0] has no type in the execution model: add /Thread or correct the path.',
  ],
  [
    'a phase where nobody knows its host',
    changed('phases.csv', 3, '/Rank[rank=1],0,100'),
    "phases.csv: A phase /Rank (id '1') has no known host: state where it ran under 'places'.",
  ],
])('%s is refused', async (_, files, message) => {
  expect(await refusedWith(files)).toBe(message);
});

test('the line that is told counts empty lines, and lines of files with CRLF', async () => {
  const text = GOOD['phases.csv']
    .replaceAll('\n', '\r\n\r\n')
    .replace(',100\r\n\r\n', ',100\r\n')
    .replace('0,100', '0,x');
  expect(await refusedWith({ 'phases.csv': `\uFEFF${text}` })).toBe(
    "phases.csv:3: end_ns is 'x': give whole nanoseconds.",
  );
});

test.each([
  ['an unknown phase type', changed('phases.csv', 3, '/Core[rank=0],0,100'), '/Core[rank=0] has no type'],
  ['a missing parent', changed('phases.csv', 2, '/Rank[rank=1],0,100'), '/Rank[rank=1] has no parent: list /'],
  ['a phase listed twice', changed('phases.csv', 3, '/,0,100'), 'The phase / is listed twice'],
  ['another key', changed('phases.csv', 3, '/Rank[core=0],0,100'), "the key of 'Rank' is 'rank', not 'core'"],
  ['an end before the start', changed('phases.csv', 3, '/Rank[rank=0],60,40'), '/Rank[rank=0] ends at 40 ns'],
  [
    'a phase longer than the job',
    changed('phases.csv', 3, '/Rank[rank=0],0,101'),
    '/Rank[rank=0] (0-101 ns) extends beyond / (0-100 ns)',
  ],
  ['an unknown metric', changed('rates.csv', 2, '/host[host=a]/gpu,2,0,100,1'), '/host[host=a]/gpu has no metric type'],
  ['a rate below 0', changed('rates.csv', 2, '/host[host=a]/cpu,2,0,100,-1'), '/host[host=a]/cpu measured -1'],
  [
    'rates of a blocking metric',
    changed('rates.csv', 2, '/host[host=a]/gc,2,0,100,1'),
    '/host[host=a]/gc is given as consumable',
  ],
  [
    'waits for a consumable metric',
    { ...changed('waits.csv', 2, '/host[host=a]/cpu,10,20'), ...changed('rates.csv', 2) },
    '/host[host=a]/cpu is given as blocking',
  ],
  ['a metric of both files', changed('waits.csv', 2, '/host[host=a]/cpu,10,20'), '/host[host=a]/cpu is given twice'],
  [
    'two capacities of one metric',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,50,1', '/host[host=a]/cpu,4,50,100,1'),
    '/host[host=a]/cpu has the capacities 2 and 4: give one for the whole job.',
  ],
  [
    'a wait that ends before it starts',
    changed('waits.csv', 2, '/host[host=a]/gc,20,10'),
    '/host[host=a]/gc has a period from 20 to 10 ns',
  ],
  [
    'periods that overlap',
    changed('rates.csv', 2, '/host[host=a]/cpu,2,0,60,1', '/host[host=a]/cpu,2,50,100,1'),
    '/host[host=a]/cpu has a period from 50 ns',
  ],
])('%s is refused by its path', async (_, files, part) => {
  expect(await refusedWith(files)).toContain(part);
});

test('a folder that is not there is named, and one without phases.csv names that file', async () => {
  const folder = await textFolder({ 'model.yaml': MODEL });
  const platform = await loadPlatform(join(folder, 'model.yaml'));
  expect(await refusal(readJob(join(folder, 'nowhere'), { platform }))).toContain(join(folder, 'nowhere'));
  expect(await refusal(readJob(folder, { platform }), folder)).toMatch(/^phases\.csv cannot be read/);
});

test('a job longer than a double counts in nanoseconds is refused', async () => {
  const year = 365n * 86_400n * 1_000_000_000n;
  const start = 1_700_000_000_000_000_000n;
  expect(await refusedWith(changed('phases.csv', 2, `/,${start},${start + year}`))).toMatch(
    /give whole nanoseconds below 2\^53/,
  );
});
