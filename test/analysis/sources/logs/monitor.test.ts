import { expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { readJob } from '../../../../analysis/sources/logs/read-job.ts';
import { MS, names, stat, T0, values, writeFiles } from '../monitor/encode.ts';
import { analyseFolder } from './analyse-job.ts';
import { refusal } from './refusal.ts';
import { lines, textFolder } from './text-folder.ts';

/** T0 is a nanosecond after this multiple of the slice. */
const START = T0 - 1n;
const at = (ms: number): bigint => START + BigInt(ms) * MS;
/** One rank per host, for half a second; the second one leaves early. */
const FILES = {
  'model.yaml': lines('name: m', 'extends: mpi', 'timeslice: 50ms', 'places: { rank: { 0: n1, 1: n2 } }'),
  'phases.csv': lines(
    'path,start_ns,end_ns',
    `/,${at(0)},${at(500)}`,
    `/Rank[rank=0],${at(0)},${at(500)}`,
    `/Rank[rank=1],${at(0)},${at(200)}`,
  ),
};
/** Jiffies, 100 per second: user and idle. */
const cpu = (busy: number, idle: number) => [busy, 0, 0, idle, 0, 0, 0, 0, 0, 0];

/** Two cores each. The first record counts from the start of the host. */
const CPUS = {
  'proc-stat-n1': [
    stat(T0, [cpu(9e6, 9e6), cpu(9e6, 9e6)]),
    stat(T0 + 200n * MS, [cpu(20, 0), cpu(10, 10)]), // 1.5 cores
    stat(T0 + 500n * MS, [cpu(0, 30), cpu(15, 15)]), // 0.5 cores
  ],
  'proc-stat-n2': [
    stat(T0 - 100n * MS, [cpu(9e6, 9e6), cpu(9e6, 9e6)]),
    stat(T0 + 500n * MS, [cpu(30, 30), cpu(0, 60)]), // 0.5 cores, from before the job
  ],
};

function expectAbout(found: readonly number[] | undefined, wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [slice, value] of wanted.entries()) expect(found?.[slice], `slice ${slice}`).toBeCloseTo(value, 9);
}

test("the monitor's files in a job's folder become its hosts' cpu and network", async () => {
  const folder = await textFolder(FILES);
  await writeFiles(folder, {
    ...CPUS,
    'proc-net-dev-n1': [
      names(T0 - MS, ['lo', 'eth0']),
      values(T0, [
        [9, 9, 9, 9],
        [9, 9, 9, 9],
      ]),
      values(T0 + 500n * MS, [
        [7e6, 1, 7e6, 1],
        [50_000, 5, 1_000_000, 9],
      ]),
    ],
  });
  const { analysis, output } = await analyseFolder(folder);
  const { sampled, attribution } = output;
  expectAbout(sampled['/host[host=n1]/cpu'], [...Array(4).fill(1.5), ...Array(6).fill(0.5)]);
  // Half a core over 12 slices, all of it in the 4 slices of the only rank there.
  expectAbout(sampled['/host[host=n2]/cpu'], [1.5, 1.5, 1.5, 1.5, 0, 0, 0, 0, 0, 0]);
  expectAbout(sampled['/host[host=n1]/network/bytes-in'], Array(10).fill(100_000));
  expectAbout(sampled['/host[host=n1]/network/bytes-out'], Array(10).fill(2_000_000));
  expect(analysis.model.metrics.map(({ path, ...rest }) => [path, 'capacity' in rest && rest.capacity])).toEqual([
    ['/host[host=n1]/cpu', 2],
    ['/host[host=n1]/network/bytes-in', 2_000_000],
    ['/host[host=n1]/network/bytes-out', 2_000_000],
    ['/host[host=n2]/cpu', 2],
  ]);
  // What each rank got is what its own host used.
  expectAbout(attribution['/Rank[rank=1]']?.['/host[host=n2]/cpu']?.usage, [1.5, 1.5, 1.5, 1.5]);
  expect(Object.keys(attribution['/Rank[rank=0]'] ?? {})).toEqual([
    '/host[host=n1]/cpu',
    '/host[host=n1]/network/bytes-in',
    '/host[host=n1]/network/bytes-out',
  ]);
});

test('that the capacity of the network was guessed is told', async () => {
  const folder = await textFolder(FILES);
  const rate = (bytes: number) => [[bytes, 1, 0, 0]];
  await writeFiles(folder, {
    ...CPUS,
    'proc-net-dev-n1': [names(T0 - MS, ['eth0']), values(T0, rate(1)), values(T0 + 500n * MS, rate(500_000))],
  });
  const { warnings } = await analyseFolder(folder);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^The capacity of the network was not given\. .* 1000000 bytes\/s/);
});

test('a capacity of the network that the model file gives is taken, and nothing is told', async () => {
  const folder = await textFolder({ ...FILES, 'model.yaml': `${FILES['model.yaml']}monitored: { network: 125e6 }\n` });
  await writeFiles(folder, {
    ...CPUS,
    'proc-net-dev-n1': [
      names(T0 - MS, ['eth0']),
      values(T0, [[0, 0, 0, 0]]),
      values(T0 + 500n * MS, [[500_000, 1, 0, 0]]),
    ],
  });
  const { analysis, output, warnings } = await analyseFolder(folder);
  const capacities = analysis.model.metrics.map(({ path, ...rest }) => [path, 'capacity' in rest && rest.capacity]);
  expect(capacities.filter(([path]) => String(path).includes('network'))).toEqual([
    ['/host[host=n1]/network/bytes-in', 125e6],
    ['/host[host=n1]/network/bytes-out', 125e6],
  ]);
  expectAbout(output.sampled['/host[host=n1]/network/bytes-in'], Array(10).fill(1_000_000));
  expect(warnings).toEqual([]);
});

test('what the monitor measured beyond the model is left aside', async () => {
  const folder = await textFolder({
    ...FILES,
    'model.yaml': lines(
      'name: cpus',
      'timeslice: 50ms',
      'phases: { Rank: { repeat: concurrent, key: rank } }',
      'resources: { host: { repeat: many, key: host, metrics: { cpu: consumable } } }',
    ),
  });
  await writeFiles(folder, {
    ...CPUS,
    'proc-net-dev-n1': [names(T0 - MS, ['eth0']), values(T0, [[0, 0, 0, 0]]), values(T0 + 500n * MS, [[5, 5, 5, 5]])],
    'proc-diskstats-n1': [
      names(T0 - MS, ['sda']),
      values(T0, [Array(7).fill(0)]),
      values(T0 + 500n * MS, [Array(7).fill(8)]),
    ],
  });
  const { analysis } = await analyseFolder(folder);
  expect(analysis.model.metrics.map(({ path }) => path)).toEqual(['/host[host=n1]/cpu', '/host[host=n2]/cpu']);
});

test("the monitor's metrics join those of rates.csv", async () => {
  const folder = await textFolder({
    ...FILES,
    'rates.csv': lines(
      'metric,capacity,period_start_ns,period_end_ns,value',
      `/host[host=n1]/network/bytes-in,10,${at(0)},${at(500)},4`,
    ),
  });
  await writeFiles(folder, CPUS);
  const { output, warnings } = await analyseFolder(folder);
  expect(output.sampled['/host[host=n1]/network/bytes-in']).toEqual(Array(10).fill(4));
  expectAbout(output.sampled['/host[host=n1]/cpu'], [...Array(4).fill(1.5), ...Array(6).fill(0.5)]);
  expect(warnings).toEqual([]);
});

test('a metric that both the monitor and rates.csv give is refused', async () => {
  const folder = await textFolder({
    ...FILES,
    'rates.csv': lines(
      'metric,capacity,period_start_ns,period_end_ns,value',
      `/host[host=n1]/cpu,2,${at(0)},${at(500)},1`,
    ),
  });
  await writeFiles(folder, CPUS);
  const platform = await loadPlatform(`${folder}/model.yaml`);
  expect(await refusal(readJob(folder, { platform }))).toContain('/host[host=n1]/cpu is given twice');
});

test("monitor files of another day than the job's are refused", async () => {
  const folder = await textFolder(FILES);
  const days = 200n * 86_400_000n * MS;
  await writeFiles(folder, {
    'proc-stat-n1': [stat(T0 + days, [cpu(9, 9)]), stat(T0 + days + 500n * MS, [cpu(9, 9)])],
  });
  const platform = await loadPlatform(`${folder}/model.yaml`);
  expect(await refusal(readJob(folder, { platform }), folder)).toMatch(
    /^proc-stat-n1 has a record of \d+ ns, more than 104 days/,
  );
});

test('monitor files that end before the job does count as unused after, and that is told', async () => {
  const folder = await textFolder(FILES);
  await writeFiles(folder, {
    ...CPUS,
    'proc-stat-n1': [stat(T0, [cpu(9, 9)]), stat(T0 + 300n * MS, [cpu(15, 15)])],
  });
  const { output, warnings } = await analyseFolder(folder);
  expectAbout(output.sampled['/host[host=n1]/cpu'], [...Array(6).fill(0.5), 0, 0, 0, 0]);
  expect(warnings).toEqual([
    '/host[host=n1]/cpu was not measured in 4 of 10 slices, at the start or the end of the job: it counts as unused there.',
  ]);
});

test('a truncated monitor file is refused with its name', async () => {
  const folder = await textFolder(FILES);
  const whole = Buffer.concat(CPUS['proc-stat-n1']);
  await writeFiles(folder, { 'proc-stat-n1': [whole.subarray(0, 12)] });
  const platform = await loadPlatform(`${folder}/model.yaml`);
  const outcome = await readJob(folder, { platform }).then(
    ({ warnings }) => warnings.join('\n'),
    (error: unknown) => String(error),
  );
  expect(outcome).toContain('proc-stat-n1');
});
