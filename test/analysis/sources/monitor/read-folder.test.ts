import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createModel } from '../../../../analysis/grade10/model/create-model.ts';
import { createResourceTypes, type MetricInput } from '../../../../analysis/grade10/model/metrics.ts';
import { createPhaseTypes } from '../../../../analysis/grade10/model/phase-types.ts';
import { readMonitorFolder } from '../../../../analysis/sources/monitor/read-folder.ts';
import { folderOf, MS, names, stat, T0, values, word } from './encode.ts';

const BOOT = [9e5, 9e5, 9e5, 9e9, 9e5, 9e5, 9e5, 9e5, 9e5, 9e5];
const IDLE = [0, 0, 0, 10, 0, 0, 0, 0, 0, 0];
const GIVEN = { networkBytesPerSecond: 125e6, diskBytesPerSecond: 500e6 };

/** Path, capacity, bounds in ms and rates: what a metric says, in a form one can read. */
function readable(metric: MetricInput): readonly [string, number, number[], number[]] {
  if (metric.class !== 'consumable') throw new Error(`${metric.path} is ${metric.class}`);
  const { path, capacity, startNs, endNs, rates } = metric;
  expect([...startNs.slice(1)]).toEqual([...endNs.slice(0, -1)]);
  return [path, capacity, [...startNs.slice(0, 1), ...endNs].map((ns) => ns / 1e6), [...rates]];
}

test('bytes written by hand are read: words in little-endian order, numbers above 127 in two bytes', async () => {
  const folder = await folderOf({
    'proc-net-dev-n1': [
      Buffer.from('0100000000000000 00 01 65746800'.replaceAll(' ', ''), 'hex'), // 1 ns: one name, "eth"
      Buffer.from('0001000000000000 01 01 7f 00 7f 00'.replaceAll(' ', ''), 'hex'), // 256 ns: since boot
      Buffer.from('0002000000000000 01 01 ac02 01 8080 01 01'.replaceAll(' ', ''), 'hex'), // 512 ns: 300 in, 16384 out
    ],
  });
  const { originNs, metrics } = await readMonitorFolder(folder, GIVEN);
  expect(originNs).toBe(1n);
  // 300 bytes in 256 ns; 16384 in 256 ns are 64 per ns.
  expect(metrics.map(readable)).toEqual([
    ['/host[host=n1]/network/bytes-in', 125e6, [255e-6, 511e-6], [1.171875e9]],
    ['/host[host=n1]/network/bytes-out', 125e6, [255e-6, 511e-6], [64e9]],
  ]);
});

test('all but idle and iowait is busy, and guests count once', async () => {
  const folder = await folderOf({
    'proc-stat-a': [
      stat(T0, [BOOT, BOOT]),
      // user nice system idle iowait irq softirq steal guest guestnice
      stat(T0 + 100n * MS, [[4, 2, 1, 1, 1, 1, 0, 0, 3, 2], IDLE]), // 8 of 10 jiffies on the first
      stat(T0 + 300n * MS, [IDLE, [0, 0, 0, 4, 4, 3, 2, 7, 0, 0]]), // 12 in 20
      stat(T0 + 400n * MS, [IDLE, IDLE]),
    ],
  });
  const { metrics, notices } = await readMonitorFolder(folder);
  expect(metrics.map(readable)).toEqual([['/host[host=a]/cpu', 2, [0, 100, 300, 400], [0.8, 0.6, 0]]]);
  expect(notices).toEqual([]);
});

test('interfaces are summed, loopback is not', async () => {
  const folder = await folderOf({
    'proc-net-dev-a': [
      names(T0, ['lo', 'eth0', 'ib0']),
      values(T0 + MS, [
        [8e9, 9, 8e9, 9],
        [7e9, 9, 6e9, 9],
        [5e9, 9, 4e9, 9],
      ]),
      values(T0 + 101n * MS, [
        [1e6, 10, 1e6, 10],
        [1500, 1, 60, 1],
        [4500, 3, 0, 0],
      ]),
      values(T0 + 151n * MS, [
        [0, 0, 0, 0],
        [0, 0, 9000, 6],
        [0, 0, 1000, 1],
      ]),
    ],
  });
  const { metrics, notices } = await readMonitorFolder(folder, GIVEN);
  expect(metrics.map(readable)).toEqual([
    ['/host[host=a]/network/bytes-in', 125e6, [1, 101, 151], [60_000, 0]],
    ['/host[host=a]/network/bytes-out', 125e6, [1, 101, 151], [600, 200_000]],
  ]);
  expect(notices).toEqual([]);
});

test('disks are summed in sectors of 512 bytes; partitions, stacked and RAM disks are not counted again', async () => {
  const row = (read: number, written: number): number[] => [1, read, 5, 1, written, 7, 12];
  const disks = ['loop0', 'ram1', 'sda', 'sda1', 'sda10', 'nvme0n1', 'nvme0n1p2', 'dm-0', 'md127', 'vdb1'];
  // Powers of two tell which ones were added: sda 4, nvme0n1 32, and vdb1, whose disk is not listed, 512.
  const rows = disks.map((_, index) => row(2 ** index, 2 ** (index + 10)));
  const folder = await folderOf({
    'proc-diskstats-a': [names(T0, disks), values(T0 + MS, rows), values(T0 + 1001n * MS, rows)],
  });
  const { metrics } = await readMonitorFolder(folder, GIVEN);
  const sectors = 4 + 32 + 512;
  expect(metrics.map(readable)).toEqual([
    ['/host[host=a]/disk/bytes-read', 500e6, [1, 1001], [sectors * 512]],
    ['/host[host=a]/disk/bytes-written', 500e6, [1, 1001], [sectors * 512 * 1024]],
  ]);
});

test('the values since boot that follow a changed list are no traffic: the gap takes the rate after it', async () => {
  const folder = await folderOf({
    'proc-net-dev-a': [
      names(T0, ['eth0']),
      values(T0 + 10n * MS, [[8e9, 9, 8e9, 9]]),
      values(T0 + 110n * MS, [[100, 1, 200, 2]]),
      names(T0 + 210n * MS, ['veth7', 'eth0']),
      values(T0 + 310n * MS, [
        [6e9, 9, 6e9, 9],
        [8e9, 9, 8e9, 9],
      ]),
      values(T0 + 410n * MS, [
        [30, 1, 0, 0],
        [10, 1, 50, 1],
      ]),
    ],
  });
  const { metrics, notices } = await readMonitorFolder(folder, GIVEN);
  expect(metrics.map(readable)).toEqual([
    ['/host[host=a]/network/bytes-in', 125e6, [10, 110, 410], [1000, 400]],
    ['/host[host=a]/network/bytes-out', 125e6, [10, 110, 410], [2000, 500]],
  ]);
  expect(notices).toEqual([
    `${join(folder, 'proc-net-dev-a')} has 2 lists of interfaces: the rate around each change is unknown, so that of the next period is used.`,
  ]);
});

test('lists that change before and after all periods leave those as they are', async () => {
  const folder = await folderOf({
    'proc-net-dev-a': [
      names(T0, ['eth0']),
      values(T0 + 10n * MS, [[8e9, 9, 8e9, 9]]),
      names(T0 + 110n * MS, ['eth1']),
      values(T0 + 210n * MS, [[8e9, 9, 8e9, 9]]),
      values(T0 + 310n * MS, [[100, 1, 0, 0]]),
      names(T0 + 410n * MS, ['eth0']),
      values(T0 + 510n * MS, [[8e9, 9, 8e9, 9]]),
    ],
  });
  const { metrics } = await readMonitorFolder(folder, GIVEN);
  expect(metrics.map(readable)[0]).toEqual(['/host[host=a]/network/bytes-in', 125e6, [210, 310], [1000]]);
});

test('a record that is cut off anywhere is ignored, with a notice', async () => {
  const whole = [names(T0, ['eth0']), values(T0 + MS, [[8e9, 9, 8e9, 9]]), values(T0 + 2n * MS, [[300, 1, 400, 1]])];
  const size = Buffer.concat(whole).length;
  const expected = (await readMonitorFolder(await folderOf({ 'proc-net-dev-a': whole }), GIVEN)).metrics;
  expect(expected).toHaveLength(2);
  for (const last of [names(T0 + 3n * MS, ['eth0', 'eth1']), values(T0 + 3n * MS, [[7e9, 1, 1, 1]])]) {
    for (let length = 1; length < last.length; length += 1) {
      const folder = await folderOf({ 'proc-net-dev-a': [...whole, last.subarray(0, length)] });
      const { metrics, notices } = await readMonitorFolder(folder, GIVEN);
      expect(metrics).toEqual(expected);
      expect(notices).toEqual([
        `${join(folder, 'proc-net-dev-a')} ends at byte ${size + length}, within the record that starts at byte ${size}: this record is ignored.`,
      ]);
    }
  }
});

test('hosts are found in folders below, each with the files it has, and memory is left aside', async () => {
  const disks = [names(T0, ['sda']), ...[1n, 2n].map((ms) => values(T0 + ms * MS, [[0, 0, 0, 0, 0, 0, 0]]))];
  const cpus = [stat(T0, [BOOT]), stat(T0 + MS, [IDLE])];
  const folder = await folderOf({
    'proc-stat-node-2.cluster': cpus,
    'deep/proc-diskstats-folder/proc-diskstats-node-10': disks,
    'deep/proc-stat-node-10': cpus,
    'proc-meminfo-node-3': [Buffer.of(1, 2, 3)],
    'notes-proc-stat-x': [Buffer.of(1)],
    'proc-stat-': [Buffer.of(1)],
  });
  const { hosts, metrics, notices } = await readMonitorFolder(folder, GIVEN);
  expect(hosts).toEqual(['node-10', 'node-2.cluster']);
  expect(metrics.map(({ path }) => path)).toEqual([
    '/host[host=node-10]/cpu',
    '/host[host=node-10]/disk/bytes-read',
    '/host[host=node-10]/disk/bytes-written',
    '/host[host=node-2.cluster]/cpu',
  ]);
  expect(notices).toEqual([]);
});

test('times count from the earliest record of all files, or from what is given', async () => {
  const folder = await folderOf({
    'proc-stat-a': [stat(T0 + 5n, [BOOT]), stat(T0 + 1005n, [IDLE])],
    'proc-net-dev-b': [names(T0, ['eth0']), values(T0 + 7n, [[1, 1, 1, 1]]), values(T0 + 1007n, [[1, 1, 1, 1]])],
    // Left out, so that its time does not count.
    'proc-stat-old': [stat(1n, [BOOT])],
  });
  const all = await readMonitorFolder(folder, GIVEN);
  expect(all.originNs).toBe(T0);
  expect(all.metrics.map(({ startNs, endNs }) => [...startNs, ...endNs])).toEqual([
    [5, 1005],
    [7, 1007],
    [7, 1007],
  ]);
  const given = await readMonitorFolder(folder, { ...GIVEN, originNs: T0 + 105n });
  expect(given.originNs).toBe(T0 + 105n);
  expect(given.metrics.map(({ startNs, endNs }) => [...startNs, ...endNs])).toEqual([
    [-100, 900],
    [-98, 902],
    [-98, 902],
  ]);
});

test.each([
  ['left out', {}],
  ['null', { networkBytesPerSecond: null, diskBytesPerSecond: null }],
])('a capacity that is %s is the largest rate on any host, in either direction', async (_, options) => {
  const network = (bytesIn: number, bytesOut: number): Buffer[] => [
    names(T0, ['eth0']),
    ...[1n, 1001n].map((ms) => values(T0 + ms * MS, [[bytesIn, 1, bytesOut, 1]])),
  ];
  const folder = await folderOf({
    'proc-net-dev-a': network(10, 700),
    'proc-net-dev-b': network(300, 20),
    'proc-diskstats-a': [names(T0, ['sda']), ...[1n, 1001n].map((ms) => values(T0 + ms * MS, [[1, 3, 1, 1, 2, 1, 1]]))],
  });
  const { metrics, notices } = await readMonitorFolder(folder, options);
  expect(metrics.map(readable).map(([path, capacity]) => [path, capacity])).toEqual([
    ['/host[host=a]/network/bytes-in', 700],
    ['/host[host=a]/network/bytes-out', 700],
    ['/host[host=a]/disk/bytes-read', 1536],
    ['/host[host=a]/disk/bytes-written', 1536],
    ['/host[host=b]/network/bytes-in', 700],
    ['/host[host=b]/network/bytes-out', 700],
  ]);
  const notice = (what: string, rate: number): string =>
    `The capacity of the ${what} was not given. The largest measured rate is used, ${rate} bytes/s, so the busiest period counts as full.`;
  expect(notices).toEqual([notice('network', 700), notice('disks', 1536)]);
});

test('counters that ran backwards count as 0, in 32 and in 64 bits', async () => {
  const back = 2n ** 64n - 5n;
  const folder = await folderOf({
    // Jiffies are written as 32-bit numbers. The idle ones and those since boot do not matter.
    'proc-stat-a': [
      stat(T0, [BOOT.map(() => 2 ** 32 - 1)]),
      stat(T0 + 100n * MS, [[5, 0, 0, 2 ** 32 - 2, 0, 0, 0, 2 ** 31, 0, 0]]),
    ],
    'proc-net-dev-a': [
      names(T0, ['eth0', 'eth1']),
      ...[1n, 1001n].map((ms) =>
        values(T0 + ms * MS, [
          [back, back, 2n ** 62n, 1],
          [400, 1, back, 1],
        ]),
      ),
    ],
  });
  const { metrics, notices } = await readMonitorFolder(folder, GIVEN);
  expect(metrics.map(readable).map(([path, , , rates]) => [path, rates])).toEqual([
    ['/host[host=a]/cpu', [0.5]],
    ['/host[host=a]/network/bytes-in', [400]],
    ['/host[host=a]/network/bytes-out', [2 ** 62]],
  ]);
  expect(notices).toEqual([
    `${join(folder, 'proc-stat-a')} has 1 counter differences below zero: they count as 0.`,
    `${join(folder, 'proc-net-dev-a')} has 2 counter differences below zero: they count as 0.`,
  ]);
});

test('a file without a period is left out, with a notice, and its host with it', async () => {
  const folder = await folderOf({
    'proc-stat-a': [stat(T0, [BOOT]), stat(T0 + MS, [IDLE])],
    'proc-stat-b': [],
    'proc-stat-c': [stat(T0, [BOOT])],
    'proc-net-dev-c': [names(T0, ['eth0']), values(T0 + MS, [[1, 1, 1, 1]])],
    'proc-net-dev-d': [names(T0, ['lo']), ...[1n, 2n].map((ms) => values(T0 + ms * MS, [[1, 1, 1, 1]]))],
    'proc-diskstats-e': [word(T0).subarray(0, 7)],
  });
  const { hosts, metrics, notices } = await readMonitorFolder(folder);
  expect(hosts).toEqual(['a']);
  expect(metrics.map(({ path }) => path)).toEqual(['/host[host=a]/cpu']);
  const few = (name: string, bytes: number): string =>
    `${join(folder, name)} has fewer than two usable records (${bytes} bytes): it is left out.`;
  expect(notices).toEqual([
    few('proc-stat-b', 0),
    few('proc-stat-c', stat(T0, [BOOT]).length),
    few('proc-net-dev-c', 8 + 1 + 1 + 5 + 8 + 1 + 1 + 4),
    `${join(folder, 'proc-net-dev-d')} lists no interfaces that count, only lo.`,
    few('proc-net-dev-d', 8 + 1 + 1 + 3 + 2 * (8 + 1 + 1 + 4)),
    `${join(folder, 'proc-diskstats-e')} ends at byte 7, within the record that starts at byte 0: this record is ignored.`,
    few('proc-diskstats-e', 7),
  ]);
});

test('a folder of which nothing is usable gives no metrics and says why', async () => {
  const { originNs, hosts, metrics, notices } = await readMonitorFolder(await folderOf({ 'proc-stat-a': [] }));
  expect({ originNs, hosts, metrics }).toEqual({ originNs: 0n, hosts: [], metrics: [] });
  expect(notices).toHaveLength(1);
});

test('a model takes the metrics as they are', async () => {
  const folder = await folderOf({
    'proc-stat-a': [0n, 100n, 200n].map((ms) => stat(T0 + ms * MS, [IDLE])),
    'proc-net-dev-a': [names(T0 - 1n, ['eth0']), ...[0n, 100n, 200n].map((ms) => values(T0 + ms * MS, [[1, 1, 1, 1]]))],
    'proc-diskstats-a': [
      names(T0 - 1n, ['sda']),
      ...[0n, 100n, 200n].map((ms) => values(T0 + ms * MS, [[1, 1, 1, 1, 1, 1, 1]])),
    ],
  });
  const { metrics } = await readMonitorFolder(folder, { ...GIVEN, originNs: T0 });
  const consumable = (name: string) => ({ name, class: 'consumable' as const });
  const model = createModel({
    phaseTypes: createPhaseTypes({ name: '' }),
    resourceTypes: createResourceTypes({
      name: '',
      children: [
        {
          name: 'host',
          repeat: 'many',
          key: 'host',
          metrics: [consumable('cpu')],
          children: [
            { name: 'network', metrics: [consumable('bytes-in'), consumable('bytes-out')] },
            { name: 'disk', metrics: [consumable('bytes-read'), consumable('bytes-written')] },
          ],
        },
      ],
    }),
    phases: {
      type: Uint32Array.of(0),
      parent: Int32Array.of(-1),
      id: [''],
      startNs: Float64Array.of(0),
      endNs: Float64Array.of(200e6),
    },
    metrics,
    timesliceNs: 10e6,
  });
  expect(model.metrics).toHaveLength(5);
});

test('a FIFO in place of a file is not waited for', async () => {
  const folder = await folderOf({});
  execFileSync('mkfifo', [join(folder, 'proc-stat-h1')]);
  await expect(readMonitorFolder(folder)).rejects.toThrow('proc-stat-h1 cannot be read (is a FIFO, not a file)');
});
