import { expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { cellModel } from '../../../../analysis/sources/runs/cell-model.ts';
import { consumed, cpu, MS, makeRecord, makeTrace } from './make-run.ts';
import { lives } from './model-rows.ts';

const platform = await loadPlatform('graph500');
const options = { platform, lineRateBps: 200e6, cores: 2 };

/** Both ranks construct for 100 ms; by its own clock host b does so `laterMs` later. */
const trace = (laterMs: number) =>
  makeTrace(
    [
      [0, 'construct', 0, 100],
      [1, 'construct', laterMs, 100 + laterMs],
    ],
    [
      cpu('a', [
        [0, 0],
        [50, 25],
        [100, 25],
      ]),
      cpu('b', [
        [laterMs, 0],
        [50 + laterMs, 25],
        [100 + laterMs, 25],
      ]),
    ],
  );

const clocks = (b: readonly [offsetMs: number, errorMs: number], a: readonly [number, number] = [0, 1]) => [
  { host: 'a', offsetNs: a[0] * MS, errorNs: a[1] * MS },
  { host: 'b', offsetNs: b[0] * MS, errorNs: b[1] * MS },
];

test("phases and readings of a host whose clock is ahead are moved onto the first host's clock", () => {
  const { model, warnings } = cellModel(makeRecord({ clocks: clocks([30, 2]) }), trace(30), options);
  expect(lives(model)).toEqual({
    '/': [0, 100],
    '/Construct[rank=0]': [0, 100],
    '/Construct[rank=1]': [0, 100],
  });
  for (const host of ['a', 'b']) {
    expect(consumed(model, `/host[host=${host}]/cpu`).periods).toEqual([
      [0, 50, 0.5],
      [50, 100, 0],
    ]);
  }
  expect(warnings).toEqual([
    'The clocks of b differ from that of a by more than a slice: their times were corrected by the measured offsets.',
  ]);
});

test('a clock that is behind is corrected in the same way', () => {
  const { model } = cellModel(makeRecord({ clocks: clocks([-30, 2]) }), trace(-30), options);
  expect(lives(model)).toMatchObject({ '/': [0, 100], '/Construct[rank=1]': [0, 100] });
});

test('an offset as large as the bounds of both measurements together is left alone, a larger one is corrected', () => {
  const atBound = cellModel(makeRecord({ clocks: clocks([3, 2]) }), trace(3), options);
  expect(lives(atBound.model)).toMatchObject({ '/': [0, 103], '/Construct[rank=1]': [3, 103] });
  expect(atBound.warnings.join()).not.toContain('clock');
  const beyond = cellModel(makeRecord({ clocks: clocks([3.1, 2]) }), trace(3), options);
  // 3 ms - 3.1 ms is 0.1 ms before rank 0: the job starts there, and both round to the same slice.
  expect(lives(beyond.model)).toMatchObject({ '/': [0, 100], '/Construct[rank=1]': [0, 100] });
});

test('only the difference from the first host counts, whatever both are apart from the controller', () => {
  const both = makeRecord({ clocks: clocks([500, 1], [500, 1]) });
  expect(cellModel(both, trace(0), options)).toEqual(cellModel(makeRecord(), trace(0), options));
});

test('a correction of less than a slice is made and not worth a warning', () => {
  // 0.6 ms late rounds to the next slice; corrected, it does not.
  const { model, warnings } = cellModel(makeRecord({ clocks: clocks([0.6, 0.1], [0, 0.1]) }), trace(0.6), options);
  expect(lives(model)).toMatchObject({ '/Construct[rank=1]': [0, 100] });
  expect(warnings).toEqual([]);
  const plain = cellModel(makeRecord(), trace(0.6), options);
  expect(lives(plain.model)).toMatchObject({ '/Construct[rank=1]': [1, 101] });
});

test('a host whose clock was not compared is left alone', () => {
  const record = makeRecord({ clocks: clocks([30, 1]).slice(0, 1) });
  expect(lives(cellModel(record, trace(30), options).model)).toMatchObject({ '/Construct[rank=1]': [30, 130] });
});
