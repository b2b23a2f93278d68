import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { project } from '../../modeling/answers/project.ts';
import { fitModel } from '../../modeling/fit/fit.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { fixture } from './fixtures.ts';
import { printed } from './paper.ts';
import { plain } from './plain-data.ts';

test('Eq 6 with the printed coefficients gives CT and GTEPS by hand', () => {
  const [projection] = project(printed.eq6, { nodes: [100], bw: [50], scales: [28] });
  const ct = 118.026 / 1800 + (5.968 * 1.11 ** 2) / Math.sqrt(1800);
  expect(plain(projection)).toEqual({
    nodes: 100,
    bw: 50,
    scale: 28,
    ct: expect.closeTo(ct, 12),
    gteps: expect.closeTo((16 * 2 ** 28) / ct / 1e9, 9),
  });
});

test('every combination is there once, by scale, bandwidth, nodes', () => {
  const all = project(printed.eq7, { nodes: [4, 64], bw: [20, 100], scales: [28, 32] });
  expect(all.map(({ scale, bw, nodes }) => `${scale}/${bw}/${nodes}`)).toEqual([
    '28/20/4',
    '28/20/64',
    '28/100/4',
    '28/100/64',
    '32/20/4',
    '32/20/64',
    '32/100/4',
    '32/100/64',
  ]);
});

test('what is left out is full bandwidth, or what the model was held at, and the scales of the fit', () => {
  expect(project(printed.eq6, { nodes: [64] })).toMatchObject([{ nodes: 64, bw: 100, scale: 28 }]);
  const held: Fit = { ...printed.eq2, trainedOn: { ...printed.eq2.trainedOn, bw: [20] } };
  expect(project(held, { nodes: [64] })).toMatchObject([{ nodes: 64, bw: 20, scale: 28 }]);
});

test('another edge factor changes GTEPS in proportion', () => {
  const [sixteen] = project(printed.eq6, { nodes: [64] });
  const [eight] = project(printed.eq6, { nodes: [64], edgeFactor: 8 });
  expect(eight?.gteps).toBeCloseTo((sixteen?.gteps ?? 0) / 2, 12);
});

test('completion time never rises with nodes or bandwidth', async () => {
  const fitted = fitModel('eq7', await fixture('eq7_s26-28'), { ranksPerNode: 18 });
  const nodes = fc.integer({ min: 1, max: 100_000 });
  const bw = fc.double({ min: 1, max: 100, noNaN: true });
  fc.assert(
    fc.property(nodes, nodes, bw, bw, (n1, n2, b1, b2) => {
      const [small, large] = [Math.min(n1, n2), Math.max(n1, n2)];
      const [narrow, wide] = [Math.min(b1, b2), Math.max(b1, b2)];
      const [slow] = project(fitted, { nodes: [small], bw: [narrow], scales: [28] });
      const [fast] = project(fitted, { nodes: [large], bw: [wide], scales: [28] });
      expect(fast?.ct).toBeLessThanOrEqual((slow?.ct ?? 0) * (1 + 1e-12));
    }),
  );
});

describe('a model says nothing about other values of what it holds fixed', () => {
  test.each([
    ['eq2', { nodes: [64], scales: [29] }, /has a fixed scale \(trained at 28\), so it cannot predict 29/],
    ['eq2', { nodes: [64], bw: [20] }, /has a fixed bandwidth/],
    ['eq3', { nodes: [64], bw: [20], scales: [31] }, /has a fixed bandwidth/],
    ['eq6', { nodes: [64], scales: [28, 30] }, /has a fixed scale/],
    ['eq5', { nodes: [64] }, /has a fixed node count \(trained at 25\)/],
    ['eq5', { nodes: [25], scales: [28] }, /has a fixed scale/],
  ] as const)('%s at %j', (model, targets, message) => {
    expect(() => project(printed[model], targets)).toThrow(message);
  });
});

test.each([
  [{ nodes: [0] }, 'A target has 0 nodes'],
  [{ nodes: [Number.NaN] }, 'A target has NaN nodes'],
  [{ nodes: [4], bw: [0] }, 'bandwidth of 0 %'],
  [{ nodes: [4], bw: [120] }, 'bandwidth of 120 %'],
  [{ nodes: [4], bw: [0.001] }, 'Infinity s at 4 nodes'],
])('the target %j is an error', (targets, message) => {
  expect(() => project(printed.eq6, targets)).toThrow(message);
});

test('a fit whose coefficients are all 0 gives no throughput but an error', () => {
  const nothing: Fit = { ...printed.eq6, coefficients: { C1: 0, C2: 0 } };
  expect(() => project(nothing, { nodes: [4] })).toThrow('gives 0 s at 4 nodes');
  expect(() => project({ ...printed.eq6, coefficients: { C1: 1 } }, { nodes: [4] })).toThrow('no coefficient C2');
});
