import { expect, test } from 'vitest';
import { bootstrap, measuredDemand, neededBandwidth, solveModel } from '../../modeling/index.ts';
import { grid } from './fixtures.ts';

const setting = { scale: [20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const asked = { nodes: 25, scale: 20, ctiPercent: 10 };
/** Times that slow as the volume model says, but for the largest cluster, which slows twice as much at half the bandwidth. */
const rows = grid(setting, ({ nodes, bw }) => {
  const time = 1 / nodes + (0.002 * 100) / bw / Math.sqrt(nodes);
  return nodes === 25 && bw === 50 ? time * 1.12 : time;
});
const ensemble = bootstrap(solveModel('volume', rows, { ranksPerNode: 1 }), { replicates: 200 });

test('is the models’ number, in an interval that holds what was measured at that very cluster', () => {
  const needed = neededBandwidth(ensemble, rows, asked);
  const measured = measuredDemand(rows, asked);
  expect(needed?.measured).toEqual(measured);
  expect(measured.bw).toBeGreaterThan(50);
  expect(needed?.bw.value).toBeLessThan(50);
  expect(needed?.bw.low ?? 100).toBeLessThanOrEqual(needed?.bw.value ?? 0);
  expect(needed?.bw.high).toBeGreaterThanOrEqual(measured.bw);
});

test('is the measured number without an interval where no model tells, and the models’ alone where nothing was measured', () => {
  const measured = measuredDemand(rows, asked);
  expect(neededBandwidth(null, rows, asked)).toEqual({ bw: { value: measured.bw, low: null, high: null }, measured });
  const beyond = neededBandwidth(ensemble, rows, { ...asked, nodes: 100 });
  expect(beyond?.measured).toBeNull();
  expect(beyond?.bw.value).toBeGreaterThan(0);
  expect(neededBandwidth(null, rows, { ...asked, nodes: 100 })).toBeNull();
});
