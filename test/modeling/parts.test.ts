import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeTimeParts, type Parts } from '../../modeling/answers/savings.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { models } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { bootstrap } from '../../modeling/judge/ensemble.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { times } from '../times.ts';
import { grid } from './fixtures.ts';

const setting = { scale: [20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const target = { scale: 20, nodes: 25, bw: 100 };
/** C1/x + C2 s/sqrt(x) + C3 sqrt(x), all three in known shares at the target. */
const rowsOf = (work: number, link: number, overhead: number) =>
  grid(
    setting,
    ({ nodes, bw }) =>
      (work * 25) / nodes + ((link * 100) / bw) * Math.sqrt(25 / nodes) + overhead * Math.sqrt(nodes / 25),
  );
const partsAt = (rows: ReturnType<typeof rowsOf>): Parts => {
  const solved = solveModel('volume', rows, { ranksPerNode: 1 });
  const parts = computeTimeParts(bootstrap(solved, { replicates: 100 }), target);
  if (parts === null) throw new Error('no parts');
  return parts;
};

describe('the parts of a time', () => {
  test.each([
    [0.7, 0.1, 0.2, 'work'],
    [0.1, 0.8, 0.1, 'link'],
    [0.1, 0.2, 0.7, 'overhead'],
  ] as const)('%d of work, %d of transfers and %d of overhead are found', (work, link, overhead, largest) => {
    const parts = partsAt(rowsOf(work, link, overhead));
    expect(parts.percent.work.value).toBeCloseTo(work * 100, 3);
    expect(parts.percent.link.value).toBeCloseTo(link * 100, 3);
    expect(parts.percent.overhead.value).toBeCloseTo(overhead * 100, 3);
    expect(parts.largest).toBe(largest);
  });

  test('name no largest where two are alike', () => {
    expect(partsAt(rowsOf(0.4, 0.2, 0.4)).largest).toBeNull();
  });

  test('are not told by a form that does not tell work from communication', () => {
    const solved = solveModel('eq5', rowsOf(0.5, 0.3, 0.2), { ranksPerNode: 1, at: { nodes: 25 } });
    expect(computeTimeParts(bootstrap(solved, { replicates: 20 }), target)).toBeNull();
  });

  test('add up to all of it, also where communication hides behind work', () => {
    const share = fc.double({ min: 0.01, max: 10, noNaN: true });
    const overlap = solveModel('overlap', rowsOf(0.5, 0.3, 0.2), { ranksPerNode: 1 });
    fc.assert(
      fc.property(share, share, share, (C1, C2, C3) => {
        const fit: Fit = { ...overlap.fit, coefficients: { C1, C2, C3 } };
        const ensemble = { ...bootstrap(overlap, { replicates: 20 }), fit, replicas: [fit, fit] };
        const parts = computeTimeParts(ensemble, target);
        const sum = ['work', 'overhead', 'link'].reduce(
          (total, part) => total + (parts?.percent[part as 'work'].value ?? Number.NaN),
          0,
        );
        expect(sum).toBeCloseTo(100, 9);
        // What an endless link would save is what the fit itself loses without one.
        const saved = 1 - predict(fit, { ...target, bw: 1e12 }) / predict(fit, target);
        expect(parts?.percent.link.value).toBeCloseTo(saved * 100, 6);
      }),
      { numRuns: times(10) },
    );
    expect(models.overlap.overlap).toBeGreaterThan(1);
  });
});
