import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPerfectSquare } from '../../modeling/answers/dominance.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { findDominance } from './find-dominance.ts';
import { printed } from './paper.ts';
import { plain } from './plain-data.ts';

describe("the paper's Table V from its printed coefficients", () => {
  test.each([
    ['eq2', 66.56, 81],
    ['eq6', 17.64, 25],
    ['eq3', 64.69, 81],
    ['eq7', 11.42, 16],
  ] as const)('%s', (model, nodes, admissibleNodes) => {
    const [result] = findDominance(printed[model], { bw: [100], scale: 28 });
    expect(plain(result)).toEqual({ bw: 100, nodes: expect.closeTo(nodes, 2), admissibleNodes });
  });
});

test('the crossover is where C2*w/sqrt(x) = C1/x, to twelve digits', () => {
  const positive = fc.double({ min: 1e-3, max: 1e3, noNaN: true });
  fc.assert(
    fc.property(positive, positive, fc.double({ min: 1, max: 2, noNaN: true }), (C1, C2, alpha) => {
      const [at] = findDominance({ ...printed.eq6, coefficients: { C1, C2 }, alpha }, { bw: [40] });
      const nodes = (C1 / (C2 * alpha ** 2.5)) ** 2 / 18;
      if (nodes <= 1) expect(at?.nodes).toBe(1);
      else expect(Math.abs((at?.nodes ?? 0) / nodes - 1)).toBeLessThan(1e-12);
    }),
  );
});

test('less bandwidth brings the crossover nearer', () => {
  const nodes = findDominance(printed.eq6, { bw: [10, 20, 50, 100] }).map((at) => at.nodes ?? 0);
  expect(nodes).toEqual(nodes.toSorted((a, b) => a - b));
});

test('a crossover on an admissible node count is met by that count in spite of rounding', () => {
  for (const nodes of [4, 9, 16, 25, 36, 49, 64, 81, 100, 1024]) {
    const fit: Fit = { ...printed.eq2, coefficients: { C1: Math.sqrt(18 * nodes), C2: 1 } };
    expect(findDominance(fit, { bw: [100] })).toEqual([
      { bw: 100, nodes: expect.closeTo(nodes, 9), admissibleNodes: nodes },
    ]);
  }
});

test('communication dominates from one node when there is no processing, and never when there is no communication', () => {
  const without = (name: string): Fit => ({
    ...printed.eq2,
    coefficients: { ...printed.eq2.coefficients, [name]: 0 },
  });
  expect(findDominance(without('C1'), { bw: [100] })).toEqual([{ bw: 100, nodes: 1, admissibleNodes: 1 }]);
  expect(findDominance(without('C2'), { bw: [100] })).toEqual([{ bw: 100, nodes: null, admissibleNodes: null }]);
});

test('the rule of admissible node counts is the caller’s, and the search for one ends', () => {
  const powerOfTwo = (nodes: number): boolean => Number.isInteger(Math.log2(nodes));
  expect(findDominance(printed.eq2, { bw: [100], isAdmissible: powerOfTwo })[0]?.admissibleNodes).toBe(128);
  expect(findDominance(printed.eq2, { bw: [100], isAdmissible: () => false })[0]).toMatchObject({
    nodes: expect.closeTo(66.56, 2),
    admissibleNodes: null,
  });
  const far: Fit = { ...printed.eq2, coefficients: { C1: 1e6, C2: 1 } };
  expect(findDominance(far, { bw: [100], isAdmissible: isPerfectSquare })[0]?.admissibleNodes).toBeNull();
});

test('a model without that distinction, a bandwidth held otherwise and a bandwidth out of range are errors', () => {
  expect(() => findDominance(printed.eq5, { bw: [100] })).toThrow('does not separate processing from communication');
  expect(() => findDominance(printed.eq2, { bw: [20] })).toThrow('has a fixed bandwidth');
  expect(() => findDominance(printed.eq6, { bw: [0] })).toThrow('bandwidth of 0 %');
});
