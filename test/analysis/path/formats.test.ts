import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ACTIVITY_KINDS, type Activities } from '../../../analysis/path/activities.ts';
import { readActivities } from '../../../analysis/path/formats/read-activities.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { at } from '../../../base/lists.ts';
import { writeParquet } from '../../../experiments/store/write-table.ts';
import { graphCaseResult } from '../../cases/path/graph-case-result.ts';
import { readGraphCase } from '../../cases/path/read-graph-case.ts';
import { columnsOf, validGraph } from './random-graph.ts';

const folder = mkdtempSync(join(tmpdir(), 'activities-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'trace.jsonl');

/** Columns as lines of the intermediate trace. */
function linesOf({ workers, names, work, transfers }: Activities, originNs = 0n): string[] {
  const time = (ns: number): string => String(originNs + BigInt(ns));
  const lines: string[] = [];
  for (const [worker, name] of workers.entries()) {
    for (let row = at(work.first, worker); row < at(work.first, worker + 1); row += 1) {
      const type = at(ACTIVITY_KINDS, at(work.kind, row));
      const times = `"start":${time(at(work.startNs, row))},"end":${time(at(work.endNs, row))}`;
      lines.push(`{"worker":${name},${times},"type":"${type}","name":"${at(names, at(work.name, row))}"}`);
    }
    for (let row = at(transfers.first, worker); row < at(transfers.first, worker + 1); row += 1) {
      const ends = `"from":${at(transfers.from, row)},"to":"${name}"`;
      const times = `"start":${time(at(transfers.startNs, row))},"end":${time(at(transfers.endNs, row))}`;
      lines.push(`{${ends},${times},"type":"comm","name":"message"}`);
    }
  }
  return lines;
}

async function read(path = FILE) {
  const found = await readActivities(path);
  if (found === null) throw new Error('not read');
  return found;
}

test('lines in any order give the same columns, also where their times are beyond 2^53 ns', async () => {
  await fc.assert(
    fc.asyncProperty(validGraph, fc.nat(), fc.boolean(), async (graph, seed, isLate) => {
      const activities = columnsOf(graph);
      const originNs = isLate ? 1_700_000_000_000_000_001n : 0n;
      const lines = linesOf(activities, originNs);
      const shuffled = lines
        .map((line, index) => [(index * 7919 + seed) % 101, line] as const)
        .sort(([a], [b]) => a - b);
      writeFileSync(FILE, shuffled.map(([, line]) => line).join('\r\n'));
      const found = await read();
      expect(found.problems).toEqual([]);
      const shiftNs = Number(found.originNs - originNs);
      expect(found.activities.workers).toEqual(activities.workers);
      expect([...found.activities.work.startNs].map((ns) => ns + shiftNs)).toEqual([...activities.work.startNs]);
      expect(found.activities.work.kind).toEqual(activities.work.kind);
      expect(found.activities.transfers.first).toEqual(activities.transfers.first);
      const { lengthNs } = criticalPath(found.activities, wholeSlice(found.activities));
      expect(lengthNs).toBe(wholeSlice(activities).endNs);
    }),
    { numRuns: 50 },
  );
});

const WHOLE = '{"worker":"a","start":0,"end":9,"type":"op"}';

test.each([
  ['{"worker":"a","start":9,"end":10,"type":"op"', 'line that is not a JSON object'],
  ['[1]', 'line that is not a JSON object'],
  ['{"start":1,"end":2}', 'neither activity nor transfer'],
  ['{"worker":"a","start":12,"end":11,"type":"op"}', 'activity that ends before it starts'],
  ['{"worker":"a","start":12,"end":12,"type":"op"}', 'activity of zero duration'],
  ['{"worker":"a","start":8,"end":12,"type":"op"}', 'activities of a worker that overlap'],
  ['{"worker":"a","start":12,"end":13,"type":"dance"}', 'unknown type of activity'],
  ['{"worker":"a","start":12,"type":"op"}', 'time that is not a whole number of ns'],
  ['{"worker":"a","start":12.5,"end":14,"type":"op"}', 'time that is not a whole number of ns'],
  ['{"worker":null,"start":12,"end":14,"type":"op"}', 'activity without its worker'],
  ['{"from":"a","start":12,"end":14,"type":"comm"}', 'transfer without its sender or receiver'],
  ['{"from":"a","to":"b","start":12,"end":11,"type":"comm"}', 'negative transfer'],
  ['{"from":"a","to":"a","start":12,"end":12,"type":"comm"}', 'transfer to itself of zero duration'],
  ['{"running":"a","from":1}', 'activity without worker or times'],
])('%s is counted with its line: %s', async (line, kind) => {
  writeFileSync(FILE, `${WHOLE}\n\n${line}\n`);
  expect((await read()).problems).toEqual([{ kind, count: 1, lines: [3] }]);
});

test('a worker runs as long as it is said to, and what is not stored is unknown', async () => {
  writeFileSync(
    FILE,
    `${WHOLE}\n{"running":"a","from":-5,"to":20}\n{"worker":10,"start":1,"end":2,"type":"io"}\n{"worker":9,"start":1,"end":2,"type":"io"}`,
  );
  const { activities } = await read();
  expect(activities.workers).toEqual(['9', '10', 'a']);
  expect([...activities.bornNs, ...activities.goneNs]).toEqual([1, 1, -5, 2, 2, 20]);
});

test('Parquet with the same columns is read alike, a missing column is named, and other files are not its format', async () => {
  const path = join(folder, 'trace.parquet');
  const origin = 1_700_000_000;
  await writeParquet(path, [
    { name: 'worker', type: 'text', values: ['0', '1', '', '1'] },
    { name: 'from', type: 'text', values: ['', '', '0', ''] },
    { name: 'to', type: 'text', values: ['', '', '1', ''] },
    { name: 'start', type: 'integer', values: [origin, origin + 5, origin + 4, origin] },
    { name: 'end', type: 'integer', values: [origin + 4, origin + 9, origin + 5, origin + 9] },
    { name: 'type', type: 'text', values: ['op', 'io', 'comm', 'running'] },
    { name: 'bytes', type: 'real', values: [Number.NaN, Number.NaN, 64, Number.NaN] },
  ]);
  const { activities, problems } = await read(path);
  expect(problems).toEqual([]);
  expect([...activities.transfers.bytes]).toEqual([64]);
  expect([...activities.bornNs]).toEqual([origin, origin]);
  await writeParquet(path, [{ name: 'scale', type: 'integer', values: [20] }]);
  await expect(readActivities(path)).rejects.toThrow('has no column worker, start, end and type');
  await writeParquet(path, [
    { name: 'worker', type: 'text', values: ['0', '0'] },
    { name: 'start', type: 'real', values: [0, 4.5] },
    { name: 'end', type: 'real', values: [4, 9] },
    { name: 'type', type: 'text', values: ['op', 'op'] },
  ]);
  expect((await read(path)).problems).toEqual([
    { kind: 'time that is not a whole number of ns', count: 1, lines: [2] },
  ]);
  writeFileSync(FILE, 'a,b\n1,2\n');
  expect(await readActivities(FILE)).toBe(null);
  await expect(readActivities(join(folder, 'nowhere'))).rejects.toThrow('nowhere cannot be opened');
});

test('a graph with a worker or an activity that cannot be is refused, another shape is not its format', () => {
  const graph = JSON.parse(
    readFileSync(new URL('../../fixtures/critical-path/graphs/fig31.json', import.meta.url), 'utf8'),
  );
  expect(readGraphCase({ side: 2, phases: {} })).toBe(null);
  expect(() => readGraphCase({ ...graph, comm: [{ src: 0, dst: 7, start: 1, end: 2 }] })).toThrow(
    'comm.0 names worker 7',
  );
  expect(() => readGraphCase({ ...graph, workers: [{ id: 0 }] })).toThrow(
    "The graph's workers.0.activities cannot be read",
  );
  expect(() =>
    readGraphCase({
      ...graph,
      slices: [
        [0, 5],
        [20, 10],
      ],
    }),
  ).toThrow('slices.1 ends before it starts');
  const late = [{ id: 0, activities: [{ start: 5, end: 1, type: 'op' }] }];
  expect(() => readGraphCase({ workers: late, comm: [] })).toThrow(
    "The graph has the fault 'activity that ends before it starts' (1 in all, the first at number 1)",
  );
});

test('what has no length changes nothing in a graph, and is counted', () => {
  const graph = JSON.parse(
    readFileSync(new URL('../../fixtures/critical-path/graphs/three.json', import.meta.url), 'utf8'),
  );
  const [first, ...others] = graph.workers;
  const longer = [...first.activities, { start: 10, end: 10, type: 'op', name: 'Z' }];
  const workers = [{ ...first, activities: longer }, ...others];
  const comm = [...graph.comm, { src: 0, dst: 0, start: 20, end: 20, type: 'comm', name: 'own' }];
  const [plain, more] = [readGraphCase(graph), readGraphCase({ ...graph, workers, comm })];
  if (plain === null || more === null) throw new Error('no graph');
  expect(graphCaseResult(more)).toEqual(graphCaseResult(plain));
  expect(more.problems.map(({ kind, count }) => [kind, count])).toEqual([
    ['activity of zero duration', 1],
    ['transfer to itself of zero duration', 1],
  ]);
});
