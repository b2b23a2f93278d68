import { linearRegression, median } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { collapse } from '../../modeling/fit/collapse.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { peerForms, variesIn } from '../../modeling/forms/candidates.ts';
import { compareLargest, computeSkill, describeLargest, describeSkill } from '../../modeling/judge/baselines.ts';
import { bootstrap } from '../../modeling/judge/ensemble.ts';
import { predictUnseen } from '../../modeling/judge/predict-unseen.ts';
import type { UnseenCell } from '../../modeling/model-records.ts';
import { filterRows, indicesWhere, pickRows, type Rows, settingAt } from '../../modeling/rows.ts';
import { fixture, grid } from './fixtures.ts';

const RANKS = { ranksPerNode: 1, baseScale: 19 };
const SMALL = { scale: [20], nodes: [1, 4, 9], bw: [100] };

/** Predictions of the cells of some rows, each off by a factor. */
function predicted(rows: Rows, factor: number): UnseenCell[] {
  const cells = collapse(rows);
  return Array.from(cells.mean, (measured, cell) => ({
    ...settingAt(cells, cell),
    ...{ rows: 1, measured, predicted: measured * factor, errorPercent: (factor - 1) * 100 },
    ...{ interval: null, abstains: null },
  }));
}

/** Trained on small clusters, asked for larger ones that follow the same law. */
function skillOf(law: (at: { nodes: number; bw: number; scale: number }) => number, factor = 1.1) {
  const unseen = grid({ ...SMALL, nodes: [16, 25] }, law);
  return computeSkill(predicted(unseen, factor), collapse(grid(SMALL, law)), RANKS);
}

describe('baselines', () => {
  test.each([
    ['power', ({ nodes }: { nodes: number }) => 3 * nodes ** -0.7],
    ['amdahl', ({ nodes }: { nodes: number }) => 0.2 + 8 / nodes],
    ['eq2', ({ nodes }: { nodes: number }) => 5 / nodes + 2 / Math.sqrt(nodes)],
  ])('%s is exact where times follow it, and then nothing has skill over it', (name, law) => {
    const skill = skillOf(law);
    expect(skill).toMatchObject({ score: null, reference: name });
    const errors = Object.fromEntries(skill?.baselines.map((one) => [one.name, one.medianErrorPercent]) ?? []);
    expect(Object.keys(errors)).toEqual(['power', 'amdahl', 'eq2']);
    for (const [own, error] of Object.entries(errors)) expect(error < 1e-6).toBe(own === name);
  });

  test('the errors of a line, of the law and of the equation are those of fits made by themselves', async () => {
    const rows = await fixture('eq6_s28');
    const training = collapse(
      pickRows(
        rows,
        indicesWhere(rows, (row) => rows.nodes[row] !== 25),
      ),
    );
    const unseen = filterRows(rows, { nodes: 25 });
    const options = { ranksPerNode: 18, baseScale: 27, errors: 'relative' } as const;
    const skill = computeSkill(predicted(unseen, 1.02), training, options);
    const asked = collapse(unseen);
    const line = median(
      Array.from(asked.mean, (mean, cell) => {
        const points = Array.from(training.mean, (own, index) => ({ own, ...settingAt(training, index) }))
          .filter(({ bw }) => bw === at(asked.bw, cell))
          .map(({ own, nodes }) => [Math.log(nodes), Math.log(own)]);
        const { m, b } = linearRegression(points);
        return Math.abs(Math.exp(b + m * Math.log(25)) / mean - 1) * 100;
      }),
    );
    const amdahl = peerForms(variesIn(training)).filter(({ name }) => name === 'amdahl');
    const byForm = [...amdahl, 'eq6' as const].map((form) => predictUnseen(form, { training, unseen }, options));
    expect(skill?.baselines.map(({ title }) => title)).toEqual(['a straight line in logs', "Amdahl's law", 'Eq 6']);
    for (const [index, error] of [line, ...byForm.map((one) => one.medianErrorPercent)].entries()) {
      expect(skill?.baselines[index]?.medianErrorPercent).toBeCloseTo(error, 6);
    }
    const logs = (byForm[1]?.cells ?? []).map((cell) => Math.abs(Math.log(cell.predicted / cell.measured)));
    const eq6 = logs.reduce((sum, one) => sum + one, 0) / logs.length;
    expect(skill?.reference).toBe('eq6');
    expect(skill?.score).toBeCloseTo(1 - Math.log(1.02) / eq6, 6);
  });

  test('a line says nothing of a bandwidth that was not measured, an equation nothing of what it holds fixed', () => {
    const law = ({ nodes, bw }: { nodes: number; bw: number }): number => 0.1 + (5 + 20 / bw) / nodes;
    const training = collapse(grid({ ...SMALL, bw: [20, 100] }, law));
    const elsewhere = predicted(grid({ scale: [20], nodes: [16], bw: [50] }, law), 1.1);
    expect(computeSkill(elsewhere, training, RANKS)?.baselines.map(({ name }) => name)).toEqual(['amdahl', 'eq6']);
    const single = collapse(grid({ ...SMALL, nodes: [4], bw: [20, 50, 100] }, law));
    expect(computeSkill(predicted(grid({ ...SMALL, nodes: [16] }, law), 1.1), single, RANKS)).toBeNull();
  });

  test('stand beside the largest predicted cluster, where it is larger than the measured ones', () => {
    const rows = grid(SMALL, ({ nodes }) => 0.2 + 8 / nodes);
    const solved = solveModel('eq2', rows, RANKS);
    const ensemble = bootstrap(solved, { replicates: 20 });
    const target = { bw: 100, scale: 20 };
    const told = [9, 16, 100].map((nodes) => ({ ...target, nodes, ct: 1 / nodes }));
    expect(compareLargest(ensemble, told.slice(0, 1))).toBeNull();
    expect(compareLargest(ensemble, [])).toBeNull();
    const found = compareLargest(ensemble, told);
    // Eq 2 is what was fitted: it is no baseline of its own.
    expect(found).toMatchObject({ ...target, nodes: 100, ct: 0.01, times: [{ name: 'power' }, { name: 'amdahl' }] });
    expect(found?.times[1]?.ct).toBeCloseTo(0.28, 9);
    expect(compareLargest({ ...ensemble, mixed: true }, told)?.times.map(({ name }) => name)).toContain('eq2');
  });
});

test('sentences', () => {
  const title = 'a straight line in logs';
  const [line, eq6] = [
    { name: 'power', title, medianErrorPercent: 15.2, meanLogError: 0.15 },
    { name: 'eq6', title: 'Eq 6', medianErrorPercent: 11, meanLogError: 0.11 },
  ];
  expect(describeSkill({ score: 0.183, reference: 'eq6', baselines: [line, eq6] }, 9.04)).toBe(
    'auto errs by 9.0 % (median), a straight line in logs by 15 % and Eq 6 by 11 %: skill score 0.18 against Eq 6.',
  );
  expect(describeSkill({ score: null, reference: 'power', baselines: [line] }, 9.04)).toBe(
    'auto errs by 9.0 % (median) and a straight line in logs by 15 %.',
  );
  const times = [
    { name: 'power', title, ct: 0.21 },
    { name: 'eq6', title: 'Eq 6', ct: 0.24 },
  ];
  expect(describeLargest({ nodes: 100, bw: 20, scale: 0, ct: 0.233, times })).toBe(
    'On 100 nodes at 20 % bandwidth, 233 ms are predicted; a straight line in logs gives 210 ms and Eq 6 240 ms.',
  );
});
