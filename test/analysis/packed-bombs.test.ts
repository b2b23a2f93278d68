import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { ActivityBuilder } from '../../analysis/path/formats/activity-builder.ts';
import { openBytes } from '../../analysis/path/formats/open-bytes.ts';
import { readActivities } from '../../analysis/path/formats/read-activities.ts';
import { analyseTimely } from '../../analysis/path/timely/analyse-timely.ts';
import { readCollapsed } from '../../analysis/profiles/formats/collapsed.ts';
import { readProfile } from '../../analysis/profiles/formats/read-profile.ts';
import { NameTable } from '../../analysis/profiles/tree/call-tree.ts';
import { convert } from '../../experiments/graphs/convert/convert-graph.ts';
import { isLong } from '../times.ts';

const folder = mkdtempSync(join(tmpdir(), 'bombs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A text again and again, a thousandth of its length in a file: members of gzip one after the other. */
function bombOf(text: string | Buffer, { head = '', mebibytes = 1024 } = {}): string {
  const member = gzipSync(Buffer.alloc(2 ** 23 - (2 ** 23 % text.length), text));
  const path = join(folder, 'bomb.gz');
  writeFileSync(path, Buffer.concat([gzipSync(head), ...Array.from({ length: mebibytes / 8 }, () => member)]));
  return path;
}

const RECORDINGS: readonly [string, string | Buffer, string][] = [
  ['JSON', ' ', '{"traceEvents":['],
  ['the text of perf', 'prog 1/1 1.000000: 1 cycles:\n\t55d main+0x1 (/bin/prog)\n\n', ''],
  ['zeros', Buffer.alloc(1 << 20), ''],
];

test.each(isLong ? RECORDINGS : RECORDINGS.slice(0, 1))(
  'a recording of %s that unpacks to a gigabyte is rejected',
  { timeout: 60_000 },
  async (_, text, head) => {
    await expect(readProfile(bombOf(text, { head }), { names: new NameTable(), normalise: null })).rejects.toThrow(
      /bomb\.gz decompresses to more than 512 MiB, so it is rejected/,
    );
  },
);

test('so are collapsed stacks', { timeout: 60_000 }, async () => {
  const path = bombOf(`main;${'f'.repeat(60_000)} 1\n`);
  await expect(readCollapsed(path, { names: new NameTable(), normalise: null })).rejects.toThrow(
    /decompresses to more than 512 MiB/,
  );
});

test('so are traces and lists of edges, which are never so much longer than they are packed', {
  timeout: 60_000,
}, async () => {
  const few = { mebibytes: 64 };
  const far = /bomb\.gz decompresses to more than 50 times its size, so it is rejected: use gunzip if you trust it/;
  await expect(
    readActivities(bombOf('{"worker":"a","type":"op","name":"x","start":1,"end":2}\n', few)),
  ).rejects.toThrow(far);
  const timely = bombOf('{"no":"event"}\n', few);
  await expect(
    (async () => {
      for await (const _ of openBytes(timely));
    })(),
  ).rejects.toThrow(far);
  await expect(convert(bombOf('1 2\n', few), { out: join(folder, 'made'), directed: true })).rejects.toThrow(far);
  await expect(analyseTimely(openBytes(timely), { skew: new Map(), waitFrom: 'op' })).resolves.toBeNull();
});

test('a trace has a bound on its activities and transfers', () => {
  const builder = new ActivityBuilder({ most: 2 });
  const add = (at: number): void =>
    builder.addWork({ worker: 'a', startNs: at, endNs: at + 1, kind: 'op', name: 'x', line: at });
  add(1);
  add(2);
  expect(() => add(3)).toThrow('The trace has more than 2 activities or transfers');
});
