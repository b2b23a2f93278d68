import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { advise } from '../../modeling/answers/decide/advise.ts';
import { decide } from '../../modeling/answers/decide/decide.ts';
import { describeDecisions } from '../../modeling/answers/decide/decision-sentences.ts';
import { findDiminishingReturn } from '../../modeling/answers/decide/diminishing.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { fitFromCoefficients } from '../../modeling/forms/from-coefficients.ts';
import type { ModelName } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import type { TrafficPoint } from '../../modeling/forms/traffic-form.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { bootstrap, estimate } from '../../modeling/judge/ensemble.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { filterRows, type Rows, rowsFrom } from '../../modeling/rows.ts';
import { times } from '../times.ts';
import { findDominance } from './find-dominance.ts';
import { fixture, grid, objects } from './fixtures.ts';
import { plain } from './plain-data.ts';

const RANKS = { ranksPerNode: 18, baseScale: 25 };
const isSquare = (nodes: number): boolean => Number.isInteger(Math.sqrt(nodes));

// CT = 1/n + 0.02 sqrt(n) at full bandwidth and scale 20: everything below follows by hand.
const rows = grid(
  { scale: [20], nodes: [1, 4, 9, 16, 25], bw: [10, 20, 50, 100] },
  ({ nodes, bw }) => 1 / nodes + (0.1 * 100) / bw / Math.sqrt(nodes) + 0.02 * Math.sqrt(nodes),
);
const options = {
  nodes: [4, 9, 16, 25, 36],
  bw: [100],
  scales: [20],
  isAdmissible: isSquare,
  edgeFactor: 16,
  referenceNodes: 1,
  gainPercent: 10,
  efficiencyPercent: 50,
  ctiPercent: 10,
  runs: 3600,
  price: 2,
  lineRateBps: 1e9,
  memory: { bytesPerEdge: 40, bytesPerNode: 2 ** 27 },
  deadline: 0.25,
} as const;
const ct = (nodes: number, bw = 100): number =>
  1 / nodes + (0.1 * 100) / bw / Math.sqrt(nodes) + 0.02 * Math.sqrt(nodes);

describe('decisions', () => {
  const ensemble = bootstrap(solveModel('volume', rows, { ranksPerNode: 1, errors: 'relative' }), { replicates: 50 });
  const decisions = decide(ensemble, options);

  test('have the published shape', () => {
    expect(plain(decisions)).toBe(decisions);
    expect(Object.keys(decisions).join()).toBe(
      'model,level,referenceNodes,options,diminishing,deadline,linkRate,memory',
    );
    const parts = [decisions.options[0], decisions.diminishing[0], decisions.deadline, decisions.linkRate[0]];
    expect([...parts, decisions.memory[0]].map((one) => Object.keys(one ?? {}).join())).toEqual([
      'nodes,bw,scale,ct,measured,gteps,speedup,efficiencyPercent,nodeHours,cost,withinDeadlinePercent,abstains',
      'definition,percent,scale,bw,nodes,abstains,admissibleNodes',
      'seconds,smallest,smallestSure,cheapest,cheapestSure',
      'nodes,scale,ctiPercent,bw,atMost,lowest,rateBps',
      'scale,bytesPerEdge,totalBytes,bytesPerNode,smallestNodes,tooSmall',
    ]);
  });

  test('time, rate, speedup, efficiency and cost follow from the formula', () => {
    const nine = decisions.options.find(({ nodes }) => nodes === 9);
    expect(nine?.ct.value).toBeCloseTo(ct(9), 8);
    expect(nine?.gteps?.value).toBeCloseTo((16 * 2 ** 20) / ct(9) / 1e9, 6);
    expect(nine?.speedup.value).toBeCloseTo(ct(1) / ct(9), 6);
    expect(nine?.efficiencyPercent.value).toBeCloseTo((100 * ct(1)) / ct(9) / 9, 4);
    expect(nine?.nodeHours.value).toBeCloseTo(9 * ct(9), 6);
    expect(nine?.cost?.value).toBeCloseTo(18 * ct(9), 6);
  });

  test('each definition of diminishing return is met where it says', () => {
    const from = (definition: string): number =>
      decisions.diminishing.find((one) => one.definition === definition)?.nodes.value ?? Number.NaN;
    const doubling = from('doubling-gains-less');
    expect(ct(2 * doubling) / ct(doubling)).toBeCloseTo(0.9, 6);
    const half = from('efficiency-below');
    expect(ct(1) / ct(half) / half).toBeCloseTo(0.5, 6);
    const crossing = from('communication-dominates');
    expect(0.1 / Math.sqrt(crossing) + 0.02 * Math.sqrt(crossing)).toBeCloseTo(1 / crossing, 6);
    const least = from('time-rises');
    expect(ct(least * 1.01)).toBeGreaterThan(ct(least));
    expect(ct(least / 1.01)).toBeGreaterThan(ct(least));
  });

  test('admissible counts are the next squares', () => {
    expect(decisions.diminishing.length).toBeGreaterThan(2);
    for (const { nodes, admissibleNodes } of decisions.diminishing) {
      expect(isSquare(admissibleNodes.value ?? 0)).toBe(true);
      expect(admissibleNodes.value).toBeGreaterThanOrEqual(nodes.value ?? 0);
    }
  });

  test('a program without graphs has neither a rate nor a graph to hold in memory', () => {
    const plain = decide(ensemble, { ...options, edgeFactor: null });
    expect(plain.options.map(({ gteps }) => gteps)).toEqual(plain.options.map(() => null));
    expect(plain.memory).toEqual([]);
    expect(plain.options[0]?.ct).toEqual(decisions.options[0]?.ct);
  });

  test('a deadline is asked of the largest scale', () => {
    const two = decide(ensemble, { ...options, scales: [19, 20] });
    expect(two.options.map(({ scale }) => scale)).toContain(19);
    expect(two.deadline).toEqual(decisions.deadline);
    expect(two.deadline?.smallest?.scale).toBe(20);
  });

  test('the smallest cluster under a deadline is the first that is quick enough', () => {
    expect([4, 9].map((nodes) => ct(nodes) <= 0.25)).toEqual([false, true]);
    expect(decisions.deadline?.smallest?.nodes).toBe(9);
    expect(decisions.deadline?.cheapest?.nodes).toBe(9);
  });

  test('the link that keeps the increment is the one at which it is reached', () => {
    const reached = decisions.linkRate.filter(({ atMost }) => !atMost);
    expect(reached.length).toBeGreaterThan(1);
    for (const { nodes, bw, rateBps } of reached) {
      expect(ct(nodes, bw.value ?? 0) / ct(nodes)).toBeCloseTo(1.1, 5);
      expect(rateBps?.value).toBeCloseTo(((bw.value ?? 0) / 100) * 1e9, 0);
    }
  });

  test('no link below the lowest that was measured is said to be enough', () => {
    // At 10 % bandwidth no cluster takes six times as long as on the full link.
    const patient = decide(ensemble, { ...options, ctiPercent: 500 });
    for (const { nodes, bw, atMost, lowest, rateBps } of patient.linkRate) {
      expect(ct(nodes, 10) / ct(nodes)).toBeLessThan(6);
      expect({ bw: bw.value, low: bw.low, atMost, lowest }).toEqual({ bw: 10, low: null, atMost: true, lowest: 10 });
      expect(rateBps?.value).toBe(1e8);
    }
    expect(describeDecisions(patient).join('\n')).toContain(
      '36 nodes need 10 % or less (90 % interval up to 10 %) of it',
    );
  });

  test('memory counts bytes per edge, and names the clusters that are too small', () => {
    // 16 * 2^20 edges * 40 bytes = 5 * 2^27 bytes: five nodes of 2^27 bytes, so nine that can run.
    expect(decisions.memory).toEqual([
      { scale: 20, bytesPerEdge: 40, totalBytes: 5 * 2 ** 27, bytesPerNode: 2 ** 27, smallestNodes: 9, tooSmall: [4] },
    ]);
  });

  test('the sentences carry the numbers', () => {
    const text = describeDecisions(decisions).join('\n');
    expect(text).toMatch(/The smallest cluster under 250 ms is 9 nodes at 100 % bandwidth, scale 20/);
    expect(text).toMatch(/doubling the nodes saves less than 10 % of the time from \d+/);
    expect(text).toMatch(/it does not fit on 4\./);
  });
});

describe('an all-to-all, of which one node sends nothing', () => {
  // 1.6 s of work; ranks send 1/n of what they hold to each other host, and so the second node adds all messages.
  const transposed = (nodes: number): number => 1.6 / nodes + (3.2 * (nodes - 1)) / nodes ** 2;
  // As they were measured at 20 % bandwidth; every doubling saves 37 to 49 %.
  const seen: Readonly<Record<number, number>> = { 1: 1.7, 2: 1.6, 4: 1, 8: 0.538, 16: 0.273, 32: 0.138, 64: 0.07 };
  const nodes = [2, 4, 8, 16, 32, 64];
  const doubling = (table: Rows, asked: readonly number[], traffic: readonly TrafficPoint[]) => {
    const { solved } = chooseAmong(table, { ranksPerNode: 1, traffic });
    const decisions = decide(bootstrap(solved, { replicates: 100 }), {
      ...{ nodes: asked, bw: [20], scales: [20], isAdmissible: () => true, edgeFactor: null },
    });
    return {
      found: decisions.diminishing.find(({ definition }) => definition === 'doubling-gains-less'),
      text: describeDecisions(decisions).join('\n'),
    };
  };
  const counted = (counts: readonly number[]): TrafficPoint[] =>
    counts
      .filter((count) => count > 1)
      .map((count) => ({
        ...{ nodes: count, scale: 20, least: 0 },
        bytes: (6e7 * (count - 1)) / count ** 2,
      }));

  test.each([
    ['from two nodes on', nodes],
    ['from one node on', [1, ...nodes]],
    ['from two nodes on, a part of them', [2, 4, 8]],
    ['from one node on, a part of them', [1, 2, 4, 8]],
  ])('never seems to have no use for a second node on, measured %s', (_, counts) => {
    for (const truth of [(count: number) => seen[count] ?? Number.NaN, transposed]) {
      const table = grid({ scale: [20], nodes: counts, bw: [20] }, (cell) => truth(cell.nodes));
      for (const traffic of [[], counted(counts)]) {
        const { found, text } = doubling(table, nodes, traffic);
        expect(text).not.toMatch(/saves less than 10 % of the time from (the first|1|2) node/);
        const from = found?.nodes.value ?? Number.POSITIVE_INFINITY;
        // Doubling the largest count but one still halves the time.
        if (found?.abstains === null) expect(from).toBeGreaterThan(at(counts, counts.length - 2));
      }
    }
  });

  test('is looked through up to the last node count on which doubling, or a node more, is of use', () => {
    const fitted = (C1: number, C2: number, C3: number, first: number): Fit => ({
      ...{ model: 'traffic', coefficients: { C1, C2, C3 }, alpha: null, errors: 'relative', r2: 1, mse: 0, rows: 6 },
      ...{ ranksPerNode: 1, baseScale: 20, trainedOn: { nodes: [first, 4, 8], scales: [20], bw: [20, 100] } },
      form: {
        ...{ name: 'traffic', title: 'All to all', fixed: [], needsTwo: [] },
        terms: [
          { name: 'C1', part: 'processing', basis: { x: -1 } },
          { name: 'C2', part: 'communication', basis: { s: 1, otherHosts: 1, x: -2 } },
          { name: 'C3', part: 'communication', basis: {} },
        ],
      },
    });
    const place = { bw: 20, scale: 20 };
    const many = Array.from({ length: 200 }, (_, step) => 1.06 ** step);
    const second = fc.double({ min: 0.01, max: 10, noNaN: true });
    fc.assert(
      fc.property(second, second, second, fc.constantFrom(1, 2), (work, messages, fixed, first) => {
        const one = fitted(work, messages, fixed, first);
        const time = (nodes: number): number => predict(one, { nodes, ...place });
        expect(time(4)).toBeCloseTo(work / 4 + (5 * messages * 3) / 16 + fixed, 9);
        const saves = (nodes: number): number => 1 - time(2 * nodes) / time(nodes);
        const efficiency = (nodes: number): number => time(first) / time(nodes) / (nodes / first);
        for (const [definition, share, least] of [
          [{ kind: 'doubling-gains-less', percent: 10 }, saves, 0.1],
          [{ kind: 'efficiency-below', percent: 50, reference: { nodes: first, ...place } }, efficiency, 0.5],
        ] as const) {
          const found = findDiminishingReturn(one, definition, place) ?? Number.NaN;
          expect(found).toBeGreaterThanOrEqual(first);
          if (found > first) expect(share(found)).toBeCloseTo(least, 6);
          // Node counts between those looked at may be of use by a hair, once more.
          expect(Math.max(...many.filter((nodes) => nodes > found).map(share))).toBeLessThan(least + 0.02);
        }
      }),
      { numRuns: times(15) },
    );
  });
});

describe('given coefficients', () => {
  // Tables II, III and IV; Eq 3 from Table II, rows 26 to 29, as C = sum(D C_s) / sum(D²).
  test.each([
    ['eq2', 'C1=138.59,C2=4.004', 66.56, 81],
    ['eq6', 'C1=118.026,C2=5.968,alpha=1.11', 17.64, 25],
    ['eq3', `C1=${6662.08 / 340},C2=${195.24 / 340}`, 64.69, 81],
    ['eq7', 'C1=15.25,C2=0.985,alpha=1.08', 11.42, 16],
  ] as const)('%s reproduces Table V', (model, coefficients, crossing, admissible) => {
    const trainedOn = { nodes: [4, 9, 16, 25], scales: [28], bw: [100] };
    const [found] = findDominance(fitFromCoefficients(model, coefficients, { ...RANKS, trainedOn }), { bw: [100] });
    expect(found?.nodes).toBeCloseTo(crossing, 1);
    expect(found?.admissibleNodes).toBe(admissible);
  });

  test.each([
    ['eq2', 'C1=1', 'C2 missing'],
    ['eq2', 'C1=1,C2=2,alpha=1.1', 'alpha not one of its parameters'],
    ['eq2', 'C1=1,C1=2,C2=1', 'C1 occurs twice'],
    ['eq2', 'C1=x,C2=1', "'C1=x' is not a coefficient"],
    ['eq2', 'C1=-1,C2=1', "'C1=-1' is not a coefficient"],
    ['eq6', 'C1=1,C2=1,alpha=0.9', 'at least 1'],
  ] as const)('%s from %s is refused: %s', (model, text, message) => {
    const trainedOn = { nodes: [4], scales: [28], bw: [100] };
    expect(() => fitFromCoefficients(model as ModelName, text, { ...RANKS, trainedOn })).toThrow(message);
  });
});

describe('advice', () => {
  const target = { nodes: 100, bw: 100, scale: 28 };

  test('spends no more than the budget, and every cell narrows the interval', async () => {
    const solved = solveModel('eq6', await fixture('eq6_s28'), RANKS);
    const candidates = [4, 9, 16, 25, 36].flatMap((nodes) => [10, 50, 100].map((bw) => ({ nodes, bw, scale: 28 })));
    const advice = advise(solved, {
      target,
      candidates,
      costOf: ({ nodes }) => nodes / 100,
      budgetNodeHours: 2,
      repetitions: 64,
    });
    expect(advice.nodeHours).toBeLessThanOrEqual(2);
    expect(advice.cells.length).toBeGreaterThan(2);
    const left = advice.cells.map(({ standardErrorLeft }) => standardErrorLeft);
    expect(left).toEqual([...left].sort((a, b) => b - a));
    const width = ({ low, high }: { low: number | null; high: number | null }): number => (high ?? 0) - (low ?? 0);
    expect(width(advice.after) / width(advice.before)).toBeCloseTo(left.at(-1) ?? 0, 6);
  });

  test('what it promises is what the bootstrap finds when the cells are there', async () => {
    const all = await fixture('eq6_s28');
    const known = joined(...[4, 9, 16].map((nodes) => filterRows(all, { nodes })));
    const before = solveModel('eq6', known, RANKS);
    const candidates = [16, 25].flatMap((nodes) => [10, 30, 50].map((bw) => ({ nodes, bw, scale: 28 })));
    const advice = advise(before, { target, candidates, costOf: () => 1, budgetNodeHours: 3, repetitions: 64 });
    const cells = [...new Map(advice.cells.map((cell) => [`${cell.nodes} ${cell.bw}`, cell])).values()];
    expect(new Set(cells.map(({ nodes }) => nodes))).toEqual(new Set([25]));
    const copies = advice.cells.map(({ nodes, bw }) => filterRows(all, { nodes, bw }));
    const after = estimate(bootstrap(solveModel('eq6', joined(known, ...copies), RANKS)), (fit) =>
      predict(fit, target),
    );
    const promised = (advice.after.high ?? 0) - (advice.after.low ?? 0);
    // What lies beyond the rows is wider in a promise: it moves nearer when the cells are there.
    expect(((after.high ?? 0) - (after.low ?? 0)) / promised).toBeGreaterThan(0.5);
    expect(((after.high ?? 0) - (after.low ?? 0)) / promised).toBeLessThan(1.33);
  });

  test('where whole cells scatter, a setting that is known is not measured again', () => {
    const scattered = grid(
      { scale: [28], nodes: [4, 9, 16], bw: [10, 30, 50] },
      ({ nodes, bw }) =>
        (118 / (18 * nodes) + (6 * 1.11 ** (100 / bw)) / Math.sqrt(18 * nodes)) * (1 + 0.05 * Math.sin(nodes + bw)),
    );
    const candidates = [4, 9, 16, 25].flatMap((nodes) => [10, 30].map((bw) => ({ nodes, bw, scale: 28 })));
    const { cells } = advise(solveModel('eq6', scattered, RANKS), {
      target,
      candidates,
      costOf: () => 1,
      budgetNodeHours: 9,
      repetitions: 1,
    });
    expect(cells.map(({ nodes, bw }) => [nodes, bw]).sort()).toEqual([
      [25, 10],
      [25, 30],
    ]);
  });

  test('a budget of nothing and a list of nothing are refused', async () => {
    const solved = solveModel('eq6', await fixture('eq6_s28'), RANKS);
    const ask = (budgetNodeHours: number, candidates: (typeof target)[]) => () =>
      advise(solved, { target, candidates, costOf: () => 1, budgetNodeHours, repetitions: 1 });
    expect(ask(0, [target])).toThrow(/budget is 0 node-hours/);
    expect(ask(1, [])).toThrow(/no cell to choose from/);
  });
});

function joined(...parts: readonly Rows[]): Rows {
  return rowsFrom(parts.flatMap(objects));
}
