import { expect, test } from 'vitest';
import { createTable, toCsv } from '../../../analysis/export/create-table.ts';
import { pathTrace } from '../../../analysis/export/path-trace.ts';

interface Event {
  readonly ph: string;
  readonly tid: number;
  readonly pid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly id?: number;
  readonly name: string;
}

const WORK = { kind: 'op', name: 'work' };

test('an arrow goes from within the sender’s event to within the receiver’s, for each transfer on the path', () => {
  const text = pathTrace({
    workers: ['a', 'b'],
    originNs: 1000,
    events: [
      { ...WORK, worker: 0, startNs: 1000, endNs: 3000 },
      { ...WORK, worker: 1, startNs: 4000, endNs: 9000 },
    ],
    path: [
      { ...WORK, worker: 0, to: null, startNs: 1000, endNs: 3000 },
      { kind: 'transfer', name: 'message', worker: 0, to: 1, startNs: 3000, endNs: 4000 },
      { ...WORK, worker: 1, to: null, startNs: 4000, endNs: 8000 },
      { kind: 'unknown', name: 'unknown', worker: 1, to: null, startNs: 8000, endNs: 9500 },
    ],
  });
  const events: Event[] = JSON.parse(text).traceEvents;
  const lanes = events.filter(({ ph, pid }) => ph === 'X' && pid === 1);
  const [from, to] = ['s', 'f'].map((end) => events.filter(({ ph }) => ph === end));
  expect([from?.length, to?.length, from?.[0]?.id]).toEqual([1, 1, to?.[0]?.id]);
  for (const end of [...(from ?? []), ...(to ?? [])]) {
    const around = lanes.filter(({ tid, ts, dur = 0 }) => tid === end.tid && ts <= end.ts && end.ts < ts + dur);
    expect(around.map(({ name }) => name)).toEqual(['work']);
  }
  expect(lanes.map(({ name, ts }) => [name, ts])).toContainEqual(['unknown', 7]);
  expect(events.filter(({ ph, pid }) => ph === 'X' && pid === 2).map(({ ts, dur }) => [ts, dur])).toEqual([
    [0, 2],
    [2, 1],
    [3, 4],
    [7, 1.5],
  ]);
});

test('a cell of CSV with commas, quotes or ends of lines is quoted', () => {
  const table = createTable('t', { name: 'text', 'n,s': 'real' }, [
    { name: 'a"b', 'n,s': 1.5 },
    { name: 'c\nd', 'n,s': Number.NaN },
  ]);
  expect(toCsv(table)).toBe('name,"n,s"\n"a""b",1.5\n"c\nd",\n');
});
