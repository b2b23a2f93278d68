import fc from 'fast-check';
import { median } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { describeThreads, tellThreads } from '../../modeling/answers/threads-law.ts';
import { parseRowsCsv, writeExperimentCsv } from '../../modeling/exchange/csv.ts';
import { experimentFromRows } from '../../modeling/exchange/to-rows.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { createRandom, type Random } from '../../modeling/judge/distributions.ts';
import { bootstrap, estimate } from '../../modeling/judge/ensemble.ts';
import { type MeasuredRow, type Rows, rowsFrom } from '../../modeling/rows.ts';

type Place = Pick<MeasuredRow, 'nodes' | 'bw'> & { readonly threads: number };
type Law = (place: Place) => number;

/** Rows of a law on a grid, three repetitions of each place with relative noise. */
function measure(law: Law, { bw = [100], noise = 0, random = createRandom(1) }): Rows {
  const rows = [1, 2, 4, 8].flatMap((nodes) =>
    [1, 2, 4].flatMap((threads) =>
      bw.flatMap((one) =>
        [1, 2, 3].map(() => {
          const place = { nodes, threads, bw: one };
          return { ...place, scale: 0, ct: law(place) * Math.exp(noise * random.normal()) };
        }),
      ),
    ),
  );
  return rowsFrom(rows);
}

/**
 * A program by what it does, not by a form: part of its work is serial, threads share a memory bus, ranks send to others, some of them on their own node, and
 * wait. */
function programOf(random: Random): Law {
  const serial = 0.01 + 0.3 * random.uniform() ** 2;
  const bus = random.uniform() < 0.5 ? 0 : 0.06 * random.uniform();
  const [sent, power] = [0.05 + 0.5 * random.uniform(), 0.2 + 0.6 * random.uniform()];
  const wait = 0.05 * random.uniform();
  const away = random.uniform() < 0.5 ? 1 : random.uniform();
  return ({ nodes, threads, bw }) => {
    const work = serial + (1 - serial) / threads + (bus * Math.log2(threads)) / threads;
    return work / nodes + sent * (100 / bw) ** 0.8 * nodes ** -power * (1 - away / nodes) + wait;
  };
}

const ONE = { ranksPerNode: 1, errors: 'relative' } as const;

test('a named model shares its work among threads, but for a serial part, and finds all three coefficients', () => {
  const law: Law = ({ nodes, threads }) => 3 / (nodes * threads) + 0.6 / nodes + 0.4 / Math.sqrt(nodes);
  const { fit } = solveModel('eq2', measure(law, {}), ONE);
  expect(fit.coefficients.C1).toBeCloseTo(3, 8);
  expect(fit.coefficients.C2).toBeCloseTo(0.4, 8);
  expect(fit.coefficients.Cs).toBeCloseTo(0.6, 8);
  expect(fit.trainedOn.threads).toEqual([1, 2, 4]);
  // Where a target does not say, the most that were measured.
  expect(predict(fit, { nodes: 16, bw: 100, scale: 0 })).toBeCloseTo(law({ nodes: 16, threads: 4, bw: 100 }), 8);
  expect(predict(fit, { nodes: 16, bw: 100, scale: 0, threads: 1 })).toBeCloseTo(3.6 / 16 + 0.1, 8);
});

test('rows with one number of threads are fitted as if threads were not known', () => {
  const all = measure(({ nodes }) => 3 / nodes + 0.4 / Math.sqrt(nodes), {});
  const two = { ...all, threads: all.threads.map(() => 2) };
  const one = { ...all, threads: all.threads.map(() => 1) };
  const [{ fit: a }, { fit: b }] = [solveModel('eq2', two, ONE), solveModel('eq2', one, ONE)];
  expect(a.coefficients).toEqual(b.coefficients);
  expect([a.threads, a.trainedOn.threads, b.trainedOn.threads]).toEqual([undefined, [2], undefined]);
});

test('a model that does not say what threads do is not fitted to rows of several numbers of them', () => {
  const rows = measure(({ bw, threads }) => 1.1 ** (100 / bw) / threads, { bw: [25, 50, 100] });
  expect(() => solveModel('eq5', rows, { ...ONE, at: { nodes: 1 } })).toThrow(
    'does not say what threads do, but the rows have 1,2,4 threads of each rank',
  );
});

describe('programs that nobody has tried with so many nodes and threads', () => {
  const PLACES: readonly Place[] = [
    { nodes: 16, threads: 4, bw: 100 },
    { nodes: 16, threads: 16, bw: 100 },
    { nodes: 4, threads: 8, bw: 100 },
    { nodes: 1, threads: 16, bw: 100 },
  ];
  const random = createRandom(33);
  const found = Array.from({ length: 24 }, (_, index) => {
    const law = programOf(random);
    const rows = measure(law, { bw: index % 2 === 0 ? [100] : [25, 100], noise: 0.02, random });
    const ensemble = bootstrap(chooseAmong(rows, { ranksPerNode: 1 }).solved);
    return PLACES.map((place) => {
      const target = { ...place, scale: 0 };
      return { told: estimate(ensemble, (fit) => predict(fit, target)), truth: law(place) };
    });
  });

  test.each(PLACES.map((place, index) => [place, index] as const))('%j: nine of ten intervals hold', (_, index) => {
    const own = found.map((all) => at(all, index));
    const inside = own.filter(({ told, truth }) => truth >= (told.low ?? 0) && truth <= (told.high ?? Infinity));
    expect(inside.length / own.length).toBeGreaterThanOrEqual(0.85);
    expect(median(own.map(({ told, truth }) => Math.abs((told.value ?? 0) / truth - 1)))).toBeLessThan(0.08);
    // They say something: an interval over a factor of two would say little.
    expect(median(own.map(({ told }) => (told.high ?? Infinity) / (told.low ?? 0)))).toBeLessThan(2);
  });
});

test('what threads bring is told with intervals, and both ways to twice the cores', () => {
  const law: Law = ({ nodes, threads }) => (8 * (0.1 + 0.9 / threads)) / nodes + (0.6 * (nodes - 1)) / nodes ** 1.5;
  const rows = measure(law, { noise: 0.01 });
  const told = tellThreads(bootstrap(chooseAmong(rows, { ranksPerNode: 1 }).solved), { nodes: 8, bw: 100, scale: 0 });
  const holds = ({ low, high }: typeof told.speedup, truth: number): boolean =>
    truth >= (low ?? 0) && truth <= (high ?? Infinity);
  expect(told).toMatchObject({ threads: 4, measured: [1, 2, 4], twice: { threads: 8 }, twiceNodes: { nodes: 16 } });
  const timeOf = (nodes: number, threads: number): number => law({ nodes, threads, bw: 100 });
  expect(holds(told.serialPercent, 10)).toBe(true);
  expect(holds(told.speedup, timeOf(8, 1) / timeOf(8, 4))).toBe(true);
  expect(holds(told.twice.ct, timeOf(8, 8))).toBe(true);
  expect(told.twiceNodes && holds(told.twiceNodes.ct, timeOf(16, 4))).toBe(true);
  expect(describeThreads(told, 0.9).join(' ')).toMatch(
    /^Runs with 1, 2 and 4 threads .*4 threads are 2\.3.* times as fast as one on 8 nodes.*For twice the cores.*16 nodes/,
  );
});

test('a column threads survives a file, and is left out where all ranks have one', () => {
  const place = fc.record({
    scale: fc.integer({ min: 0, max: 30 }),
    nodes: fc.integer({ min: 1, max: 100 }),
    bw: fc.integer({ min: 1, max: 100 }),
    threads: fc.integer({ min: 1, max: 4 }),
    ct: fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 20 }), (items) => {
      const text = writeExperimentCsv(experimentFromRows(rowsFrom(items)));
      const isThreaded = items.some(({ threads }) => threads > 1);
      expect(text.split('\n')[0]).toBe(`scale,n,bw,${isThreaded ? 'threads,' : ''}rep,ct`);
      const sorted = (rows: Rows): string[] =>
        Array.from(rows.ct, (ct, row) =>
          [rows.scale[row], rows.nodes[row], rows.bw[row], rows.threads[row], ct].join(' '),
        ).sort();
      expect(sorted(parseRowsCsv(text, 'rows.csv'))).toEqual(sorted(rowsFrom(items)));
    }),
  );
});
