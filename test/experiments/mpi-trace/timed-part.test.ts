import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutTrace } from '../../../analysis/sources/runs/cell-model.ts';
import { at } from '../../../base/lists.ts';
import { partNoun, timedPart } from '../../../experiments/mpi-trace/timed-part.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import { madeTrace } from '../../analysis/path/mpi/made-trace.ts';

const [ON, OFF] = ['MPI_Pcontrol_on', 'MPI_Pcontrol_off'];
/** Made traces are in µs. */
const same = (_: number, ns: number): number => ns / 1000;
type Span = Parameters<typeof madeTrace>[0][number];

const partOf = (spans: readonly Span[], part: { from?: string; to?: string } | null = null, whole = false) =>
  timedPart(madeTrace(spans).spans, { onClock: same, rule: { part, whole }, record: { runs: [], summary: {} } });

/** The part of a program that prints seconds; times on the clock are in ns here, those of calls in ms. */
const partThatTook = (spans: readonly Span[], ct: number, iterations?: number) =>
  timedPart(madeTrace(spans).spans, {
    onClock: (_, ns) => ns * 1000,
    rule: { part: null, whole: false },
    record: {
      runs: [{ index: 0, ct, teps: null, nedge: null, validateS: null }],
      summary: iterations === undefined ? {} : { timed_iterations: iterations },
    },
  });

/** A rank in MPI from 10 to 900, and what it does there. */
const rank = (number: number, ...calls: readonly (readonly [name: string, from: number, to: number])[]): Span[] => [
  [number, 'MPI_Init', 0, 10 + number],
  ...calls.map(([name, from, to]): Span => [number, name, from, to]),
  [number, 'MPI_Finalize', 900 + number, 950],
];

describe('the part of a recorded run that is explained', () => {
  test('is all from MPI_Init to MPI_Finalize where nothing names another', () => {
    const { by, stretches, words } = partOf([...rank(0), ...rank(1)]);
    expect([by, stretches, words]).toEqual(['run', [{ startNs: 11, endNs: 901 }], 'from MPI_Init to MPI_Finalize']);
  });

  test('is what lasted as long as the program printed', () => {
    const spans = [
      ...rank(0, ['MPI_Barrier', 300, 310], ['MPI_Send', 400, 420], ['MPI_Allreduce', 600, 612]),
      ...rank(1, ['MPI_Barrier', 305, 309], ['MPI_Recv', 400, 421], ['MPI_Allreduce', 590, 611]),
    ];
    expect(partThatTook(spans, 0.302031)).toMatchObject({ by: 'time', stretches: [{ startNs: 310e6, endNs: 612e6 }] });
    expect(partThatTook(spans, 0.0302, 10)).toMatchObject({ stretches: [{ startNs: 310e6, endNs: 612e6 }] });
    // Nothing took so long, or hardly any of the run did, or several parts of it.
    for (const ct of [0.33, 0.001, 2]) expect(partThatTook(spans, ct).by).toBe('run');
    const twice = rank(0, ['MPI_Barrier', 100, 110], ['MPI_Barrier', 400, 410], ['MPI_Barrier', 700, 710]);
    expect(partThatTook(twice, 0.3).by).toBe('run');
  });

  test('lies between marks: from the last rank that begins it to the last that ends it', () => {
    const spans = [
      ...rank(0, [ON, 100, 101], [OFF, 200, 201], [ON, 300, 301], [OFF, 410, 411]),
      ...rank(1, [ON, 120, 121], [OFF, 190, 191], [ON, 305, 306], [OFF, 400, 401]),
    ];
    const { by, stretches, words } = partOf(spans);
    expect([by, words]).toEqual(['marks', 'in its 2 parts between marks (MPI_Pcontrol)']);
    expect(stretches).toEqual([
      { startNs: 121, endNs: 200 },
      { startNs: 306, endNs: 410 },
    ]);
    expect(partOf(spans, null, true).by).toBe('run');
  });

  test.each<[string, readonly (readonly [string, number, number])[], readonly [number, number]]>([
    [
      'a part without an end lasts to MPI_Finalize',
      [
        [OFF, 50, 51],
        [ON, 100, 101],
      ],
      [101, 900],
    ],
    [
      'a part without a beginning lasts from MPI_Init',
      [
        [OFF, 50, 51],
        [OFF, 70, 71],
      ],
      [10, 50],
    ],
    [
      'a mark within a part begins no other',
      [
        [ON, 50, 51],
        [ON, 70, 71],
        [OFF, 90, 91],
      ],
      [51, 90],
    ],
  ])('%s', (_, calls, [startNs, endNs]) => {
    expect(partOf(rank(0, ...calls)).stretches).toEqual([{ startNs, endNs }]);
  });

  test('lies between the calls that the workload names, whatever marks there are, by the count of each rank', () => {
    const spans = [
      ...rank(0, ['MPI_Barrier', 20, 30], [ON, 40, 41], ['MPI_Barrier', 50, 60], ['MPI_Reduce', 80, 90]),
      ...rank(1, ['MPI_Barrier', 20, 31], ['MPI_Barrier', 50, 62], ['MPI_Reduce', 70, 90], ['MPI_Reduce', 100, 110]),
    ];
    const stretch = (from?: string, to?: string) =>
      at(partOf(spans, { ...(from ? { from } : {}), ...(to ? { to } : {}) }).stretches, 0);
    expect(stretch('MPI_Barrier 2', 'MPI_Reduce 1')).toEqual({ startNs: 62, endNs: 80 });
    expect(stretch('MPI_Barrier', 'MPI_Reduce')).toEqual({ startNs: 31, endNs: 100 });
    expect(stretch('MPI_Barrier last')).toEqual({ startNs: 62, endNs: 901 });
    // Of the ranks that make the second one.
    expect(stretch(undefined, 'MPI_Reduce 2')).toEqual({ startNs: 11, endNs: 100 });
    expect(partOf(spans, { from: 'MPI_Barrier 2', to: 'MPI_Reduce' }).words).toBe(
      'from MPI_Barrier 2 to the last MPI_Reduce',
    );
  });

  test('is the whole run, with a warning, where no rank makes the calls or they end before they begin', () => {
    const spans = rank(0, ['MPI_Barrier', 20, 30], ['MPI_Reduce', 80, 90]);
    for (const part of [{ from: 'MPI_Barrier 2' }, { from: 'MPI_Reduce', to: 'MPI_Barrier' }]) {
      const { by, warnings } = partOf(spans, part);
      expect([by, warnings]).toEqual(['run', [expect.stringContaining('so the whole run is explained')]]);
    }
  });

  test('is what a sentence calls a run, and only where all runs have it alike', () => {
    const [run, marks] = [partOf(rank(0)), partOf(rank(0, [ON, 50, 51]))];
    expect([
      partNoun('run', []),
      partNoun('run', [run]),
      partNoun('run', [marks, marks]),
      partNoun('run', [run, marks]),
    ]).toEqual(['run', 'run', 'run between its marks', "run's part"]);
  });
});

describe('a trace of nothing but a part', () => {
  const clocks = { correct: (_: string, ns: number) => ns - 1000, apart: () => [], boundNs: () => 0 };
  const cut = (trace: CellTrace, ...ends: readonly (readonly [number, number])[]) =>
    cutTrace(trace, {
      stretches: ends.map(([startNs, endNs]) => ({ startNs, endNs })),
      ...{ clocks, hostOf: () => 'a' },
    });
  const trace = madeTrace([
    [0, 'compute', 1, 1.1],
    [0, 'MPI_Recv', 1.1, 1.3],
    [0, 'compute', 1.3, 1.5],
  ]);
  const counter = { host: 'a', metric: 'cpu.busy_ns', worker: null };

  test('has the spans within its stretches, which follow each other at once, on the clock of their host', () => {
    const { spans } = cut(trace, [50, 150], [250, 350]);
    expect([...spans.phase]).toEqual(['compute', 'MPI_Recv', 'compute']);
    expect([...spans.startNs]).toEqual([1050, 1100, 1200]);
    expect([...spans.endNs]).toEqual([1100, 1200, 1250]);
  });

  test('has counters that rise by what they rose by within the stretches, whatever these are', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 1000 }), { minLength: 4, maxLength: 10 }), (ends) => {
        const sorted = ends.sort((a, b) => a - b);
        const pairs = Array.from({ length: Math.floor(sorted.length / 2) }, (_, place): [number, number] => [
          at(sorted, 2 * place),
          at(sorted, 2 * place + 1),
        ]);
        // t^2, read every 10 ns.
        const timesNs = Float64Array.from({ length: 101 }, (_, place) => 1000 + 10 * place);
        const values = timesNs.map((ns) => (ns - 1000) ** 2);
        const { counters } = cut({ ...trace, counters: [{ ...counter, timesNs, values }] }, ...pairs);
        const [found] = counters;
        const linear = (times: Float64Array, of: Float64Array, ns: number): number => {
          const next = Math.max(
            1,
            times.findIndex((time) => time >= ns),
          );
          const [a, b] = [at(times, next - 1), at(times, next)];
          return at(of, next - 1) + ((at(of, next) - at(of, next - 1)) * (ns - a)) / (b - a);
        };
        const [[firstNs]] = pairs as [[number, number]];
        const total = pairs.reduce((sum, [from, to]) => sum + to - from, 0);
        const rise = (times: Float64Array, of: Float64Array, from: number, to: number): number =>
          linear(times, of, 1000 + to) - linear(times, of, 1000 + from);
        const wanted = pairs.reduce((sum, [from, to]) => sum + rise(timesNs, values, from, to), 0);
        if (found === undefined) throw new Error('no counter');
        expect(rise(found.timesNs, found.values, firstNs, firstNs + total)).toBeCloseTo(wanted, 3);
      }),
    );
  });

  test('leaves capacities as they are: they are no sums', () => {
    const capacity = {
      ...{ ...counter, metric: 'cpu.capacity_mcores' },
      ...{ timesNs: Float64Array.of(1000, 1400), values: Float64Array.of(500, 500) },
    };
    expect(cut({ ...trace, counters: [capacity] }, [50, 150], [250, 350]).counters).toEqual([capacity]);
  });
});
