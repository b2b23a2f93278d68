import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Activities } from '../../../../analysis/path/activities.ts';
import { readOtf2 } from '../../../../analysis/path/formats/otf2/read-otf2.ts';
import { pathSteps } from '../../../../analysis/path/graph/activity-path.ts';
import { checkProperties } from '../../../../analysis/path/graph/check-properties.ts';
import { criticalPath } from '../../../../analysis/path/graph/critical-path.ts';
import { wholeSlice } from '../../../../analysis/path/graph/segment.ts';

const WRITER = new URL('write-archive.py', import.meta.url).pathname;
const PYTHON = '/usr/bin/python3';
const missing =
  spawnSync(PYTHON, ['-c', 'import otf2']).status !== 0 || spawnSync('otf2-print', ['--version']).status !== 0;
const folder = mkdtempSync(join(tmpdir(), 'otf2-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Event = readonly [rank: number, ns: number, what: string, ...rest: (string | number | null)[]];

let count = 0;

function archive(events: readonly Event[], { resolution = 1e9, offset = 2 ** 61 } = {}): string {
  count += 1;
  const path = join(folder, String(count));
  const ranks = 1 + Math.max(...events.map(([rank]) => rank));
  // Events are written location by location in order of time.
  const sorted = events.toSorted((a, b) => a[1] - b[1]);
  const input = `{"ranks": ${ranks}, "resolution": ${resolution}, "offset": ${BigInt(offset)}, "events": ${JSON.stringify(sorted)}}`;
  const { status, stderr } = spawnSync(PYTHON, [WRITER, path], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return join(path, 'traces.otf2');
}

async function read(anchor: string) {
  const found = await readOtf2(anchor);
  if (found === null) throw new Error('not read');
  return found;
}

function said(activities: Activities): string[] {
  const steps = [...pathSteps(activities, criticalPath(activities, wholeSlice(activities)))];
  return steps.map(
    ({ worker, to, key, startNs, endNs }) => `${to === null ? worker : `${worker}->${to}`} ${key} ${startNs}-${endNs}`,
  );
}

const during = (rank: number, region: string, from: number, to: number): Event[] => [
  [rank, from, 'enter', region],
  [rank, to, 'leave', region],
];

test.skipIf(missing)('a receiver waits for a late sender, and the path goes over to it', async () => {
  const { activities, problems, originNs } = await read(
    archive([
      ...during(0, 'compute', 0, 50),
      ...during(0, 'MPI_Send', 50, 55),
      [0, 51, 'send', 1, 7, 4096],
      ...during(1, 'compute', 0, 20),
      ...during(1, 'MPI_Recv', 20, 62),
      [1, 60, 'recv', 0, 7, 4096],
      ...during(1, 'compute', 62, 90),
    ]),
  );
  expect(problems).toEqual([]);
  expect(originNs).toBe(0n);
  expect(activities.workers).toEqual(['MPI Rank 0', 'MPI Rank 1']);
  expect([...activities.transfers.bytes]).toEqual([4096]);
  expect(said(activities)).toEqual([
    '0 compute 0-50',
    '0 MPI_Send 50-51',
    '0->1 message 51-60',
    '1 MPI_Recv 60-62',
    '1 compute 62-90',
  ]);
});

test.skipIf(missing)('a message that was sent before the call began delays nobody', async () => {
  const { activities } = await read(
    archive([
      ...during(0, 'MPI_Send', 0, 30),
      [0, 1, 'send', 1, 7, 8],
      ...during(1, 'compute', 0, 20),
      ...during(1, 'MPI_Recv', 20, 40),
      [1, 39, 'recv', 0, 7, 8],
    ]),
  );
  expect(said(activities)).toEqual(['1 compute 0-20', '1 MPI_Recv 20-40']);
});

test.skipIf(missing)(
  'of several messages that a call completes the one sent last ends its wait, in the order in which they were posted',
  async () => {
    const { activities, problems } = await read(
      archive([
        ...during(0, 'compute', 0, 30),
        ...during(0, 'MPI_Send', 30, 32),
        [0, 31, 'send', 2, 1, 10],
        ...during(0, 'MPI_Send', 40, 42),
        [0, 41, 'send', 2, 1, 20],
        ...during(1, 'compute', 0, 50),
        ...during(1, 'MPI_Send', 50, 52),
        [1, 51, 'send', 2, 1, 30],
        ...during(2, 'compute', 0, 10),
        [2, 11, 'post', 1],
        [2, 12, 'post', 2],
        [2, 13, 'post', 3],
        ...during(2, 'MPI_Waitall', 20, 70),
        [2, 66, 'irecv', 0, 1, 20, 2],
        [2, 67, 'irecv', 1, 1, 30, 3],
        [2, 68, 'irecv', 0, 1, 10, 1],
      ]),
    );
    expect(problems).toEqual([]);
    expect(said(activities)).toEqual([
      '1 compute 0-50',
      '1 MPI_Send 50-51',
      '1->2 message 51-67',
      '2 MPI_Waitall 67-70',
    ]);
    expect([...activities.transfers.startNs]).toEqual([41, 51, 31]);
  },
);

test.skipIf(missing)('in a collective all wait for the last to begin, for the root, or the root for all', async () => {
  const collective = (operation: string, root: number | null, begins: readonly number[], end: number): Event[] =>
    begins.flatMap((begin, rank): Event[] => [
      ...during(rank, `MPI_${operation}`, begin, end),
      [rank, begin, 'begin'],
      [rank, end, 'end', operation, root, 8],
    ]);
  const { activities, problems } = await read(
    archive(
      [
        ...[30, 10, 20].flatMap((until, rank) => during(rank, 'compute', 0, until)),
        ...collective('ALLREDUCE', null, [30, 10, 20], 35),
        ...[40, 50, 45].flatMap((until, rank) => during(rank, 'compute', 35, until)),
        ...collective('BCAST', 1, [40, 50, 45], 52),
        ...[54, 58, 60].flatMap((until, rank) => during(rank, 'compute', 52, until)),
        ...collective('REDUCE', 0, [54, 58, 60], 61),
        ...during(0, 'MPI_File_write', 61, 70),
      ],
      { resolution: 2e9 },
    ),
  );
  expect(problems).toEqual([]);
  expect(checkProperties(activities, wholeSlice(activities)).waitStateTermination).toEqual([]);
  expect(said(activities)).toEqual([
    '0 compute 0-30',
    '0->1 ALLREDUCE 30-30',
    '1 MPI_ALLREDUCE 30-35',
    '1 compute 35-50',
    '1->2 BCAST 50-50',
    '2 MPI_BCAST 50-52',
    '2 compute 52-60',
    '2->0 REDUCE 60-60',
    '0 MPI_REDUCE 60-61',
    '0 MPI_File_write 61-70',
  ]);
  expect(activities.work.kind.filter((kind) => kind === 8).length).toBe(2 + 2 + 1);
});

test.skipIf(missing)('what has no partner is counted with its line', async () => {
  const { problems } = await read(
    archive([
      ...during(0, 'work', 0, 50),
      [0, 10, 'send', 1, 7, 8],
      [1, 20, 'recv', 0, 8, 8],
      [1, 30, 'enter', 'left open'],
      [1, 35, 'end', 'BARRIER', null, 0],
      [1, 40, 'flush', 45],
    ]),
  );
  expect(problems.map(({ kind, count, lines }) => [kind, count, lines.length])).toEqual([
    ['collective without its beginning or communicator', 1, 1],
    ['unused event BUFFER_FLUSH', 1, 1],
    ['received message without a send', 1, 1],
    ['sent message without a receive', 1, 1],
    ['region without a LEAVE', 1, 0],
  ]);
});

test.skipIf(missing)(
  'of an archive that is cut off the missing events are counted, and another file is not its format',
  async () => {
    const anchor = archive(
      Array.from({ length: 5000 }, (_, index) => during(0, 'work', index * 10, index * 10 + 5)).flat(),
    );
    truncateSync(anchor.replace('.otf2', '/0.evt'), 20_000);
    const { activities, problems } = await read(anchor);
    const [missingEvents] = problems.filter(
      ({ kind }) => kind === 'event that the archive announces but does not contain',
    );
    expect(missingEvents?.count).toBe(10_000 - 2 * activities.work.startNs.length);
    writeFileSync(join(folder, 'text.jsonl'), '{}');
    expect(await readOtf2(join(folder, 'text.jsonl'))).toBe(null);
    await expect(readOtf2(join(folder, 'nowhere.otf2'))).rejects.toThrow('cannot be read as OTF2');
  },
);
