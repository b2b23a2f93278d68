import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateDrift, type TimedVisit } from '../../modeling/fit/estimate-drift.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { processorSeconds } from '../processor-seconds.ts';
import { times } from '../times.ts';

interface Made {
  readonly visits: readonly TimedVisit[];
  /** The planted drift at each visit, mean 0. */
  readonly truth: readonly number[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const rms = (values: readonly number[]): number => Math.sqrt(mean(values.map((value) => value ** 2)));
const centred = (values: readonly number[]): number[] => values.map((value) => value - mean(values));

const SCATTER = 0.02;
const [CELLS, BLOCKS] = [8, 4];

/** Balanced visits: in each block every cell once, in a drawn order, 10 s apart; the drift is a function of time in [0, 1]. */
function made(seed: number, drift: (share: number) => number): Made {
  const random = createRandom(seed);
  const levels = Array.from({ length: CELLS }, () => 3 * random.normal());
  const order = Array.from({ length: BLOCKS }, () =>
    levels.map((_, cell) => ({ cell, key: random.uniform() })).sort((a, b) => a.key - b.key),
  ).flat();
  const planted = order.map((_, place) => drift(place / (order.length - 1)));
  const visits = order.map(({ cell }, place) => ({
    ...{ cell: `cell ${cell}`, t: 1.7e9 + 10 * place },
    y: (levels[cell] ?? 0) + (planted[place] ?? 0) + SCATTER * random.normal(),
  }));
  return { visits, truth: centred(planted) };
}

const SEEDS = Array.from({ length: 24 }, (_, index) => index + 1);

const estimated = ({ visits }: Made) => {
  const drift = estimateDrift(visits);
  if (drift === null) throw new Error('no drift was estimated');
  return drift;
};
const errorsOf = (one: Made): number[] => {
  const { effects } = estimated(one);
  return one.truth.map((value, visit) => (effects[visit] ?? 0) - value);
};

describe('a drift that all cells share', () => {
  test.each<[string, number, (share: number) => number]>([
    ['rises evenly', 0.25, (share) => 0.2 * share],
    ['falls evenly', 0.25, (share) => -0.2 * share],
    ['steps once', 0.35, (share) => (share < 0.55 ? 0 : 0.15)],
    ['comes as a burst', 0.5, (share) => (share > 0.4 && share < 0.6 ? 0.25 : 0)],
    ['comes and goes', 0.35, (share) => 0.1 * Math.sin(4 * Math.PI * share)],
  ])('is taken out where it %s: at most %f of it is left', (_, most, drift) => {
    const all = SEEDS.map((seed) => made(seed, drift));
    const [before, after] = [rms(all.flatMap(({ truth }) => [...truth])), rms(all.flatMap(errorsOf))];
    expect(after / before).toBeLessThan(most);
  });

  test('is not invented where there is none', () => {
    const effects = SEEDS.flatMap((seed) => [...estimated(made(seed, () => 0)).effects]);
    expect(rms(effects)).toBeLessThan(0.35 * SCATTER);
  });

  test('is known as well as it says: about two thirds of the errors lie within `unsure`', () => {
    const shapes = [(share: number) => 0.2 * share, (share: number) => 0.1 * Math.sin(3 * Math.PI * share), () => 0];
    const errors = SEEDS.flatMap((seed) =>
      shapes.flatMap((shape) => {
        const { visits, truth } = made(seed, shape);
        const { effects, unsure } = estimated({ visits, truth });
        return truth.map((value, visit) => Math.abs((effects[visit] ?? 0) - value) / unsure);
      }),
    );
    const within = (bound: number): number => errors.filter((value) => value < bound).length / errors.length;
    expect(within(1)).toBeGreaterThan(0.65);
    expect(within(2)).toBeGreaterThan(0.9);
    // Nor is it so unsure of itself that it says nothing.
    expect(rms(errors)).toBeGreaterThan(0.4);
  });

  test.each<[string, (share: number) => number]>([
    ['none', () => 0],
    ['an even one', (share) => 0.2 * share],
    ['one that comes and goes', (share) => 0.1 * Math.sin(4 * Math.PI * share)],
  ])('does not hide the scatter of visits: %s', (_, drift) => {
    const scatter = rms(SEEDS.map((seed) => estimated(made(seed, drift)).scatter));
    expect(scatter / SCATTER).toBeGreaterThan(0.85);
    expect(scatter / SCATTER).toBeLessThan(1.25);
  });
});

describe('what is estimated', () => {
  const seed = fc.integer({ min: 1, max: 2 ** 31 });
  const close = (a: Float64Array, b: Float64Array): void => {
    expect(a.length).toBe(b.length);
    for (const [visit, value] of a.entries()) expect(value).toBeCloseTo(b[visit] ?? Number.NaN, 8);
  };

  test('does not depend on the level of times, the clock or the names of cells', () => {
    fc.assert(
      fc.property(seed, fc.double({ min: -20, max: 20, noNaN: true }), (number, shift) => {
        const { visits } = made(number, (share) => 0.1 * share);
        const { effects } = estimated({ visits, truth: [] });
        const changed = visits.map(({ cell, t, y }) => ({
          cell: `${Number(cell.slice(5)) * 7} x`,
          t: t + 1e4,
          y: y + shift,
        }));
        close(estimated({ visits: changed, truth: [] }).effects, effects);
      }),
      { numRuns: times(2) },
    );
  });

  test('belongs to its visit, in whatever order visits are told', () => {
    fc.assert(
      fc.property(seed, (number) => {
        const { visits } = made(number, (share) => 0.1 * share);
        const { effects } = estimated({ visits, truth: [] });
        const reversed = estimated({ visits: [...visits].reverse(), truth: [] });
        close(reversed.effects.slice().reverse(), effects);
      }),
      { numRuns: times(2) },
    );
  });

  test('scales with the times: twice the spread in ln is twice the drift', () => {
    const { visits } = made(7, (share) => 0.2 * share);
    const one = estimated({ visits, truth: [] });
    const two = estimated({ visits: visits.map((visit) => ({ ...visit, y: 2 * visit.y })), truth: [] });
    close(
      two.effects,
      one.effects.map((value) => 2 * value),
    );
    expect(two.unsure).toBeCloseTo(2 * one.unsure, 8);
    expect(two.scatter).toBeCloseTo(2 * one.scatter, 8);
  });

  test('has mean 0 over the visits', () => {
    const { effects } = estimated(made(3, (share) => 0.2 * share));
    expect(mean([...effects])).toBeCloseTo(0, 12);
  });
});

describe('too few visits', () => {
  const visit = (cell: string, t: number, y = t / 10): TimedVisit => ({ cell, t, y });

  test('of cells that were visited before tell of no drift', () => {
    expect(estimateDrift([])).toBeNull();
    expect(estimateDrift(['a', 'b', 'c', 'd'].map((cell, t) => visit(cell, t)))).toBeNull();
    expect(estimateDrift([visit('a', 0), visit('b', 1), visit('a', 2), visit('b', 3)])).toBeNull();
  });

  test('are two; three are enough', () => {
    const visits = ['a', 'b', 'c', 'a', 'b', 'c'].map((cell, t) => visit(cell, t));
    expect(estimateDrift(visits)?.freedom).toBe(3);
    expect(estimateDrift(visits.slice(0, 5))).toBeNull();
  });

  test('are none of a moment: visits at one time, or of times without any scatter, give numbers', () => {
    const same = ['a', 'b', 'c', 'a', 'b', 'c'];
    for (const visits of [same.map((cell) => visit(cell, 5, 1)), same.map((cell, t) => visit(cell, t, 1))]) {
      const drift = estimateDrift(visits);
      expect([...(drift?.effects ?? [Number.NaN])].every((value) => Math.abs(value) < 1e-6)).toBe(true);
      expect(drift?.scatter).toBeLessThan(1e-6);
      expect(drift?.unsure).toBeLessThan(1e-5);
    }
  });
});

test('hundreds of visits take no more than seconds of a processor', async () => {
  const { visits } = made(1, (share) => 0.2 * share);
  const many = Array.from({ length: 20 }, (_, turn) =>
    visits.map((one) => ({ ...one, t: one.t + turn * 1000 })),
  ).flat();
  const estimate = (): void => expect(estimateDrift(many)?.effects).toHaveLength(many.length);
  expect(await processorSeconds(estimate)).toBeLessThan(10);
});
