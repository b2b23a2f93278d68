import { describe, expect, test } from 'vitest';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import type { TrafficPoint } from '../../modeling/forms/traffic-form.ts';
import { compare } from '../../modeling/judge/compare-candidates.ts';
import { describeFit } from '../../modeling/judge/describe-fit.ts';
import { leaveLargestOut } from '../../modeling/judge/predict-unseen.ts';
import { validate } from '../../modeling/judge/validate.ts';
import {
  askForUnseen,
  chooseAndFit,
  type FitQuestion,
  leaveLargest,
  weighForms,
} from '../../modeling/questions/choose-and-fit.ts';
import { fromFile, type Measurements } from '../../modeling/questions/measurements.ts';
import { chooseNextCells } from '../../modeling/questions/next-cells.ts';
import { baseScaleOf } from '../../modeling/rows.ts';
import { fixturePath, grid } from './fixtures.ts';

/** A link of 200 Mbit/s over which each host sends 25 MiB per 2^20 vertices and square root of ranks; CT in seconds. */
const LINK = 200e6;
const bytesOf = (scale: number, nodes: number): number => (25 * 2 ** 20 * 2 ** (scale - 20)) / Math.sqrt(nodes);
const settings = { scale: [19, 20], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] };
const rows = grid(
  settings,
  ({ scale, nodes, bw }) =>
    (0.4 * 2 ** (scale - 20)) / nodes + ((8 * bytesOf(scale, nodes)) / LINK) * (100 / bw) + 0.003 * Math.sqrt(nodes),
);
const traffic: TrafficPoint[] = settings.scale.flatMap((scale) =>
  settings.nodes.map((nodes) => ({ scale, nodes, bytes: bytesOf(scale, nodes), least: 0 })),
);
// 25 MiB / sqrt(25) on 25 nodes at scale 20, half of it at scale 19.
const TRUTH = 'each host sending 5 MiB per timed run at 200 Mbit/s on the full link';

const measured: Measurements = {
  rows,
  unseen: grid({ scale: [], nodes: [], bw: [] }, () => 1),
  ranksPerNode: 1,
  warnings: [],
  isAdmissible: () => true,
  noun: 'search',
  edgeFactor: 16,
  campaign: { dir: 'c', campaign: {} as Campaign, records: [], traffic: async () => traffic },
};

describe('what hosts send, in words', () => {
  const questions: readonly (readonly [string, FitQuestion])[] = [
    ['of all rows', { model: 'traffic' }],
    ['of the larger scale alone', { model: 'traffic', at: { scale: 20 } }],
    ['with a base that was asked for', { model: 'traffic', baseScale: 12 }],
    ['of the larger scale, with a base', { model: 'traffic', at: { scale: 20 }, baseScale: 3 }],
  ];

  test.each(questions)('is what their counters recorded: %s', async (_, question) => {
    const { solved } = await chooseAndFit(measured, question);
    expect(solved.fit.form.volume?.baseScale).toBe(solved.fit.baseScale);
    expect(describeFit(solved.fit)).toContain(TRUTH);
  });

  test.each([undefined, 20])('is the same in a comparison narrowed to scale %s', async (scale) => {
    const at = scale === undefined ? {} : { scale };
    const { comparison } = await weighForms(measured, { at });
    const candidate = comparison.candidates.find(({ name }) => name === 'traffic');
    expect(candidate).toBeDefined();
    const { baseScale } = comparison.fit;
    const { solved } = await chooseAndFit(measured, { model: 'traffic', at, baseScale });
    const names = Object.keys(solved.fit.coefficients);
    expect(names).toEqual(['C1', 'C2', 'C3']);
    for (const name of names) expect(candidate?.coefficients[name]).toBeCloseTo(solved.fit.coefficients[name] ?? 0, 9);
    expect(describeFit(solved.fit)).toContain(TRUTH);
  });
});

describe('the base of D', () => {
  test('is one below the smallest scale asked about, whoever computes it', () => {
    const at = { scale: 20 };
    const bases = [
      solveModel('volume', rows, { ranksPerNode: 1, at }).fit.baseScale,
      compare(rows, { ranksPerNode: 1, at }).fit.baseScale,
      validate('volume', rows, { ranksPerNode: 1, at }).parts.map(({ fit }) => fit.baseScale),
      leaveLargestOut('volume', rows, { ranksPerNode: 1, at }).fit.baseScale,
      baseScaleOf({ scale: Float64Array.of(20, 20) }),
    ].flat();
    expect(bases).toEqual(bases.map(() => 19));
  });

  test('that is asked for is kept on every way', async () => {
    const question = { at: { scale: 20 }, baseScale: 12 };
    const bases = [
      (await chooseAndFit(measured, { ...question, model: 'auto' })).solved.fit.baseScale,
      (await chooseAndFit(measured, { ...question, model: 'traffic' })).solved.fit.baseScale,
      (await chooseAndFit(measured, { ...question, model: 'eq6' })).solved.fit.baseScale,
      (await weighForms(measured, question)).comparison.fit.baseScale,
    ];
    expect(bases).toEqual([12, 12, 12, 12]);
  });
});

describe('a question', () => {
  test('of node counts to train on keeps the others out and is asked for them', async () => {
    const source = await fromFile(fixturePath('eq6_s28'), { ranksPerNode: 18, trainNodes: [4, 9, 16] });
    expect(new Set(source.rows.nodes)).toEqual(new Set([4, 9, 16]));
    expect(new Set(source.unseen.nodes)).toEqual(new Set([25]));
    const choice = await weighForms(source, {});
    const answers = askForUnseen(choice, source, { replicates: 40 });
    const names = ['auto', ...choice.comparison.candidates.map(({ name }) => name)];
    expect(answers.map(({ name }) => name).sort()).toEqual(names.sort());
    const best = answers[0];
    expect(best?.heldOutNodes).toEqual([25]);
    expect(best?.medianErrorPercent).toBeLessThan(2);
    expect(best?.perBandwidth.length).toBeGreaterThan(3);
    for (const { cells, perBandwidth } of answers) {
      for (const { bw, insidePercent } of perBandwidth) {
        const held = cells.filter((cell) => cell.bw === bw);
        const inside = held.filter(({ measured, interval }) => {
          const { low, high } = interval ?? {};
          return measured >= (low ?? Number.NaN) && measured <= (high ?? Number.NaN);
        });
        expect(insidePercent).toBeCloseTo((100 * inside.length) / held.length, 9);
      }
    }
    expect(best?.perBandwidth.some(({ insidePercent }) => insidePercent > 0)).toBe(true);
  });

  test('of node counts that no row has says which ones there are', async () => {
    await expect(fromFile(fixturePath('eq6_s28'), { ranksPerNode: 18, trainNodes: [5, 7] })).rejects.toThrow(
      'No row has one of the node counts 5, 7: choose training node counts of 4, 9, 16, 25.',
    );
  });

  test('of an unknown model, or of volumes that nobody counted, is refused', async () => {
    const rowsOnly = { ...measured, campaign: null };
    await expect(chooseAndFit(measured, { model: 'eq9' })).rejects.toThrow("The model 'eq9' is not one of auto, eq2,");
    await expect(chooseAndFit(rowsOnly, { model: 'traffic' })).rejects.toThrow('use volume');
  });

  test('that projects fits to all scales, unless the model holds the scale', async () => {
    const question = { at: { scale: 20, bw: 100 }, projecting: true };
    const all = await chooseAndFit(measured, { ...question, model: 'volume' });
    expect(all.solved.fit.trainedOn.scales).toEqual([19, 20]);
    const held = await chooseAndFit(measured, { ...question, model: 'eq6' });
    expect(held.solved.fit.trainedOn).toMatchObject({ scales: [20], bw: [10, 20, 50, 100] });
  });
});

test('the largest node count is left out of a choice that has not seen it', async () => {
  // The work grows like D^1.3: a form with a free power of D learns that from whatever rows it sees.
  const grown = grid(
    { scale: [19, 20, 21], nodes: [4, 9, 16, 25], bw: [10, 20, 50, 100] },
    ({ scale, nodes, bw }) =>
      (nodes === 25 ? 2 : 1) * 2 ** (1.3 * (scale - 19)) * (0.4 / nodes + (0.2 * 100) / bw / Math.sqrt(nodes)),
  );
  const chosen = await chooseAndFit({ ...measured, rows: grown, campaign: null }, { model: 'auto' });
  const left = leaveLargest(chosen, grown);
  expect(chosen.form.terms.length).toBe(chosen.solved.fit.form.terms.length);
  expect(left).toEqual(
    leaveLargestOut('auto', grown, {
      ...chosen.options,
      interval: {},
      baseScale: chosen.solved.fit.baseScale,
      errors: chosen.solved.fit.errors,
    }),
  );
  expect(left?.heldOutNodes).toEqual([25]);
});

describe('the cells to measure next', () => {
  const record = (nodes: number, scale: number, besideS: number): CellRecord =>
    ({ cell: { nodes, scale }, runs: [{ ct: 2 }, { ct: 3 }], timing: { totalMs: (5 + besideS) * 1000 } }) as CellRecord;
  const campaign = {
    sweep: { roots: 8 },
    inventory: { hosts: Array(6).fill({}) },
    cells: [{ nodes: 4, scale: 20, bw: 100, rep: 3 }],
  } as unknown as Campaign;
  const records = [record(4, 20, 60), record(4, 20, 30), record(6, 20, 90), record(4, 19, 10)];
  const origin = { ...(measured.campaign ?? { dir: 'c', traffic: async () => [] }), campaign, records };
  const target = { nodes: 100, scale: 20, bw: 100 };
  const question = { target, budgetNodeHours: 10, overheadS: 1e6, replicates: 40 };

  test('are of the hosts that there are, with their searches, at the cost that records tell', async () => {
    const { solved } = await chooseAndFit(measured, { model: 'volume' });
    const source = { ...measured, campaign: origin, isAdmissible: (nodes: number) => nodes % 2 === 0 };
    const { cells, roots } = chooseNextCells(source, solved, { ...question, scales: [20] });
    expect(roots).toBe(8);
    expect(cells.length).toBeGreaterThan(2);
    for (const { nodes, scale, bw, rep, nodeHours } of cells) {
      expect([2, 4, 6]).toContain(nodes);
      expect([10, 15, 20, 35, 50, 75, 100]).toContain(bw);
      expect(rep >= 1 && (nodes !== 4 || bw !== 100 || rep >= 4)).toBe(true);
      // Of 2 nodes no record tells: the slowest of the scale does.
      const besideS = nodes === 4 ? 60 : 90;
      const searches = 8 * predict(solved.fit, { nodes, scale, bw });
      expect(nodeHours).toBeCloseTo((nodes * (besideS + searches)) / 3600, 9);
    }
  });

  test('of a file are of the counts that were measured, at the overhead that is given', async () => {
    const { solved } = await chooseAndFit(measured, { model: 'volume' });
    const source = { ...measured, campaign: null };
    const { cells, roots } = chooseNextCells(source, solved, { ...question, scales: [20], overheadS: 36 });
    expect(roots).toBe(64);
    expect(cells.length).toBeGreaterThan(0);
    for (const { nodes, nodeHours } of cells) {
      expect(settings.nodes).toContain(nodes);
      expect(nodeHours).toBeGreaterThan((nodes * 36) / 3600);
      expect(nodeHours).toBeLessThan(1);
    }
  });
});
