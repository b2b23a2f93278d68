import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Case } from '../cases/grade10/case-records.ts';
import { times } from '../times.ts';
import { byTheBook } from './by-the-book.ts';
import { type CaseOutput, runCase } from './case-output.ts';
import { randomCase } from './random-case.ts';

const seed = fc.integer({ min: 0, max: 2 ** 31 });

test('the pipeline comes to what the equations say, slice by slice', () => {
  fc.assert(
    fc.property(seed, (value) => {
      const input = randomCase(value);
      const output = runCase(input);
      const book = byTheBook(input);
      expectClose(output.sampled, book.sampled);
      expectClose(output.attribution, book.attribution);
      expect(output.leaf_metric_bottlenecks).toEqual(book.leaf_metric_bottlenecks);
      expect(output.leaf_bottlenecks).toEqual(book.leaf_bottlenecks);
      expect(output.composite_bottlenecks).toEqual(book.composite_bottlenecks);
      expectClose(impacts(output), book.issues);
    }),
    { numRuns: times(8) },
  );
});

test('the order of phases, metrics, rules and mapping does not matter', () => {
  fc.assert(
    fc.property(seed, (value) => {
      const input = randomCase(value);
      const turned: Case = {
        ...input,
        phases: input.phases.toReversed(),
        metrics: input.metrics.toReversed(),
        rules: input.rules.toReversed(),
        mapping: input.mapping.toReversed(),
      };
      const [before, after] = [runCase(input), runCase(turned)];
      expectClose(after, before);
    }),
    { numRuns: times(8) },
  );
});

test('moving everything by whole slices moves the slices and nothing else', () => {
  fc.assert(
    fc.property(seed, fc.integer({ min: -1000, max: 1e9 }), (value, slices) => {
      const input = randomCase(value);
      const by = (ns: number): number => ns + slices * input.timeslice_ns;
      const moved: Case = {
        ...input,
        phases: input.phases.map((one) => ({ ...one, start_ns: by(one.start_ns), end_ns: by(one.end_ns) })),
        metrics: input.metrics.map((one) =>
          one.class === 'blocking'
            ? { ...one, blocked_ns: one.blocked_ns.map(([from, to]) => [by(from), by(to)]) }
            : { ...one, observation_times_ns: one.observation_times_ns.map(by) },
        ),
      };
      const [before, after] = [runCase(input), runCase(moved)];
      expect(after.first_timeslice).toBe(before.first_timeslice + slices);
      const relative = ({ phases, first_timeslice, last_timeslice, ...rest }: CaseOutput) => rest;
      expect(relative(after)).toEqual(relative(before));
    }),
    { numRuns: times(8) },
  );
});

test('another unit of rates scales usage and leaves bottlenecks and issues as they are', () => {
  fc.assert(
    fc.property(seed, fc.integer({ min: -20, max: 20 }), (value, exponent) => {
      const input = randomCase(value);
      const factor = 2 ** exponent;
      const scaled: Case = {
        ...input,
        metrics: input.metrics.map((one) =>
          one.class === 'blocking'
            ? one
            : {
                ...one,
                capacity: one.capacity * factor,
                observation_values: one.observation_values.map((rate) => rate * factor),
              },
        ),
        rules: input.rules.map((one) => (one.rule === 'exact' ? { ...one, value: one.value * factor } : one)),
      };
      const [before, after] = [runCase(input), runCase(scaled)];
      expect(after.leaf_bottlenecks).toEqual(before.leaf_bottlenecks);
      expect(after.composite_bottlenecks).toEqual(before.composite_bottlenecks);
      expect(after.issues).toEqual(before.issues);
    }),
    { numRuns: times(8) },
  );
});

test('all implies majority, majority implies any, and majority+any lies between majority and any', () => {
  const order: readonly (readonly [string, string])[] = [
    ['all', 'majority'],
    ['majority', 'any'],
    ['all', 'majority+any'],
    ['majority+any', 'any'],
  ];
  const marked = new Map<string, number>();
  fc.assert(
    fc.property(seed, (value) => {
      const { composite_bottlenecks: found } = runCase(randomCase(value));
      for (const [narrow, wide] of order) {
        for (const [phase, types] of Object.entries(found[narrow] ?? {})) {
          for (const [type, runs] of Object.entries(types)) {
            const broad = unpack(found[wide]?.[phase]?.[type] ?? '');
            for (const [slice, state] of [...unpack(runs)].entries()) {
              if (state !== 'B') continue;
              expect(`${phase} ${type} ${slice} ${broad[slice]}`).toMatch(/B$/);
              marked.set(narrow, (marked.get(narrow) ?? 0) + 1);
            }
          }
        }
      }
    }),
    { numRuns: times(8) },
  );
  expect([...marked.keys()].sort()).toEqual(['all', 'majority', 'majority+any']);
});

function unpack(runs: string): string {
  return runs.replace(/(\d+)([NB])/g, (_, length: string, state: string) => state.repeat(Number(length)));
}

function impacts({ issues }: CaseOutput): Record<string, number> {
  return Object.fromEntries(
    issues.map((one) => {
      const [target, source] = ['target' in one ? one.target : '', 'source' in one ? one.source : ''];
      return [`${one.pass} ${one.phase} ${target} ${source}`, one.impact];
    }),
  );
}

/** Numbers to 1e-9 relative (noise below 1e-9 aside), all else exactly. */
function expectClose(found: unknown, wanted: unknown, where = ''): void {
  if (typeof wanted === 'number') {
    const near = typeof found === 'number' && Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
    if (!near) expect.fail(`${where}: ${found} instead of ${wanted}`);
  } else if (wanted !== null && typeof wanted === 'object') {
    expect(Object.keys(found ?? {}).sort(), where).toEqual(Object.keys(wanted).sort());
    for (const [key, value] of Object.entries(wanted))
      expectClose(Reflect.get(found ?? {}, key), value, `${where}.${key}`);
  } else {
    expect(found, where).toEqual(wanted);
  }
}
