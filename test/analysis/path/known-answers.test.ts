import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Activities } from '../../../analysis/path/activities.ts';
import { activityGraph } from '../../../analysis/path/graph/activity-graph.ts';
import { explainNear, lengthIf } from '../../../analysis/path/graph/explain-graph.ts';
import { explainProperties, explainSlice, explainWaits } from '../../../analysis/path/graph/explain-slices.ts';
import { wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { at } from '../../../base/lists.ts';
import { graphCaseResult } from '../../cases/path/graph-case-result.ts';
import { readGraphCase } from '../../cases/path/read-graph-case.ts';

const FOLDER = new URL('../../fixtures/critical-path/graphs/', import.meta.url);

function graph(name: string): Activities {
  const graphCase = readGraphCase(JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')));
  if (graphCase === null) throw new Error('not read');
  const names = graphCase.labels.map(({ type, name: own }) => own ?? type);
  return { ...graphCase.activities, names };
}

const fig31 = graph('fig31');
const three = graph('three');
const WHOLE = { startNs: 0, endNs: 150 };

test('worked by hand: the profile of figure 3.1 by kind, name, worker and pair', () => {
  const { profileNs, byOperator, byWorker, byPair, imbalanceNs, hops } = explainSlice(fig31, WHOLE);
  expect(hops).toBe(2);
  expect(profileNs).toEqual({ op: 115, transfer: 35 });
  expect(byOperator).toEqual({ OP1: 50, OP2: 25, OP3: 40, c2: 25, c3: 10 });
  expect(byWorker).toEqual({ 0: 105, 1: 10, wire: 35 });
  expect(byPair).toEqual({ '0 -> 1': 25, '1 -> 0': 10 });
  // Mean per worker: OP1 (50 + 30) / 2, OP2 (25 + 30) / 2, OP3 (30 + 35) / 2.
  expect(imbalanceNs).toEqual({ OP1: 10, OP2: -2.5, OP3: 7.5 });
});

test('worked by hand: slack and participation in figure 3.1', () => {
  const { criticalPaths, nearCritical } = explainNear(fig31, activityGraph(fig31, WHOLE), 1);
  expect(criticalPaths).toBe(2);
  const of = Object.fromEntries(nearCritical.map((one) => [`${one.worker} ${one.key} ${one.startNs}`, one]));
  const slackOf = (key: string) => of[key]?.slackNs;
  // Worker 0's first activity and worker 1's first with c1 both reach (0, 50): each is on one of the two paths.
  expect([slackOf('0 OP1 0'), of['0 OP1 0']?.participation]).toEqual([0, 0.5]);
  expect([slackOf('1 OP1 0'), of['1 OP1 0']?.participation]).toEqual([0, 0.5]);
  // (1, 60) is followed by a wait that ends at 100: 40 later would do. (1, 135) is followed by nothing.
  expect([slackOf('1 OP2 30'), of['1 OP2 30']?.participation]).toEqual([40, 0]);
  expect([slackOf('1 OP3 100'), of['1 OP3 100']?.participation]).toEqual([15, 1]);
  expect(of['0 OP3 120']?.participation).toBeCloseTo(1, 12);
});

test('worked by hand: what if a message of figure 3.1 took no time, or twice as long', () => {
  const graph = activityGraph(fig31, WHOLE);
  // Without c2 worker 1 goes on at 75, c3 arrives at 95, and OP3 ends at 125.
  expect(lengthIf(fig31, graph, [{ key: 'c2', factor: 0 }])).toEqual({ lengthNs: 125, unknownKeys: [] });
  expect(lengthIf(fig31, graph, [{ key: 'c2', factor: 2 }]).lengthNs).toBe(175);
  expect(lengthIf(fig31, graph, [{ key: 'transfer', factor: 0 }]).lengthNs).toBe(115);
  // c1 arrives while worker 0 is busy up to 50: 5 later delays all.
  expect(lengthIf(fig31, graph, [{ key: 'c1', factor: 1.25 }]).lengthNs).toBe(155);
  expect(lengthIf(fig31, graph, [{ key: 'nobody', factor: 2 }]).unknownKeys).toEqual(['nobody']);
});

test('the longest waits come first, with what each was for', () => {
  const waits = explainWaits(three, { slices: [wholeSlice(three)], hops: 1, most: 2 });
  expect(waits.map(({ worker, startNs, endNs }) => [worker, startNs, endNs])).toEqual([
    ['0', 22, 55],
    ['2', 38, 55],
  ]);
  expect(waits[0]?.before.map(({ key, worker, to }) => [key, worker, to])).toEqual([
    ['B', '1', null],
    ['m5', '1', '0'],
  ]);
});

test('each broken property is named with its worker and time, and the path says where it ends', () => {
  const broken = graph('broken');
  expect(explainProperties(broken, [{ startNs: 0, endNs: 100 }])).toEqual({
    '3.9': { violations: 1, at: [['2', 20]] },
    '3.10': { violations: 1, at: [[50, 60]] },
    '3.11': { violations: 1, at: [['1', 60]] },
  });
  const { lengthNs, broken: where } = explainSlice(broken, { startNs: 0, endNs: 100 });
  expect([lengthNs, where]).toEqual([40, { property: '3.11', worker: 1, atNs: 60 }]);
});

test('a message that the end of the slice cuts is a step of the path, but no hop', () => {
  // At 85 both workers wait, and c2 is on its way from 75 to 100.
  const until = explainSlice(fig31, { startNs: 0, endNs: 85 });
  expect(until.path.at(-1)).toMatchObject({ key: 'c2', startNs: 75, endNs: 85 });
  expect([until.hops, until.lengthNs]).toEqual([0, 85]);
  expect(explainSlice(fig31, { startNs: 0, endNs: 100 }).hops).toBe(1);
  // The part of c2 behind 85, and c3.
  expect(explainSlice(fig31, { startNs: 85, endNs: 150 }).hops).toBe(2);
});

test('a wait that ends with the trace and by nothing is reported, not one that a slice cuts', () => {
  const read = readGraphCase({
    workers: [
      {
        id: 0,
        activities: [
          { start: 0, end: 10, type: 'op' },
          { start: 10, end: 20, type: 'wait' },
        ],
      },
      { id: 1, activities: [{ start: 0, end: 20, type: 'op' }] },
    ],
    comm: [],
    slices: [
      [0, 20],
      [0, 15],
      [5, 20],
    ],
  });
  const at20 = { violations: 1, at: [[0, 20]] };
  const found = read && graphCaseResult(read).slices.map(({ properties }) => properties['3.11']);
  expect(found).toEqual([at20, { violations: 0, at: [] }, at20]);
});

test('what is expected of a slice that begins where nobody lives counts from its first vertex', () => {
  const read = readGraphCase({
    workers: [
      { id: 0, activities: [{ start: 0, end: 60, type: 'op' }] },
      { id: 1, activities: [{ start: 72, end: 127, type: 'op' }] },
    ],
    comm: [],
    slices: [
      [68, 127],
      [50, 127],
    ],
  });
  const found = read && graphCaseResult(read).slices.map(({ expected, longest_by_dp }) => [expected, longest_by_dp]);
  expect(found).toEqual([
    [55, 55],
    [77, 55],
  ]);
});

test('counts of paths beyond all numbers still give shares', () => {
  const rounds = 1100;
  const length = rounds * 2;
  const workers = ['0', '1'];
  const times = {
    first: Uint32Array.from([0, rounds, 2 * rounds]),
    startNs: new Float64Array(2 * rounds),
    endNs: new Float64Array(2 * rounds),
  };
  for (const worker of [0, 1]) {
    for (let round = 0; round < rounds; round += 1) {
      times.startNs[worker * rounds + round] = round * 2;
      times.endNs[worker * rounds + round] = round * 2 + 2;
    }
  }
  // In each round each worker sends to the other one, and is busy: two ways to go on, every time.
  const sent = Float64Array.from([...Array(2 * rounds).keys()].map((row) => (row % rounds) * 2));
  const activities: Activities = {
    workers,
    names: ['a', 'm'],
    work: { ...times, kind: new Uint8Array(2 * rounds), name: new Int32Array(2 * rounds) },
    transfers: {
      first: times.first,
      from: Int32Array.from([...Array(2 * rounds).keys()].map((row) => (row < rounds ? 1 : 0))),
      startNs: sent,
      endNs: sent.map((ns) => ns + 1),
      name: new Int32Array(2 * rounds).fill(1),
      bytes: new Float64Array(2 * rounds),
    },
    bornNs: Float64Array.from([0, 0]),
    goneNs: Float64Array.from([length, length]),
  };
  const { criticalPaths, nearCritical } = explainNear(
    activities,
    activityGraph(activities, { startNs: 0, endNs: length }),
    0,
  );
  expect(criticalPaths).toBe(null);
  expect(nearCritical.length).toBe(2 * rounds);
  for (const { participation } of nearCritical) expect(participation).toBeCloseTo(0.5, 9);
  expect(at(nearCritical, 0).slackNs).toBe(0);
});
