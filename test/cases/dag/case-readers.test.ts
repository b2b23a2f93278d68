import { describe, expect, it } from 'vitest';
import { dagCaseResult } from './print-dag-case.ts';
import { readDagCase } from './read-dag-case.ts';

const judged = (input: unknown) => dagCaseResult(readDagCase(input));

/** A text, for an object literal cannot have a key `__proto__`. */
const chain = (first: string, second: string, measured: string): unknown =>
  JSON.parse(`{"vertices": [{"id": ${JSON.stringify(first)}}, {"id": ${JSON.stringify(second)}}],
    "edges": [{"id": "e", "from": ${JSON.stringify(first)}, "to": ${JSON.stringify(second)}}], ${measured}}`);

describe('ids are anybody’s words', () => {
  it('a task with the name of a property of all objects is judged by its fractions', () => {
    const found = judged(
      chain(
        'a',
        '__proto__',
        '"periods": [{"startNs": 0, "endNs": 1, "processing": {"a": [1], "__proto__": [0.95, 0.97]}}]',
      ),
    );
    expect(found.periods[0]?.pt).toEqual(JSON.parse('{"a": 1, "__proto__": 0.96}'));
    expect(found.periods[0]?.cpu).toEqual(['__proto__']);
  });

  it('and by its tracks', () => {
    const found = judged(
      chain(
        'a',
        '__proto__',
        `"periods": [{"startNs": 0, "endNs": 10}], "tracks": {"waiting":
          {"a": [], "__proto__": [{"start": 0, "end": 10, "on": [[0, 4]]}]}}`,
      ),
    );
    expect(found.periods[0]?.pt).toEqual(JSON.parse('{"a": null, "__proto__": 0.6}'));
  });

  it('ids are sorted by code points', () => {
    const busy = { vertices: [{ id: '\u{1f600}' }, { id: '\uff5e' }, { id: 'a' }], edges: [] };
    const processing = { '\u{1f600}': [1], '\uff5e': [1], a: [1] };
    const found = judged({ ...busy, periods: [{ startNs: 0, endNs: 1, processing }] });
    expect(found.periods[0]?.cpu).toEqual(['a', '\uff5e', '\u{1f600}']);
    expect(found.timeline.map(({ id }) => id)).toEqual(['a', '\uff5e', '\u{1f600}']);
  });
});

it('however small, what is above its threshold is a bottleneck', () => {
  const period = { startNs: 0, endNs: 1, processing: { a: [1e-13] }, saturated: { e: [0, 1e-300] } };
  const read = chain('a', 'b', `"alpha": 0, "periods": [${JSON.stringify(period)}]`);
  expect(judged(read).periods[0]?.cpu).toEqual(['a']);
  const edge = chain('a', 'b', `"beta": 0, "periods": [${JSON.stringify(period)}]`);
  expect(judged(edge).periods[0]?.io).toEqual(['e']);
});

describe('answers of Flink', () => {
  const flink = (subtasks: readonly object[]) =>
    judged({
      flink: {
        job: {
          vertices: [
            { id: 'a', name: 'a', parallelism: 2 },
            { id: 'b', name: 'b', parallelism: 1 },
          ],
        },
        plan: { plan: { nodes: [{ id: 'b', inputs: [{ id: 'a' }] }] } },
        snapshots: [{ startNs: 0, endNs: 1, backpressure: { a: { status: 'ok', subtasks } } }],
      },
    }).periods[0];

  it('only the busy ratio is limited to the whole', () => {
    const found = flink([{ subtask: 0, ratio: 1.02, idleRatio: 0.34, busyRatio: 1.02 }]);
    expect(found?.pt.a).toBe(1);
    expect(found?.st['a>b']).toBeCloseTo(0.75, 12);
  });

  it('waiting of 5 % counts, also where its sum loses its last digit', () => {
    const found = flink([
      { subtask: 0, ratio: 0.005, idleRatio: 0.045, busyRatio: 0.95 },
      { subtask: 1, ratio: 0.005, idleRatio: 0.044, busyRatio: 0.95 },
    ]);
    expect(found?.st['a>b']).toBeCloseTo((0.1 + 0) / 2, 12);
  });
});

describe('tracks that are none', () => {
  const alive = { start: 0, end: 10, on: [] };
  const tracked = (tracks: object) =>
    chain('a', 'b', `"periods": [{"startNs": 0, "endNs": 10}], "tracks": ${JSON.stringify(tracks)}`);

  it('are refused also where the measure does not use them', () => {
    const unsorted = {
      ...alive,
      on: [
        [5, 6],
        [1, 2],
      ],
    };
    expect(() =>
      judged(tracked({ waiting: { a: [alive] }, full: { e: [alive] }, blocked: { e: [unsorted] } })),
    ).toThrow(/tracks\.blocked\.e\[0\]: the interval from 1 to 2/);
  });

  it('are refused for a life that ends before it begins', () => {
    expect(() => judged(tracked({ waiting: { a: [alive, { start: 9, end: 3, on: [] }] } }))).toThrow(
      /tracks\.waiting\.a\[1\] ends at 3 ns, before its start at 9 ns/,
    );
  });
});

it('a period with exactly half of its samples is kept, also where their number is no sum of binary fractions', () => {
  const sample = (tNs: number) => ({ tNs, procs: { 1: { syscall: ['running'] } }, pipes: {} });
  const recording = {
    ...{ hz: 100, procs: [{ pid: 1, cmd: 'a' }], pipes: [] },
    samples: Array.from({ length: 7 + 6 }, (_, index) => sample(index < 7 ? index : 140_000_000 + index)),
  };
  const { periods } = judged({ periodS: 0.14, recording });
  expect(periods.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([[0, 140_000_000]]);
});

it('all of a long chain behind a full edge is pointless to scale', () => {
  const count = 5000;
  const ids = Array.from({ length: count }, (_, index) => `v${index}`);
  const edges = ids.slice(1).map((to, index) => ({ id: `e${index}`, from: ids[index], to }));
  const found = judged({
    vertices: ids.map((id) => ({ id })),
    edges,
    periods: [{ startNs: 0, endNs: 1, saturated: { e7: [1] } }],
  });
  expect(found.advice).toMatchObject({ action: 'stop', edge: 'e7' });
  expect(found.advice.action === 'stop' && found.advice.pointless).toHaveLength(count - 8);
});
