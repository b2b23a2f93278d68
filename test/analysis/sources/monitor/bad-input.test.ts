import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMonitorFolder } from '../../../../analysis/sources/monitor/read-folder.ts';
import { messageOf, PredictError } from '../../../../base/errors.ts';
import { folderOf, names, stat, T0, values, varint, word } from './encode.ts';

const CPU = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const NET = [1, 1, 1, 1];
const NETWORK = [names(T0, ['eth0']), values(T0 + 1n, [NET])];

async function refusal(folder: string, options = {}): Promise<string> {
  const error = await readMonitorFolder(folder, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PredictError);
  expect(error).toMatchObject({ kind: 'badInput' });
  return messageOf(error);
}

test.each<readonly [string, string, readonly Buffer[], string]>([
  [
    'a record of an unknown type',
    'proc-net-dev-a',
    [...NETWORK, word(T0 + 2n), Buffer.of(7)],
    'has a record of type 7 at byte 37, but only 0 (names) and 1 (values) are known. The file is damaged or of another program: leave it out.',
  ],
  [
    'values before any list of interfaces',
    'proc-net-dev-a',
    [values(T0, [NET])],
    'has values at byte 8 before any list of interfaces (type 1). Its beginning is missing: copy it again or leave it out.',
  ],
  [
    'values before any list of disks',
    'proc-diskstats-a',
    [values(T0, [])],
    'has values at byte 8 before any list of disks (type 1). Its beginning is missing: copy it again or leave it out.',
  ],
  [
    'more values than names',
    'proc-net-dev-a',
    [...NETWORK, values(T0 + 2n, [NET, NET])],
    'gives 2 interfaces at byte 38, but lists 1. The file is damaged: copy it again or leave it out.',
  ],
  [
    'fewer values than names',
    'proc-diskstats-a',
    [names(T0, ['sda', 'sdb']), values(T0 + 1n, [[1, 1, 1, 1, 1, 1, 1]])],
    'gives 1 disks at byte 27, but lists 2. The file is damaged: copy it again or leave it out.',
  ],
  [
    'values that fit the list before the last',
    'proc-net-dev-a',
    [...NETWORK, names(T0 + 2n, ['eth0', 'eth1']), values(T0 + 3n, [NET])],
    'gives 1 interfaces at byte 58, but lists 2. The file is damaged: copy it again or leave it out.',
  ],
  [
    'another number of CPUs',
    'proc-stat-a',
    [stat(T0, [CPU, CPU]), stat(T0 + 1n, [CPU])],
    'gives 1 CPUs at byte 37, but 2 in its first record. The file is damaged or was joined from two: leave it out.',
  ],
  [
    'a number of eleven bytes',
    'proc-stat-a',
    [word(T0), Buffer.alloc(10, 0x80), Buffer.of(1)],
    'has a number of more than 64 bits at byte 8 (tenth byte: 128). The file is damaged: copy it again or leave it out.',
  ],
  [
    'a number of ten bytes and more than 64 bits',
    'proc-net-dev-a',
    [...NETWORK, word(T0 + 2n), Buffer.of(1, 1), varint(2n ** 65n)],
    'has a number of more than 64 bits at byte 39 (tenth byte: 4). The file is damaged: copy it again or leave it out.',
  ],
  [
    'a time that comes again',
    'proc-stat-a',
    [stat(T0, [CPU]), stat(T0 + 1n, [CPU]), stat(T0 + 1n, [CPU])],
    'has a record at byte 38 with time 1700000000000000002 ns, not later than the previous one (1700000000000000002 ns). The clock was set back or the file is damaged: measure again or leave it out.',
  ],
  [
    'a time stamp that decreases',
    'proc-net-dev-a',
    [...NETWORK, values(T0 - 1n, [NET])],
    'has a record at byte 29 with time 1700000000000000000 ns, not later than the previous one (1700000000000000002 ns). The clock was set back or the file is damaged: measure again or leave it out.',
  ],
  [
    'a list whose time runs backwards',
    'proc-diskstats-a',
    [names(T0, ['sda']), names(T0 - 1n, ['sda'])],
    'has a record at byte 14 with time 1700000000000000000 ns, not later than the previous one (1700000000000000001 ns). The clock was set back or the file is damaged: measure again or leave it out.',
  ],
  [
    'times too far apart to be exact',
    'proc-stat-a',
    [stat(T0, [CPU]), stat(T0 + 2n ** 53n, [CPU])],
    `has a record of ${T0 + 2n ** 53n} ns, more than 104 days from the origin (${T0} ns). Use the files of one run, or give the origin in ns since 1970.`,
  ],
  [
    'a host that no path can name',
    'proc-stat-a]b',
    [stat(T0, [CPU])],
    `is of the host 'a]b', which cannot be used in a metric path: rename it without ].`,
  ],
])('%s is refused with its place', async (_, name, records, message) => {
  const folder = await folderOf({ [name]: records });
  expect(await refusal(folder)).toBe(`${join(folder, name)} ${message}`);
});

test('a folder that is not there is refused', async () => {
  const folder = join(await folderOf({}), 'gone');
  expect(await refusal(folder)).toBe(
    `${folder} cannot be read (no such file or directory): give the folder with the monitor's files.`,
  );
});

test('a folder without a file to read is refused, even with one on memory', async () => {
  const folder = await folderOf({ 'proc-meminfo-a': [word(T0)], 'notes.txt': [] });
  expect(await refusal(folder)).toBe(
    `${folder} has no file named proc-stat-HOST, proc-net-dev-HOST or proc-diskstats-HOST: give the folder that Grade10's resource monitor wrote to.`,
  );
});

test('two runs in one folder are refused', async () => {
  const folder = await folderOf({ '1/proc-stat-a': [], '2/proc-stat-a': [], '2/proc-net-dev-a': [] });
  const [one, two] = ['1', '2'].map((run) => join(folder, run, 'proc-stat-a'));
  expect([
    `${one} and ${two} are of the same host, a: give the folder of one run.`,
    `${two} and ${one} are of the same host, a: give the folder of one run.`,
  ]).toContain(await refusal(folder));
});

test('an origin in milliseconds is refused, as the times would not be exact', async () => {
  const folder = await folderOf({ 'proc-stat-a': [stat(T0, [CPU]), stat(T0 + 1n, [CPU])] });
  expect(await refusal(folder, { originNs: T0 / 1_000_000n })).toBe(
    `${join(folder, 'proc-stat-a')} has a record of ${T0} ns, more than 104 days from the origin (1700000000000 ns). Use the files of one run, or give the origin in ns since 1970.`,
  );
});

test('a file that cannot be read is refused', async () => {
  const folder = await folderOf({});
  const path = join(folder, 'proc-stat-a');
  await symlink(join(folder, 'gone'), path);
  expect(await refusal(folder)).toBe(
    `${path} cannot be read (is a link, not a file): make it readable or leave it out.`,
  );
});
