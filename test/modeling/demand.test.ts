import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeDemand, measuredDemand } from '../../modeling/answers/needed-bandwidth.ts';
import { predict } from '../../modeling/forms/predict.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { fixture, grid, objects } from './fixtures.ts';
import { printed } from './paper.ts';
import { plain } from './plain-data.ts';

const AT = { nodes: 25, scale: 29 };

describe('from a fit', () => {
  test('Eq 5 has the demand 100 / (1 + ln(1 + CTI) / ln(alpha))', () => {
    const expected = 100 / (1 + Math.log(1.1) / Math.log(1.07));
    expect(plain(computeDemand(printed.eq5, { ...AT, ctiPercent: 10 }))).toEqual({
      ...AT,
      ctiPercent: 10,
      bw: expect.closeTo(expected, 10),
      atMost: false,
    });
  });

  test('at the demand the increment is the level', () => {
    const level = fc.double({ min: 1e-4, max: 10_000, noNaN: true });
    fc.assert(
      fc.property(level, fc.integer({ min: 1, max: 10_000 }), (ctiPercent, nodes) => {
        const { bw, atMost } = computeDemand(printed.eq6, { nodes, scale: 28, ctiPercent });
        expect(atMost).toBe(false);
        expect(
          Math.abs(
            (predict(printed.eq6, { nodes, scale: 28, bw }) / predict(printed.eq6, { nodes, scale: 28, bw: 100 }) - 1) *
              100 -
              ctiPercent,
          ),
        ).toBeLessThan(1e-9 * (100 + ctiPercent));
      }),
    );
  });

  test('more nodes need more bandwidth for the same level', () => {
    const bw = [4, 9, 16, 25, 100, 400].map(
      (nodes) => computeDemand(printed.eq6, { nodes, scale: 28, ctiPercent: 5 }).bw,
    );
    expect(bw).toEqual(bw.toSorted((a, b) => a - b));
  });

  test('no increment allowed means the full bandwidth', () => {
    expect(computeDemand(printed.eq6, { nodes: 25, scale: 28, ctiPercent: 0 }).bw).toBeCloseTo(100, 9);
  });

  test('a program that bandwidth does not touch needs at most the smallest one', () => {
    const untouched: Fit = { ...printed.eq6, alpha: 1 };
    expect(computeDemand(untouched, { nodes: 25, scale: 28, ctiPercent: 5 })).toMatchObject({ bw: 0.1, atMost: true });
  });

  test('models without bandwidth, other scales and levels below 0 are errors', () => {
    expect(() => computeDemand(printed.eq3, { ...AT, ctiPercent: 10 })).toThrow('has no term for the bandwidth');
    expect(() => computeDemand(printed.eq6, { ...AT, ctiPercent: 10 })).toThrow('has a fixed scale');
    expect(() => computeDemand(printed.eq5, { ...AT, nodes: 4, ctiPercent: 10 })).toThrow('has a fixed node count');
    expect(() => computeDemand(printed.eq5, { ...AT, ctiPercent: -10 })).toThrow('increment is -10 %');
  });
});

describe('as measured', () => {
  const exponential = grid({ scale: [29], nodes: [25], bw: [10, 20, 40, 100] }, ({ bw }) => 1.07 ** (100 / bw));

  test('at a measured level the demand is that bandwidth, between two it lies between', () => {
    expect(measuredDemand(exponential, { ...AT, ctiPercent: 100 * (1.07 ** 4 - 1) + 1e-10 }).bw).toBeCloseTo(20, 6);
    const { bw } = measuredDemand(exponential, { ...AT, ctiPercent: 20 });
    expect(bw).toBeGreaterThan(20);
    expect(bw).toBeLessThan(40);
    // Eq 5's own answer is 27.1 %.
    expect(Math.abs(bw - computeDemand(printed.eq5, { ...AT, ctiPercent: 20 }).bw)).toBeLessThan(0.5);
  });

  test('a level that even the smallest bandwidth keeps is met by at most that', () => {
    expect(measuredDemand(exponential, { ...AT, ctiPercent: 500 })).toEqual({
      ...AT,
      ctiPercent: 500,
      bw: 10,
      atMost: true,
    });
  });

  test('a dip below the level at a smaller bandwidth does not count: it must stay there', () => {
    const times = new Map([
      [10, 1.05],
      [20, 1.5],
      [40, 1.02],
      [100, 1],
    ]);
    const dip = grid({ scale: [29], nodes: [25], bw: [...times.keys()] }, ({ bw }) => times.get(bw) ?? 0);
    expect(measuredDemand(dip, { ...AT, ctiPercent: 10 }).bw).toBeGreaterThan(20);
  });

  test('rows without full bandwidth, or none at the setting, are errors', async () => {
    const rows = await fixture('eq5_s29_n25');
    expect(() => measuredDemand(rows, { ...AT, ctiPercent: 10 })).toThrow(
      'No rows at bandwidth 100 % at 25 nodes, scale 29',
    );
    expect(() => measuredDemand(rows, { nodes: 4, scale: 29, ctiPercent: 10 })).toThrow('No rows at 4 nodes, scale 29');
  });

  test('on the made data the demand rises with nodes', async () => {
    const [full, throttled] = await Promise.all([fixture('eq2_s28'), fixture('eq6_s28')]);
    const rows = rowsFrom([...objects(full), ...objects(throttled)]);
    const [few, many] = [4, 25].map((nodes) => measuredDemand(rows, { nodes, scale: 28, ctiPercent: 60 }).bw);
    expect(many).toBeGreaterThan(few ?? Number.NaN);
  });
});
