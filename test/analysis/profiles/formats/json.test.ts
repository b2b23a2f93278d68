import { expect, test } from 'vitest';
import { fixtureBytes, folded, recorded } from './read.ts';

test.each([
  ['node.cpuprofile', 'node.folded'],
  ['fib.cpuprofile', 'fib.folded'],
  ['java.jfr.json.gz', 'java.folded'],
  ['java-printed.jfr.json.gz', 'java-printed.folded'],
])('%s is the stacks of %s', (name, expected) => {
  const found = recorded(fixtureBytes(name));
  expect(found && folded(found)).toBe(fixtureBytes(expected).toString());
});

test('the seconds of a profile of V8 add up to the time from its first sample to its end', () => {
  const profile = JSON.parse(fixtureBytes('fib.cpuprofile').toString());
  const found = recorded(JSON.stringify(profile), { value: 'seconds' });
  const sum = [...(found?.stacks ?? [])].reduce((total, { value }) => total + value, 0);
  const whole = (profile.endTime - profile.startTime - profile.timeDeltas[0]) / 1e6;
  expect(sum).toBeGreaterThan(0.98 * whole);
  expect(sum).toBeLessThanOrEqual(whole * 1.000001);
});

test('a byte order mark before JSON is passed over', () => {
  const found = recorded(`\uFEFF${fixtureBytes('node.cpuprofile')}`);
  expect(found && folded(found)).toBe(fixtureBytes('node.folded').toString());
});

test('a profile of V8 without a list of samples counts hits', () => {
  const { samples: _, ...profile } = JSON.parse(fixtureBytes('node.cpuprofile').toString());
  const found = recorded(JSON.stringify(profile));
  expect([...(found?.stacks ?? [])].reduce((total, { value }) => total + value, 0)).toBe(249);
});

test('the time of a Java recording is that of its first and last sample', () => {
  const found = recorded(fixtureBytes('java.jfr.json.gz'));
  expect(found?.startedAtNs).toBe(BigInt(Date.parse('2026-11-21T13:18:19Z')) * 1_000_000n + 851_874_310n);
  expect(found?.durationNs).toBeGreaterThan(1e8);
});

test('stacks that jfr print cut to five frames are said', () => {
  const recording = JSON.parse(fixtureBytes('java.jfr.json.gz').toString());
  for (const { values } of recording.recording.events) values.stackTrace.frames.splice(5);
  expect(recorded(JSON.stringify(recording))?.problems).toEqual([
    { kind: 'stack of five frames, as jfr print cuts them without --stack-depth', count: 16, lines: [] },
  ]);
});

const node = fixtureBytes('node.cpuprofile').toString();
const java = fixtureBytes('java-printed.jfr.json.gz').toString();
const circle = JSON.parse(node);
circle.nodes.find(({ id }: { id: number }) => id === 7).children = [3];
const stranger = JSON.parse(node);
stranger.samples.push(999);

test.each([
  ['a profile of V8 that is cut off', node.slice(0, 9000), /^it, line 1: the file is truncated there/],
  ['a Java recording that is cut off in an event', java.slice(0, 2_000_000), /^it, line \d{5}: the file is truncated/],
  ['one that is cut off after its events', java.trimEnd().slice(0, -1), /is not the end of the recording/],
  [
    'a Java recording with a damaged event',
    java.replace('"bytecodeIndex": ', '"bytecodeIndex": x'),
    /^it, line \d+: that is not JSON/,
  ],
  [
    'a node of V8 below two others',
    JSON.stringify(circle),
    /^it, line 1: node 3 has two parents\. Nothing was imported/,
  ],
  ['a sample of no node', JSON.stringify(stranger), /has no node 999/],
  [
    'a node without a name',
    node.replace('"functionName":"work"', '"functionName":5'),
    /not a CPU profile of V8 at nodes\.\d+/,
  ],
  ['JSON of something else', '{"a": 1}', /JSON, but not of a supported profiler/],
])('%s is refused', (_, text, message) => {
  expect(() => recorded(text)).toThrow(message);
});

test('nodes of V8 above themselves are refused', () => {
  const callFrame = { functionName: 'f' };
  const nodes = [
    { id: 1, callFrame, children: [2] },
    { id: 2, callFrame, children: [1] },
  ];
  expect(() => recorded(JSON.stringify({ nodes, samples: [2] }, null, 1))).toThrow(
    /^it, line 13: node 2 is its own ancestor/,
  );
  const twice = [...nodes, { id: 2, callFrame, children: [] }];
  expect(() => recorded(JSON.stringify({ nodes: twice, samples: [2] }))).toThrow(/^it, line 1: node 2 occurs twice/);
});
