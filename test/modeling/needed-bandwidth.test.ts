import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNeededBandwidth, measuredDemand, neededBandwidthText } from '../../modeling/answers/needed-bandwidth.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { bootstrap } from '../../modeling/judge/ensemble.ts';
import { rowsFrom } from '../../modeling/rows.ts';
import { grid, objects } from './fixtures.ts';

const setting = { scale: [20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const asked = { nodes: 25, scale: 20, ctiPercent: 10 };
/** Times that slow as the volume model says, but for the largest cluster, which slows twice as much at half the bandwidth. */
const rows = grid(setting, ({ nodes, bw }) => {
  const time = 1 / nodes + (0.002 * 100) / bw / Math.sqrt(nodes);
  return nodes === 25 && bw === 50 ? time * 1.12 : time;
});
const ensemble = bootstrap(solveModel('volume', rows, { ranksPerNode: 1 }), { replicates: 200 });

test('is the models’ number, in an interval that holds what was measured at that very cluster', () => {
  const needed = findNeededBandwidth(ensemble, rows, asked);
  const measured = measuredDemand(rows, asked);
  expect(needed?.measured).toEqual({ ...measured, bw: expect.closeTo(measured.bw, 9) });
  expect(measured.bw).toBeGreaterThan(50);
  expect(needed?.bw.value).toBeLessThan(50);
  expect(needed?.bw.low ?? needed?.lowest).toBeLessThanOrEqual(needed?.bw.value ?? 0);
  expect(needed?.bw.high).toBeGreaterThanOrEqual(measured.bw);
});

test('is the measured number without an interval where no model tells, and the models’ alone where nothing was measured', () => {
  const measured = measuredDemand(rows, asked);
  expect(findNeededBandwidth(null, rows, asked)).toEqual({
    bw: { value: measured.bw, low: null, high: null },
    ...{ atMost: false, lowest: 10, measured },
  });
  const beyond = findNeededBandwidth(ensemble, rows, { ...asked, nodes: 100 });
  expect(beyond?.measured).toBeNull();
  expect(beyond?.bw.value).toBeGreaterThan(0);
  expect(findNeededBandwidth(null, rows, { ...asked, nodes: 100 })).toBeNull();
});

test('is never below the lowest bandwidth that was measured of that configuration, else of its scale', () => {
  const patient = { ...asked, nodes: 16, ctiPercent: 900 };
  const needed = findNeededBandwidth(ensemble, rows, patient);
  // Ten times as long it takes far below 10 % alone: that lowest level is enough, and less may be.
  expect(needed).toMatchObject({ bw: { value: 10, low: null }, atMost: true, lowest: 10 });
  expect(needed?.bw.high).toBeGreaterThanOrEqual(10);
  const partly = grid({ ...setting, nodes: [4, 9, 16] }, ({ nodes, bw }) => 1 / nodes + 0.2 / bw / Math.sqrt(nodes));
  const full = grid({ ...setting, nodes: [25], bw: [50, 100] }, ({ nodes, bw }) => 1 / nodes + 0.2 / bw / 5);
  const both = rowsFrom([...objects(partly), ...objects(full)]);
  const unequal = bootstrap(solveModel('volume', both, { ranksPerNode: 1 }), { replicates: 100 });
  const lowestOf = (nodes: number) => findNeededBandwidth(unequal, both, { ...patient, nodes });
  expect([9, 25, 100].map((nodes) => lowestOf(nodes)?.lowest)).toEqual([10, 50, 10]);
  expect(lowestOf(25)).toMatchObject({ bw: { value: 50, low: null }, atMost: true });
});

test.each([
  [{ bw: { value: 31.6, low: 20.4, high: 51 }, atMost: false, lowest: 10 }, '32 % (90 % interval 20 to 51 %)'],
  [{ bw: { value: 10, low: null, high: 45 }, atMost: true, lowest: 10 }, '10 % or less (90 % interval up to 45 %)'],
  [{ bw: { value: 5, low: null, high: null }, atMost: true, lowest: 5 }, '5.0 % or less'],
  [{ bw: { value: 62.2, low: null, high: null }, atMost: false, lowest: 5 }, '62 %'],
])('in words: %j', (needed, text) => {
  expect(neededBandwidthText(needed)).toBe(text);
});

test('in no interval that leaves out its value, for any answer to how much longer a run may take', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(4, 9, 16, 25, 36),
      fc.double({ min: 0.1, max: 1000, noNaN: true }),
      (nodes, ctiPercent) => {
        const needed = findNeededBandwidth(ensemble, rows, { nodes, scale: 20, ctiPercent });
        const { value, low, high } = needed?.bw ?? { value: null, low: null, high: null };
        if (needed === null || value === null) throw new Error('the model knows');
        expect(value).toBeGreaterThanOrEqual(needed.lowest);
        expect(low ?? needed.lowest).toBeGreaterThanOrEqual(needed.lowest);
        expect(low ?? needed.lowest).toBeLessThanOrEqual(value);
        expect(high ?? 100).toBeGreaterThanOrEqual(value);
        expect(needed.atMost).toBe(value === needed.lowest);
      },
    ),
    { numRuns: 40 },
  );
});
