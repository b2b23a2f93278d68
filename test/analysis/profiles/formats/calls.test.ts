import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, recorded } from './read.ts';

const frames = [{ name: 'main' }, { name: 'f' }, { name: 'g' }];
const SCHEMA = 'https://www.speedscope.app/file-format-schema.json';
const speedscope = (...profiles: object[]): string => JSON.stringify({ $schema: SCHEMA, shared: { frames }, profiles });
const sampled = {
  ...{ type: 'sampled', name: 'a', unit: 'milliseconds', startValue: 0, endValue: 6 },
  samples: [
    [0, 1],
    [0, 1, 1],
    [0, 1],
  ],
  weights: [1, 2, 3],
};
const event = (type: string, at: number, frame: number): object => ({ type, at, frame });
const evented = {
  ...{ type: 'evented', name: 'b', unit: 'seconds', startValue: 0, endValue: 10 },
  events: [event('O', 0, 0), event('O', 1, 1), event('O', 2, 2), event('C', 4, 2), event('C', 5, 1), event('C', 10, 0)],
};

test('sampled profiles of speedscope add up their weights', () => {
  const found = recorded(speedscope(sampled));
  expect(found?.unit).toBe('seconds');
  expect(found && folded(found)).toBe('main;f 0.004\nmain;f;f 0.002\n');
});

test('weights of speedscope without a unit are samples where they are whole', () => {
  expect(recorded(speedscope({ ...sampled, unit: 'none' }))?.unit).toBe('samples');
  expect(recorded(speedscope({ ...sampled, unit: 'none', weights: [1, 0.5, 2] }))?.unit).toBe('count');
});

test('evented profiles of speedscope leave each frame what its callees do not take; threads are added up', () => {
  const found = recorded(speedscope(evented));
  expect(found && folded(found)).toBe('main 6\nmain;f 2\nmain;f;g 2\n');
  const both = recorded(speedscope(evented, sampled));
  expect(both && folded(both)).toContain('main;f 2.004\n');
});

test.each([
  ['a frame that is not there', { ...sampled, samples: [[0, 7]], weights: [1] }, /refers to frame 7 of 3/],
  ['fewer weights than samples', { ...sampled, weights: [1] }, /3 samples and 1 weights/],
  ['a negative weight', { ...sampled, weights: [1, -1, 1] }, /weights\.1/],
  [
    'frames that are open at the end',
    { ...evented, events: evented.events.slice(0, 4) },
    /2 frames are open at the end/,
  ],
  [
    'a frame that is closed too early',
    { ...evented, events: [event('O', 0, 0), event('O', 1, 1), event('C', 2, 0)] },
    /event 3 closes 'main'/,
  ],
  ['events that go back in time', { ...evented, events: [event('O', 5, 0), event('C', 2, 0)] }, /event 2 is earlier/],
])('speedscope: %s is refused', (_, profile, message) => {
  expect(() => recorded(speedscope(profile))).toThrow(message);
});

test('profiles of speedscope in several units are not added up', () => {
  const bytes = { ...sampled, unit: 'bytes' };
  expect(() => recorded(speedscope(sampled, bytes))).toThrow(
    'it has profiles in seconds and bytes: choose one with --value.',
  );
  const found = recorded(speedscope(sampled, bytes), { value: 'bytes' });
  expect(found && folded(found)).toBe('main;f 4\nmain;f;f 2\n');
});

const call = (ph: string, name: string, ts: number, dur?: number, tid = 1): object => ({
  ph,
  name,
  ts,
  dur,
  pid: 1,
  tid,
});

test('calls of a Chrome trace nest by their times, each thread for itself', () => {
  const events = [
    call('X', 'f', 1e6, 2e6),
    call('X', 'main', 0, 10e6),
    call('B', 'g', 4e6),
    call('X', 'f', 5e6, 1e6),
    call('E', '', 8e6),
    call('X', 'other', 0, 3e6, 2),
    call('i', 'mark', 1e6),
  ];
  const expected = 'main 4\nmain;f 2\nmain;g 3\nmain;g;f 1\nother 3\n';
  for (const text of [JSON.stringify(events), JSON.stringify({ traceEvents: events })]) {
    const found = recorded(text);
    expect(found && folded(found)).toBe(expected);
    expect(found?.problems).toEqual([]);
  }
});

test('what does not pair or nest in a Chrome trace is counted', () => {
  const events = [
    call('E', '', 0),
    call('X', 'a', 0, 5e6),
    call('X', 'b', 3e6, 4e6),
    call('B', 'c', 8e6),
    call('X', 'd', 9e6, 1e6),
  ];
  const found = recorded(JSON.stringify(events));
  expect(found && folded(found)).toBe('a 3\na;b 2\nc 1\nc;d 1\n');
  expect(found?.problems.map(({ kind }) => kind)).toEqual([
    'call without a beginning',
    'call without an end',
    'call that ends later than its caller',
  ]);
});

test('own times of calls add up to the time that any call covers', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 20 })), { minLength: 1 }), (spans) => {
      const found = recorded(
        JSON.stringify(spans.map(([from, length], index) => call('X', `f${index}`, from, length))),
      );
      // A call that ends later than its caller is cut there: what lies beyond is covered only where no later call begins in it.
      const sum = [...(found?.stacks ?? [])].reduce((total, { value }) => total + value, 0) * 1e6;
      const sorted = [...spans].sort((a, b) => a[0] - b[0] || b[1] - a[1]);
      let [covered, until] = [0, -1];
      for (const [from, length] of sorted) {
        if (from < until) continue;
        covered += length;
        until = from + length;
      }
      expect(sum).toBeCloseTo(covered, 6);
    }),
  );
});
