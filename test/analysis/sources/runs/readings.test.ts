import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadPlatform } from '../../../../analysis/platform/load-platform.ts';
import { computeRates } from '../../../../analysis/sources/runs/cell-metrics.ts';
import { cellModel } from '../../../../analysis/sources/runs/cell-model.ts';
import type { Counter } from '../../../../experiments/store/read-traces.ts';
import { consumed, cpu, makeCounter, makeRecord, makeTrace } from './make-run.ts';

const platform = await loadPlatform('graph500');
const options = { platform, lineRateBps: 200e6, cores: 2 };
const record = makeRecord({ hosts: ['a'], ranks: 1 });

/** A run of one rank that lasts this long, with these counters. */
function modelOf(lengthMs: number, ...counters: readonly Counter[]) {
  return cellModel(record, makeTrace([[0, 'construct', 0, lengthMs]], counters), options);
}

/** Busy half the time, read every 50 ms, but not between `from` and `to`. */
const halfBusy = (readFrom: number, readTo: number, skip: readonly [number, number] = [0, 0]) =>
  cpu(
    'a',
    Array.from({ length: (readTo - readFrom) / 50 + 1 }, (_, at): [number, number] => [
      readFrom + 50 * at,
      25 * at,
    ]).filter(([ms]) => ms <= skip[0] || ms >= skip[1]),
  );

describe("a counter's rises become rates", () => {
  test('busy nanoseconds per nanosecond are cores, bytes are bytes per second', () => {
    const { model, warnings } = modelOf(
      100,
      cpu('a', [
        [0, 5],
        [50, 25],
        [100, 100],
      ]),
      makeCounter('a', 'net.tx_bytes', [
        [0, 0],
        [50, 125_000],
        [100, 126_000],
      ]),
    );
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([
      [0, 50, 0.4],
      [50, 100, expect.closeTo(1.5, 9)],
    ]);
    expect(consumed(model, '/host[host=a]/network/bytes-out').periods).toEqual([
      [0, 50, 2.5e6],
      [50, 100, 20_000],
    ]);
    expect(warnings).toEqual([]);
  });

  test('readings closer than 40 ms are taken together, but for what is left at the end', () => {
    const { model } = modelOf(
      100,
      cpu('a', [
        [0, 0],
        [39, 30],
        [40, 30],
        [60, 40],
        [90, 60],
        [100, 60],
      ]),
    );
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([
      [0, 40, expect.closeTo(0.75, 9)],
      [40, 90, expect.closeTo(0.6, 9)],
      [90, 100, 0],
    ]);
  });

  test('a counter that was read once says nothing: unused, and that is said', () => {
    const { model, warnings } = modelOf(100, cpu('a', [[0, 0]]));
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([[0, 100, 0]]);
    expect(warnings).toEqual(['/host[host=a]/cpu was not read during the run: it counts as unused.']);
  });

  test('a host that was not sampled leaves the others as they are, and that is said', () => {
    const trace = makeTrace(
      [
        [0, 'synchronise', 0, 100, 0, 0],
        [1, 'synchronise', 0, 100, 0, 0],
      ],
      [halfBusy(0, 100)],
    );
    const { model, warnings } = cellModel(makeRecord(), trace, options);
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([
      [0, 50, 0.5],
      [50, 100, 0.5],
    ]);
    expect(consumed(model, '/host[host=b]/cpu').periods).toEqual([[0, 100, 0]]);
    expect(warnings).toEqual(['/host[host=b]/cpu was not read during the run: it counts as unused.']);
  });

  test('counters of hosts that took no part are left out', () => {
    const { model } = modelOf(100, halfBusy(0, 100), { ...halfBusy(0, 100), host: 'controller' });
    expect(model.metrics.map(({ path }) => path)).toEqual(['/host[host=a]/cpu']);
  });
});

describe('a gap in the samples', () => {
  test('is filled evenly with what was used, and said', () => {
    const { model, warnings } = modelOf(4000, halfBusy(0, 4000, [1000, 2000]));
    const { periods } = consumed(model, '/host[host=a]/cpu');
    expect(periods).toContainEqual([1000, 2000, 0.5]);
    expect(periods).toHaveLength(4000 / 50 - 20 + 1);
    expect(warnings).toEqual([
      'The readings of /host[host=a]/cpu have a gap of 1.00 s: usage is spread evenly over it.',
    ]);
  });

  test('of fewer than eight usual pauses is not worth a warning', () => {
    expect(modelOf(4000, halfBusy(0, 4000, [1000, 1350])).warnings).toEqual([]);
  });

  test('before the run starts or after it has ended is none', () => {
    const { model, warnings } = modelOf(4000, halfBusy(-3000, 7000, [-2000, -1000]));
    expect(warnings).toEqual([]);
    expect(consumed(model, '/host[host=a]/cpu').periods.at(-1)?.[1]).toBe(4000);
    expect(modelOf(4000, halfBusy(-3000, 7000, [5000, 6500])).warnings).toEqual([]);
  });
});

describe('a run that was not sampled from its start to its end', () => {
  test('counts as unused where it was not read, and that is said', () => {
    const { model, warnings } = modelOf(3000, halfBusy(500, 2000));
    const { periods } = consumed(model, '/host[host=a]/cpu');
    expect(periods.at(0)).toEqual([500, 550, 0.5]);
    expect(periods.at(-1)).toEqual([1950, 2000, 0.5]);
    expect(warnings).toEqual([
      '/host[host=a]/cpu was not measured in 1500 of 3000 slices, at the start or the end of the job: it counts as unused there.',
    ]);
  });

  test('by a few milliseconds counts as unused there too, by the same rule', () => {
    const { model, warnings } = modelOf(120, halfBusy(0, 100));
    expect(consumed(model, '/host[host=a]/cpu').periods.at(-1)).toEqual([50, 100, 0.5]);
    expect(warnings).toEqual([expect.stringContaining('was not measured in 20 of 120 slices')]);
  });

  test('but only before or after it counts as unused altogether', () => {
    for (const readings of [halfBusy(-2000, -1000), halfBusy(2000, 3000)]) {
      const { model, warnings } = modelOf(1000, readings);
      const inside = consumed(model, '/host[host=a]/cpu').periods.filter(([first, end]) => end > first);
      expect(inside).toEqual([[0, 1000, 0]]);
      expect(warnings).toHaveLength(1);
    }
  });
});

describe('a counter that falls', () => {
  test('was set back, so that period counts as unused, and that is said', () => {
    const { model, warnings } = modelOf(
      200,
      cpu('a', [
        [0, 100],
        [50, 120],
        [100, 5],
        [150, 30],
        [200, 0],
      ]),
    );
    expect(consumed(model, '/host[host=a]/cpu').periods).toEqual([
      [0, 50, 0.4],
      [50, 100, 0],
      [100, 150, 0.5],
      [150, 200, 0],
    ]);
    expect(warnings).toEqual(['The counter of /host[host=a]/cpu decreased (2 times): these periods count as unused.']);
  });
});

describe('a rate above the capacity', () => {
  /** Busy ms in each 50 ms of two processors, 100 of which are full. */
  const busy = (...used: readonly number[]) => {
    const { model, warnings } = modelOf(
      50 * used.length,
      cpu(
        'a',
        [0, ...used].map((_, at): [number, number] => [50 * at, used.slice(0, at).reduce((sum, ms) => sum + ms, 0)]),
      ),
    );
    const { periods } = consumed(model, '/host[host=a]/cpu');
    return {
      used: periods.map(([, , rate]) => Math.round(rate * 50)),
      rates: periods.map(([, , rate]) => rate),
      warnings,
    };
  };

  test.each([
    { where: 'the next period', given: [0, 130, 60, 0], evened: [0, 100, 90, 0] },
    { where: 'the one before where the next is full', given: [0, 130, 100, 0], evened: [30, 100, 100, 0] },
    { where: 'both sides, the next first', given: [0, 90, 130, 80, 0], evened: [0, 100, 100, 100, 0] },
    {
      where: 'two periods on where all nearer ones are full',
      given: [0, 100, 130, 100, 0],
      evened: [0, 100, 100, 100, 30],
    },
    { where: 'the periods that are there', given: [0, 0, 130], evened: [0, 30, 100] },
  ])('is evened out into $where', ({ given, evened }) => {
    const { used, rates, warnings } = busy(...given);
    expect(used).toEqual(evened);
    // Full is exactly the capacity, whatever was added and taken away.
    expect(rates.filter((rate) => rate === 2)).toHaveLength(evened.filter((ms) => ms === 100).length);
    expect(warnings).toEqual([]);
  });

  test('that the periods around it have no room for stays where it is, and that is said', () => {
    const { used, warnings } = busy(0, 100, 100, 130, 100, 90, 0);
    expect(used).toEqual([0, 100, 100, 120, 100, 100, 0]);
    expect(warnings).toEqual([
      expect.stringMatching(/^\/host\[host=a\]\/cpu measured more than its capacity 2 in 1 of 7 /),
    ]);
  });
});

/** Readings that only rise, and the job's end, ms. */
const rising = fc
  .record({
    start: fc.integer({ min: -500, max: 500 }),
    steps: fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 1000 })), {
      minLength: 1,
      maxLength: 40,
    }),
    jobEnd: fc.integer({ min: 1, max: 4000 }),
  })
  .map(({ start, steps, jobEnd }) => {
    const readings: [ms: number, value: number][] = [[start, 7]];
    for (const [pause, rise] of steps) {
      const [ms, value] = readings.at(-1) ?? [0, 0];
      readings.push([ms + pause, value + rise]);
    }
    return { counter: makeCounter('a', 'cpu.busy_ns', readings), rise: (readings.at(-1)?.[1] ?? 0) - 7, jobEnd };
  });

function periodsOf(counter: Counter, { capacity, jobEnd }: { readonly capacity: number; readonly jobEnd: number }) {
  const options = { path: '/c', capacity, factor: 2, onClock: (ns: number) => ns, jobEnd: jobEnd * 1e6 };
  const { metric } = computeRates(counter, options);
  if (metric.class !== 'consumable') throw new Error(metric.class);
  const { startNs, endNs, rates } = metric;
  const lengths = rates.map((_, at) => ((endNs[at] ?? 0) - (startNs[at] ?? 0)) / 1e9);
  return { startNs, endNs, rates, used: rates.reduce((sum, rate, at) => sum + rate * (lengths[at] ?? 0), 0) };
}

describe('whatever a counter that only rises was read like', () => {
  test('its periods follow each other without gaps', () => {
    fc.assert(
      fc.property(rising, ({ counter, jobEnd }) => {
        const { startNs, endNs } = periodsOf(counter, { capacity: 1, jobEnd });
        expect(startNs.length).toBeGreaterThan(0);
        const run = jobEnd * 1e6;
        for (const [place, start] of startNs.slice(1).entries()) {
          // A run in which nothing was read is a period of its own, apart from readings before or after it.
          const end = endNs[place] ?? Number.NaN;
          if (start !== end) expect([end <= 0 && start === 0, end === run && start >= run]).toContain(true);
        }
      }),
    );
  });

  test('its periods add up to its rise, whatever is evened out, and none is raised above the capacity', () => {
    fc.assert(
      fc.property(rising, fc.double({ min: 1, max: 1e6, noNaN: true }), ({ counter, rise, jobEnd }, capacity) => {
        const plain = periodsOf(counter, { capacity: 1e15, jobEnd });
        const evened = periodsOf(counter, { capacity, jobEnd });
        expect(plain.used).toBeCloseTo(2 * rise, 6);
        expect(evened.used / Math.max(1, rise)).toBeCloseTo(plain.used / Math.max(1, rise), 6);
        expect([evened.startNs, evened.endNs]).toEqual([plain.startNs, plain.endNs]);
        for (const [at, rate] of evened.rates.entries()) {
          expect(rate).toBeGreaterThanOrEqual(0);
          expect(rate).toBeLessThanOrEqual(Math.max(capacity, plain.rates[at] ?? 0));
          // Full is full: what was moved in parts must not fall short by a rounding.
          if (Math.abs(rate / capacity - 1) < 1e-10) expect(rate).toBe(capacity);
        }
      }),
    );
  });

  test('gets nothing of what was too much beside it', () => {
    // 150 ms of processor time in 50 ms are 3 cores of 2; after that the counter was set back.
    const { model } = modelOf(
      200,
      cpu('a', [
        [0, 0],
        [50, 100],
        [100, 250],
        [150, 0],
        [200, 0],
      ]),
    );
    expect(consumed(model, '/host[host=a]/cpu').periods.find(([from]) => from === 100)).toEqual([100, 150, 0]);
  });
});

test('what lies outside the run is not part of what was not read of it', () => {
  const { warnings } = modelOf(
    1000,
    cpu('a', [
      [-1050, 0],
      [-1000, 10],
    ]),
  );
  expect(warnings).toEqual(['/host[host=a]/cpu was not read during the run: it counts as unused.']);
});
