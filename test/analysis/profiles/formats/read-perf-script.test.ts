import { expect, test } from 'vitest';
import { fixtureBytes, folded, recorded } from './read.ts';

const burn = fixtureBytes('burn.perf-script.txt').toString();

test.each([
  ['burn.perf-script.txt', 'burn.folded', undefined],
  ['perf-default.txt', 'perf-default.folded', undefined],
  ['perf-flat.txt', 'perf-flat.folded', undefined],
  ['perf-two-events.txt', 'perf-two-events.folded', 'sched:sched_switch'],
])('%s of perf is the stacks of %s', (name, expected, value) => {
  const found = recorded(fixtureBytes(name), value === undefined ? {} : { value });
  expect(found?.unit).toBe('samples');
  expect(found && folded(found)).toBe(fixtureBytes(expected).toString());
});

test('lines may end in CRLF', () => {
  const found = recorded(burn.replaceAll('\n', '\r\n'));
  expect(found && folded(found)).toBe(fixtureBytes('burn.folded').toString());
});

test('samples without time and event are read too', () => {
  const bare = burn.replace(/^(burn \d+\/\d+).*$/gm, '$1 ');
  const found = recorded(bare);
  expect(found && folded(found)).toBe(fixtureBytes('burn.folded').toString());
  expect(found?.durationNs).toBe(null);
});

test('samples of two events are not added up: one must be chosen', () => {
  expect(() => recorded(fixtureBytes('perf-two-events.txt'))).toThrow(
    /has samples of .*cpu-clock.*choose one with --value/,
  );
});

test('commands with spaces, C++ names with parentheses, frames without a name, and lost samples', () => {
  const text = [
    'Web Content 12/13 [001] 5.000000001:    250 cycles:ppp: ',
    '\t  7f01 ns::f<int, char>(int, (anonymous namespace)::T) const+0x1f (/usr/lib/my lib.so (deleted))',
    '\t  7f02 [unknown] ([unknown])',
    '\t  7f03 g (inlined)',
    '',
    'Web Content 12/13 [001] 6.5:    250 cycles:ppp: ',
    '',
    'Web Content 12/13 [001] 6.6: PERF_RECORD_LOST lost 17',
    '',
  ].join('\n');
  const found = recorded(text);
  expect(found && folded(found)).toBe(
    'Web Content 1\nWeb Content;g;[unknown];ns::f<int, char>(int, (anonymous namespace)::T) const 1\n',
  );
  expect(found).toMatchObject({
    ...{ lost: 17, unknown: 1, durationNs: 1_499_999_999, truncated: 0 },
    problems: [{ kind: 'sample without a stack', count: 1, lines: [6] }],
  });
});

test('a stack as deep as the kernel takes them is counted as cut off', () => {
  const frames = Array.from({ length: 127 }, (_, level) => `\t ${level.toString(16)} f${level}`).join('\n');
  expect(recorded(`a 1/1 1.0: cpu-clock: \n${frames}\n\n`)?.truncated).toBe(1);
});

test.each([
  ['cut off in a stack', burn.slice(0, 5000), /^it, line \d+: the file is truncated in this line/],
  ['cut off after a whole frame', burn.slice(0, burn.indexOf('\n', 5000) + 1), /truncated within a stack/],
  [
    'cut off in a line without stacks',
    `${fixtureBytes('perf-flat.txt')}`.slice(0, 700),
    /line 8: the file is truncated/,
  ],
  [
    'a line of something else',
    burn.replace('\t            126c main\n', '\tnothing\n'),
    /^it, line 3: 'nothing' is neither/,
  ],
  ['a sample within another', burn.replace('main\n\n', 'main\n'), /^it, line \d+: a sample begins before/],
])('%s is refused with its line', (_, text, message) => {
  expect(() => recorded(text)).toThrow(message);
});

test('bytes that are no UTF-8 are refused with their line', () => {
  const bytes = fixtureBytes('burn.perf-script.txt');
  bytes[bytes.indexOf('leaf', 3000)] = 0xff;
  expect(() => recorded(bytes)).toThrow(/^it, line 118: that is not UTF-8/);
});

test('collapsed text is none of it', () => {
  expect(recorded('main;f 12\nmain;g 3\n')).toBe(null);
  expect(recorded('main 12\n')).toBe(null);
});
