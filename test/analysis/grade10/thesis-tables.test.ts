import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { analyse } from '../../../analysis/grade10/analyse-phases.ts';
import { attribute } from '../../../analysis/grade10/attribution/attribute.ts';
import { effectOfRules } from '../../../analysis/grade10/attribution/by-rules.ts';
import { computeBottleneckedTimes } from '../../../analysis/grade10/bottlenecks/time-shares.ts';
import { findOutliers, sumOutliers } from '../../../analysis/grade10/issues/outliers.ts';
import { createModel } from '../../../analysis/grade10/model/create-model.ts';
import { groupBy } from '../../../base/lists.ts';
import type { Case } from '../../cases/grade10/case-records.ts';
import { parseCase } from '../../cases/grade10/parse-case.ts';
import { readCase } from '../../cases/grade10/read-case.ts';
import { times } from '../../times.ts';
import { byTheBook } from '../by-the-book.ts';
import type { CaseOutput } from '../case-output.ts';
import { blocking, consumable, exact, full, makeCase, SLICE, variable } from '../make-case.ts';
import { randomCase } from '../random-case.ts';

const seed = fc.integer({ min: 0, max: 2 ** 31 });
const seconds = (slices: number, slice = SLICE): number => slices * slice * 1e-9;
const typeOf = (path: string): string => path.replace(/\[[^\]]*\]/g, '');
const parentOf = (path: string): string => path.replace(/\/[^/[]*(\[[^\]]*\])?$/, '') || '/';
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const close = (value: number) => expect.closeTo(value, 9);

/** First slice and how many, by their midpoints. */
function lifeOf(
  { phases, timeslice_ns: slice }: Case,
  path: string,
): { readonly first: number; readonly length: number } {
  const found = phases.find((phase) => phase.path === path);
  const border = (ns: number): number => Math.floor(ns / slice - 0.5) + 1;
  const first = border(found?.start_ns ?? 0);
  return { first, length: border(found?.end_ns ?? 0) - first };
}

const unpack = (runs: string): readonly string[] => [
  ...runs.replace(/(\d+)([A-Z])/g, (_, length: string, state: string) => state.repeat(Number(length))),
];

describe('outlier threads (figure 5.15)', () => {
  const job = (lengths: readonly number[]): Case =>
    makeCase({
      execution_spec: {
        name: '',
        children: [
          {
            name: 'Worker',
            repeat: 'concurrent',
            key: 'w',
            children: [{ name: 'Thread', repeat: 'concurrent', key: 't', children: [{ name: 'Gather' }] }],
          },
        ],
      },
      slices: {
        '/': [0, 400],
        '/Worker[w=0]': [0, 400],
        ...Object.fromEntries(lengths.map((length, t) => [`/Worker[w=0]/Thread[t=${t}]`, [5, 5 + length]])),
        ...Object.fromEntries(lengths.map((length, t) => [`/Worker[w=0]/Thread[t=${t}]/Gather`, [5, 5 + length]])),
      },
    });
  const outliersOf = (lengths: readonly number[]) => findOutliers(createModel(readCase(job(lengths))));

  test('are those that take at least 10 % longer than the median of a worker; bars are of the others', () => {
    const found = outliersOf([100, 110, 90, 300, 100, 109]);
    const [first] = found;
    // Medians of 90, 100, 100, 109, 110, 300: 104.5, of which 110 is 5 % more.
    expect(first).toEqual({
      parent: '/Worker[w=0]',
      type: '/Worker/Thread',
      phases: 6,
      medianSeconds: close(seconds(104.5)),
      leastSeconds: close(seconds(90)),
      meanSeconds: close(seconds(509 / 5)),
      mostSeconds: close(seconds(110)),
      outliers: [{ phase: 'Thread[t=3]', seconds: close(seconds(300)) }],
    });
    // What lies below threads counts for them.
    expect(found.map(({ type }) => type)).toEqual(['/Worker/Thread', '/Worker/Thread/Gather']);
    expect(sumOutliers(found)[0]).toEqual({
      ...{ type: '/Worker/Thread', groups: 1, outliers: 1, seconds: close(seconds(190)) },
      phases: [{ phase: 'Thread[t=3]', times: 1 }],
    });
  });

  test.each([
    [[100, 100, 110], 1],
    [[100, 100, 109], 0],
    // Durations are known to a slice.
    [[3, 3, 4], 0],
    [[3, 3, 5], 1],
    [[100, 100], 0],
    [[300], 0],
  ])('of %j are %i', (lengths, count) => {
    expect(outliersOf(lengths).filter(({ type }) => type === '/Worker/Thread')).toHaveLength(count);
  });
});

describe('the time with a bottleneck by predicate (table 5.12)', () => {
  test('is what the equations say of each slice of random jobs', () => {
    fc.assert(
      fc.property(seed, (value) => {
        const input = randomCase(value);
        expectTimes(input, byTheBook(input));
      }),
      { numRuns: times(2) },
    );
  });

  test.each(['small', 'thesis-fig4.10', 'thesis-fig4.6-4.9'])(
    'is what the states of the reference case %s add up to',
    (name) => {
      const folder = new URL(`../../fixtures/grade10/${name}/`, import.meta.url);
      const read = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
      expectTimes(parseCase(read('input.json')), read('expected.json'));
    },
  );
});

function expectTimes(input: Case, book: Pick<CaseOutput, 'leaf_bottlenecks' | 'composite_bottlenecks'>): void {
  const { sampler, thresholds } = input;
  const found = computeBottleneckedTimes(analyse(createModel(readCase(input)), { sampler, thresholds }));
  const isLeaf = (path: string): boolean =>
    !input.phases.some((one) => one.path !== '/' && parentOf(one.path) === path);
  const paths = input.phases.map(({ path }) => path);
  for (const { type, predicate, percent, nonePercent, seconds: all } of found) {
    const rows = paths.filter((path) => typeOf(path) === type);
    const slices = sum(rows.map((path) => lifeOf(input, path).length));
    expect(all).toBeCloseTo(seconds(slices, input.timeslice_ns), 12);
    const statesOf = (path: string): Readonly<Record<string, string>> =>
      (isLeaf(path) ? book.leaf_bottlenecks[path] : book.composite_bottlenecks[predicate ?? '']?.[path]) ?? {};
    const held = (path: string, metric: string, slice: number): boolean =>
      (unpack(statesOf(path)[metric] ?? '')[slice] ?? 'N') !== 'N';
    const count = (isHeld: (path: string, slice: number) => boolean): number =>
      sum(
        rows.map(
          (path) =>
            Array.from({ length: lifeOf(input, path).length }, (_, k) => k).filter((k) => isHeld(path, k)).length,
        ),
      );
    const metrics = new Set(rows.flatMap((path) => Object.keys(statesOf(path))));
    expect(new Set(Object.keys(percent))).toEqual(metrics);
    for (const metric of metrics)
      expect(percent[metric]).toBeCloseTo((count((path, k) => held(path, metric, k)) / slices) * 100, 9);
    const free = count((path, k) => ![...metrics].some((metric) => held(path, metric, k)));
    expect(nonePercent).toBeCloseTo((free / slices) * 100, 9);
    expect(predicate === null).toBe(rows.every(isLeaf));
  }
  const timed = new Set(paths.filter((path) => lifeOf(input, path).length > 0).map(typeOf));
  expect(new Set(found.map(({ type }) => type))).toEqual(timed);
}

describe('over- and underestimation by rules (tables 5.9 and 5.10)', () => {
  /** Two threads that take a core each, one of which waits for half its time, and a sender that takes what is left. */
  const JOB = makeCase({
    execution_spec: {
      name: '',
      children: [{ name: 'Compute', children: [{ name: 'Thread', repeat: 'concurrent', key: 't' }] }, { name: 'Send' }],
    },
    resource_spec: {
      name: '',
      children: [
        { name: 'host', metrics: [{ name: 'cpu', class: 'consumable' }] },
        { name: 'queue', repeat: 'many', key: 't', metrics: [{ name: 'full', class: 'blocking' }] },
      ],
    },
    rules: [
      exact('/Compute/Thread', '/host/cpu', 1),
      full('/Compute/Thread', '/queue/full'),
      variable('/Send', '/host/cpu'),
    ],
    slices: {
      '/': [0, 8],
      '/Compute': [0, 8],
      '/Compute/Thread[t=0]': [0, 8],
      '/Compute/Thread[t=1]': [0, 8],
      '/Send': [0, 8],
    },
    metrics: [
      consumable('/host/cpu', { capacity: 4, bounds: [0, 1, 2, 3, 4, 5, 6, 7, 8], rates: Array<number>(8).fill(3) }),
      blocking('/queue[t=1]/full', [0, 2], [5, 7]),
    ],
    mapping: [
      { phase: '/Compute/Thread[t=0]', resources: ['/host'] },
      { phase: '/Compute/Thread[t=1]', resources: ['/host', '/queue[t=1]'] },
    ],
  });
  const effects = (input: Case) => {
    const model = createModel(readCase(input));
    return effectOfRules(model, input.sampler, attribute(model, input.sampler));
  };
  const spread = (count: number, each: number) => ({
    ...{ count, sum: close(count * each), mean: close(each), sd: close(0), cv: close(0) },
    ...{ least: close(each), q1: close(each), median: close(each), q3: close(each), most: close(each) },
  });

  test('worked by hand', () => {
    const found = effects(JOB);
    const of = (without: string, type: string) => found.find((one) => one.without === without && one.type === type);
    const slice = seconds(1);
    const none = { samples: { count: 0, sum: 0, mean: null }, durations: { count: 0 } };
    const twice = (each: number) => ({
      ...{ samples: spread(4, each * slice), durations: spread(2, 2 * slice), areas: spread(2, 2 * each * slice) },
    });
    // By the rules thread 0 takes 1 of 3 in slices 0, 1, 5 and 6, and both take 2 in the other four; the sender takes the rest.
    const compute = { metric: '/host/cpu', samples: 8, baseline: close(12 * slice) };
    // Without greedy rules all that are active share 3 evenly: 1.5 for thread 0 alone, 2 for both.
    expect(of('greedy', '/Compute/Thread')).toMatchObject({
      ...{ ...compute, attributed: close(14 * slice), over: twice(0.5), under: none },
    });
    expect(of('greedy', '/Send')).toMatchObject({ baseline: close(12 * slice), over: none, under: twice(0.5) });
    // Without waits both take 2 in all slices.
    expect(of('blocking', '/Compute/Thread')).toMatchObject({
      ...{ ...compute, attributed: close(16 * slice), over: twice(1), under: none },
    });
    expect(of('blocking', '/Send')).toMatchObject({ attributed: close(8 * slice), over: none, under: twice(1) });
    expect(found).toHaveLength(4);
  });

  test('of random jobs, as the equations have them under either set of rules', () => {
    const sides = { over: 0, under: 0 };
    for (const value of [1, 2, 3, 4, 5, 6]) {
      const input = randomCase(value);
      const found = effects(input);
      const book = byTheBook(input).attribution;
      for (const without of ['greedy', 'blocking'] as const) {
        const changed = { ...input, rules: input.rules.map((rule) => withoutRule(rule, without)) };
        const wanted = comparedByHand(input, book, byTheBook(changed).attribution);
        const own = found.filter((one) => one.without === without);
        expect(own.map(({ type, metric }) => `${type} ${metric}`).sort()).toEqual([...wanted.keys()].sort());
        for (const { type, metric, samples, over, under, baseline, attributed } of own) {
          const expected = wanted.get(`${type} ${metric}`);
          expect(samples).toBe(expected?.samples);
          expect(baseline).toBeCloseTo(expected?.baseline ?? Number.NaN, 12);
          expect(attributed).toBeCloseTo(expected?.attributed ?? Number.NaN, 12);
          for (const [side, one] of [
            ['over', over],
            ['under', under],
          ] as const) {
            const runs = expected?.[side] ?? [];
            const all = runs.flat();
            sides[side] += all.length;
            expect([one.samples.count, one.durations.count, one.areas.count]).toEqual([
              all.length,
              runs.length,
              runs.length,
            ]);
            expect(one.samples.sum).toBeCloseTo(sum(all), 12);
            expect(one.areas.most ?? 0).toBeCloseTo(Math.max(0, ...runs.map(sum)), 12);
            expect(one.durations.sum).toBeCloseTo(seconds(all.length, input.timeslice_ns), 15);
            expect(one.samples.most ?? 0).toBeCloseTo(Math.max(0, ...all), 12);
          }
        }
      }
    }
    expect(Math.min(sides.over, sides.under)).toBeGreaterThan(10);
  });
});

function withoutRule(rule: Case['rules'][number], without: 'greedy' | 'blocking'): Case['rules'][number] {
  if (without === 'greedy' && rule.rule === 'exact')
    return { ...rule, rule: 'variable', value: rule.value > 0 ? 1 : 0 };
  if (without === 'blocking' && rule.rule === 'full') return { ...rule, rule: 'none' };
  return rule;
}

type Attributed = ReturnType<typeof byTheBook>['attribution'];

interface ByHand {
  samples: number;
  baseline: number;
  attributed: number;
  /** Amounts of neighbouring slices. */
  readonly over: number[][];
  readonly under: number[][];
}

/** Sums over the leaves of a type under one parent, slice by slice; only what differs somewhere. */
function comparedByHand(input: Case, before: Attributed, after: Attributed): ReadonlyMap<string, ByHand> {
  const found = new Map<string, ByHand>();
  const slice = input.timeslice_ns / 1e9;
  for (const leaves of groupBy(
    Object.keys(before),
    (path) => `${typeOf(path)} ${path === '/' ? '' : parentOf(path)}`,
  )) {
    const metrics = new Set(leaves.flatMap((leaf) => Object.keys(before[leaf] ?? {}).map(typeOf)));
    for (const metric of metrics) {
      const users = leaves.filter((leaf) => Object.keys(before[leaf] ?? {}).some((path) => typeOf(path) === metric));
      const lives = users.map((leaf) => ({ leaf, ...lifeOf(input, leaf) })).filter(({ length }) => length > 0);
      if (lives.length === 0) continue;
      const key = `${typeOf(users[0] ?? '')} ${metric}`;
      const sums = found.get(key) ?? { samples: 0, baseline: 0, attributed: 0, over: [], under: [] };
      found.set(key, sums);
      const usage = (of: Attributed, k: number): number =>
        sum(
          lives.flatMap(({ leaf, first }) =>
            Object.entries(of[leaf] ?? {}).flatMap(([path, own]) =>
              typeOf(path) === metric ? [own.usage[k - first] ?? 0] : [],
            ),
          ),
        );
      const capacities = input.metrics.flatMap((one) =>
        one.class === 'consumable' && typeOf(one.path) === metric ? [one.capacity] : [],
      );
      let last: 'over' | 'under' | null = null;
      const from = Math.min(...lives.map(({ first }) => first));
      const to = Math.max(...lives.map(({ first, length }) => first + length));
      for (let k = from; k < to; k += 1) {
        const isAlive = lives.some(({ first, length }) => first <= k && k < first + length);
        const [was, is] = [usage(before, k), usage(after, k)];
        sums.samples += isAlive ? 1 : 0;
        sums.baseline += was * slice;
        sums.attributed += is * slice;
        const side = Math.abs(is - was) <= 1e-9 * Math.max(...capacities) ? null : is > was ? 'over' : 'under';
        if (side !== null) {
          if (side !== last) sums[side].push([]);
          sums[side].at(-1)?.push(Math.abs(is - was) * slice);
        }
        last = side;
      }
    }
  }
  return new Map([...found].filter(([, { over, under }]) => over.length + under.length > 0));
}
