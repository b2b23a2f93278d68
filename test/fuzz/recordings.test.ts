import fc from 'fast-check';
import { Line, Location, Profile, Function as ProfiledFunction, Sample, StringTable, ValueType } from 'pprof-format';
import { expect } from 'vitest';
import { RECORDING_FORMATS, type RecordingFormat } from '../../analysis/profiles/formats/profile-format.ts';
import { fixtureBytes, recorded } from '../analysis/profiles/formats/read.ts';
import { damagedBytes, damagedTexts } from './mutations.ts';
import { fuzz } from './reader.ts';

/** What collapsed text can hold, and numbers that can be added up. */
function read(content: Uint8Array | string, format?: RecordingFormat): unknown {
  const found = recorded(content, format === undefined ? {} : { format });
  if (found === null) return null;
  const { stacks, tree, lost, unknown, truncated, durationNs } = found;
  for (const value of tree.own) expect(value).toBeGreaterThanOrEqual(0);
  for (const { frames } of stacks) for (const frame of frames) expect(frame).toMatch(/^[^;\r\n]+$/);
  return [...tree.own].concat(lost, unknown, truncated, durationNs ?? 0);
}

const java = JSON.parse(fixtureBytes('java.jfr.json.gz').toString());
java.recording.events.splice(2);
for (const { values } of java.recording.events) values.stackTrace.frames.splice(3);
const frames = [{ name: 'main' }, { name: 'f' }];
const speedscope = {
  shared: { frames },
  profiles: [
    { type: 'sampled', name: 'a', unit: 'seconds', samples: [[0, 1], [0]], weights: [1, 2] },
    {
      ...{ type: 'evented', name: 'b', unit: 'milliseconds' },
      events: [
        { type: 'O', at: 0, frame: 0 },
        { type: 'O', at: 1, frame: 1 },
        { type: 'C', at: 4, frame: 1 },
        { type: 'C', at: 5, frame: 0 },
      ],
    },
  ],
};
const calls = [
  { ph: 'X', name: 'a', ts: 1, dur: 9, pid: 1, tid: 1 },
  { ph: 'B', name: 'b', ts: 2, pid: 1, tid: 1 },
  { ph: 'E', ts: 5, pid: 1, tid: 1 },
];

const stringTable = new StringTable();
const text = (value: string): number => stringTable.dedup(value);
const pprof = new Profile({
  stringTable,
  sampleType: [new ValueType({ type: text('cpu'), unit: text('nanoseconds') })],
  sample: [new Sample({ locationId: [2, 1], value: [5_000_000] })],
  location: ['main', 'f'].map((_, id) => new Location({ id: id + 1, line: [new Line({ functionId: id + 1 })] })),
  function: ['main', 'f'].map((name, id) => new ProfiledFunction({ id: id + 1, name: text(name) })),
});
const perf = ['burn.perf-script.txt', 'perf-flat.txt'].map((file) => fixtureBytes(file).toString('utf8', 0, 1600));
const inputs: Readonly<Record<RecordingFormat, fc.Arbitrary<Uint8Array | string>>> = {
  jfr: damagedTexts([JSON.stringify(java), JSON.stringify(java, null, 1)]),
  perf: damagedTexts(perf.map((beginning) => `${beginning.slice(0, beginning.lastIndexOf('\n'))}\n\n`)),
  pprof: damagedBytes([pprof.encode()]),
  speedscope: damagedTexts([JSON.stringify(speedscope)]),
  v8: damagedTexts([fixtureBytes('fib.cpuprofile').toString()]),
  chrome: damagedTexts([JSON.stringify(calls), JSON.stringify({ traceEvents: calls })]),
};

for (const format of RECORDING_FORMATS) {
  fuzz({
    name: `recordings: ${format}`,
    inputs: fc.tuple(inputs[format], fc.constantFrom(format, undefined)),
    read: ([content, named]) => read(content, named),
  });
}
