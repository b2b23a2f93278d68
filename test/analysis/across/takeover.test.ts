import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ComponentFit, fitComponents } from '../../../analysis/across/fit-components.ts';
import type { Run } from '../../../analysis/across/run-of-cell.ts';
import { takeovers } from '../../../analysis/across/takeover.ts';
import { times } from '../../times.ts';
import { formula, makeRun, makeRuns, RANKS_PER_NODE, TRUTH, type Truth } from './make-runs.ts';

const COMPONENTS = { over: 'network', under: 'cpu' } as const;

function fitsOf(runs: readonly Run[]): readonly ComponentFit[] {
  const found = fitComponents(runs, { ranksPerNode: RANKS_PER_NODE });
  return found.kind === 'fitted' ? found.components : [];
}

/** Where b D (100/bw) / sqrt(x) = a D/x + c sqrt(x). */
function crossing(truth: Truth, at: { readonly nodes: number; readonly scale: number }): number {
  const { cpu, network } = formula(truth, { ...at, bw: 100 });
  return (100 * network) / cpu;
}

describe('measured', () => {
  const run = (bw: number, network: number, rep = 1): Run => makeRun({ bw, rep, components: { cpu: 2, network } });
  const bracket = (...runs: readonly Run[]) => takeovers(runs, { ...COMPONENTS, fits: [] });

  test('the network takes over between the highest bandwidth at which it costs more and the lowest at which not', () => {
    expect(bracket(run(100, 1), run(50, 1.5), run(25, 3), run(10, 7))).toEqual([
      { scale: 20, nodes: 4, above: 25, below: 50, fitted: null },
    ]);
  });

  test('one that costs as much as the processors has not taken over', () => {
    expect(bracket(run(100, 1), run(50, 2))).toMatchObject([{ above: null, below: 50 }]);
  });

  test('one that always costs more has no lower bandwidth, one that never does no higher', () => {
    expect(bracket(run(100, 3), run(10, 9))).toMatchObject([{ above: 100, below: null }]);
    expect(bracket(run(100, 0), run(10, 1))).toMatchObject([{ above: null, below: 10 }]);
  });

  test('repetitions that disagree leave a bracket of one bandwidth', () => {
    expect(bracket(run(100, 1), run(50, 1.9, 1), run(50, 2.1, 2), run(10, 9))).toMatchObject([
      { above: 50, below: 50 },
    ]);
  });

  test('each scale and node count has its own, in rising order; counts only asked for have none', () => {
    const runs = [16, 4].flatMap((nodes) =>
      [21, 20].map((scale) => makeRun({ nodes, scale, components: { cpu: nodes === 4 ? 2 : 1, network: 1.5 } })),
    );
    expect(takeovers(runs, { ...COMPONENTS, fits: [], nodes: [100, 9] })).toEqual(
      [20, 21].flatMap((scale) => [
        { scale, nodes: 4, above: null, below: 100, fitted: null },
        { scale, nodes: 9, above: null, below: null, fitted: null },
        { scale, nodes: 16, above: 100, below: null, fitted: null },
        { scale, nodes: 100, above: null, below: null, fitted: null },
      ]),
    );
  });
});

describe('by the fits', () => {
  const runs = makeRuns();
  const found = takeovers(runs, { ...COMPONENTS, fits: fitsOf(runs), nodes: [6, 25] });

  test('the network takes over where the closed form has it, also on node counts that were not measured', () => {
    expect(found.map(({ scale, nodes }) => [scale, nodes])).toEqual(
      [20, 21].flatMap((scale) => [2, 4, 6, 9, 16, 25].map((nodes) => [scale, nodes])),
    );
    const inside = found.filter((one) => crossing(TRUTH, one) < 100);
    expect(inside.length).toBeGreaterThan(8);
    for (const one of inside) expect((one.fitted ?? 0) / crossing(TRUTH, one)).toBeCloseTo(1, 5);
  });

  test('it lies within the measured bracket', () => {
    const brackets = found.filter(({ above, below, fitted }) => above !== null && below !== null && fitted !== null);
    expect(brackets.length).toBeGreaterThan(4);
    for (const { above, below, fitted } of brackets) {
      expect(fitted).toBeGreaterThanOrEqual(above ?? Number.NaN);
      expect(fitted).toBeLessThanOrEqual(below ?? Number.NaN);
    }
  });

  test('it is null where the network would always or never cost more between 1 and 100 %', () => {
    const always = makeRuns({ truth: { work: 1, volume: 50, messages: 1e-3 } });
    const never = makeRuns({ truth: { work: 1000, volume: 1e-3, messages: 1 } });
    for (const one of [always, never]) {
      const crossings = takeovers(one, { ...COMPONENTS, fits: fitsOf(one) });
      expect(crossings.map(({ fitted }) => fitted)).toEqual(crossings.map(() => null));
    }
    expect(crossing({ work: 1, volume: 50, messages: 1e-3 }, { nodes: 16, scale: 20 })).toBeGreaterThan(100);
    expect(crossing({ work: 1000, volume: 1e-3, messages: 1 }, { nodes: 16, scale: 20 })).toBeLessThan(1);
  });

  test('it rises with the volume', () => {
    const volume = fc.double({ min: 0.05, max: 0.3, noNaN: true });
    const fitted = (value: number): number => {
      const runs = makeRuns({ truth: { ...TRUTH, volume: value } });
      return takeovers(runs, { ...COMPONENTS, fits: fitsOf(runs) })[0]?.fitted ?? Number.NaN;
    };
    fc.assert(
      fc.property(volume, (value) => {
        expect(fitted(value * 1.5)).toBeGreaterThan(fitted(value));
      }),
      { numRuns: times(2) },
    );
  });

  test('there is none without a fit of either', () => {
    const only = fitsOf(runs).filter(({ name }) => name === 'cpu');
    expect(takeovers(runs, { ...COMPONENTS, fits: only }).map(({ fitted }) => fitted)).toEqual(Array(8).fill(null));
  });
});
