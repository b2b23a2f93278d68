import fc from 'fast-check';
import { Line, Location, Profile, Function as ProfiledFunction, Sample, StringTable, ValueType } from 'pprof-format';
import { expect, test } from 'vitest';
import { folded, recorded } from './read.ts';

interface Written {
  readonly samples: readonly { readonly locations: readonly number[]; readonly values: readonly number[] }[];
  /** Functions of each location, innermost first; ids count from 1. */
  readonly locations: readonly (readonly string[])[];
  readonly types?: readonly (readonly [string, string])[];
  readonly defaultType?: string;
  readonly timeNanos?: bigint;
}

function written({ samples, locations, types = [['samples', 'count']], defaultType = '', timeNanos = 0n }: Written) {
  const stringTable = new StringTable();
  const text = (value: string): number => stringTable.dedup(value);
  const names = [...new Set(locations.flat())];
  return new Profile({
    stringTable,
    sampleType: types.map(([type, unit]) => new ValueType({ type: text(type), unit: text(unit) })),
    sample: samples.map(
      ({ locations: locationId, values }) => new Sample({ locationId: [...locationId], value: [...values] }),
    ),
    location: locations.map(
      (functions, index) =>
        new Location({
          id: index + 1,
          line: functions.map((name) => new Line({ functionId: names.indexOf(name) + 1 })),
        }),
    ),
    function: names.map((name, index) => new ProfiledFunction({ id: index + 1, name: text(name) })),
    defaultSampleType: text(defaultType),
    timeNanos,
    durationNanos: 5_000_000_000,
  }).encode();
}

const CPU = written({
  types: [
    ['samples', 'count'],
    ['cpu', 'nanoseconds'],
  ],
  samples: [
    { locations: [2, 1], values: [3, 30_000_000] },
    { locations: [1], values: [1, 10_000_000] },
  ],
  locations: [['main'], ['inlined', 'leaf']],
  timeNanos: 1_763_803_000_123_456_789n,
});

test('the last value type is read, and its time is in seconds', () => {
  const found = recorded(CPU);
  expect(found && folded(found)).toBe('main 0.01\nmain;leaf;inlined 0.03\n');
  expect(found).toMatchObject({ unit: 'seconds', startedAtNs: 1_763_803_000_123_456_789n, durationNs: 5e9 });
});

test('another value can be chosen, and the default of the profile goes before the last', () => {
  const found = recorded(CPU, { value: 'samples' });
  expect(found && folded(found)).toBe('main 1\nmain;leaf;inlined 3\n');
  const types = [
    ['inuse_objects', 'count'],
    ['inuse_space', 'bytes'],
  ] as const;
  const heap = { types, samples: [{ locations: [1], values: [2, 64] }], locations: [['f']] };
  expect(recorded(written(heap))?.unit).toBe('bytes');
  expect(recorded(written({ ...heap, defaultType: 'inuse_objects' }))?.unit).toBe('objects');
  expect(() => recorded(CPU, { value: 'heap' })).toThrow('it has samples and cpu, not heap: choose one with --value.');
});

test('whatever the library writes is read as it was meant', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => text.trim() === text && !/[;\r\n]/.test(text));
  fc.assert(
    fc.property(
      fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
      fc.array(
        fc.record({
          stack: fc.array(fc.nat(), { minLength: 1, maxLength: 40 }),
          value: fc.integer({ min: 0, max: 2 ** 40 }),
        }),
        { minLength: 1 },
      ),
      (locations, stacks) => {
        const samples = stacks.map(({ stack, value }) => ({
          locations: stack.map((one) => 1 + (one % locations.length)),
          values: [value],
        }));
        const expected = new Map<string, number>();
        for (const { locations: ids, values } of samples) {
          const key = ids
            .flatMap((id) => locations[id - 1] ?? [])
            .reverse()
            .join(';');
          expected.set(key, (expected.get(key) ?? 0) + (values[0] ?? 0));
        }
        const profile = written({ samples, locations });
        const seen = [...expected].filter(([, value]) => value > 0);
        if (seen.length === 0) {
          expect(() => recorded(profile)).toThrow('it has no samples');
          return;
        }
        const found = recorded(profile)?.stacks ?? [];
        expect(new Map(found.map(({ frames, value }) => [frames.join(';'), value]))).toEqual(new Map(seen));
      },
    ),
    { numRuns: 100 },
  );
});

test('a profile that is cut off anywhere before its last table ends is refused', () => {
  const strings = Buffer.from(CPU).lastIndexOf('nanoseconds');
  for (let length = 1; length < strings; length += 1) {
    expect(() => recorded(CPU.subarray(0, length), { format: 'pprof' }), `${length} bytes`).toThrow(
      /cut off|damaged|another format|no samples/,
    );
  }
});

test('a negative value is refused with its sample', () => {
  const negative = written({ samples: [{ locations: [1], values: [-5] }], locations: [['f']] });
  const refused = 'it, sample 1: samples is -5. A difference of two profiles cannot be imported as a profile.';
  expect(() => recorded(negative)).toThrow(refused);
  // Ten bytes of seven bits: of the last one only the first is a part of the number.
  const last = Buffer.from(negative).indexOf(Buffer.from('fbffffffffffffffff01', 'hex')) + 9;
  expect(last).toBeGreaterThan(9);
  negative[last] = 0x7f;
  expect(() => recorded(negative)).toThrow(refused);
});
