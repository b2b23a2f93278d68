import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { asPercent, asSeconds } from '../../base/units.ts';
import { visitAgain } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { parseSweep, type Sweep } from '../../experiments/sweep.ts';
import { settingOf } from '../../modeling/questions/steady.ts';
import { typicalTimes } from '../../modeling/questions/typical-times.ts';
import type { VisitAims } from '../../orchestrator/job.ts';
import { type MoreVisits, moreVisits } from '../../orchestrator/more-visits.ts';
import { campaignPlan, failedRecord, tempFolder } from '../experiments/make.ts';
import { cellsOf, disturbed, visitsTo, workload } from '../modeling/made-visits.ts';

const SWEEP = parseSweep({ nodes: '2,4,8', scales: '12', bw: '20,50', reps: '3', roots: '3' });
const NOTHING: VisitAims = { repeats: 0, precisionPercent: null, mostRoots: null, budgetS: null, towards: null };
const calm = { drift: () => 0, scatter: 0.02, seed: 1 };

const folder = mkdtempSync(join(tmpdir(), 'visits-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Cells that were written once, by their records: most campaigns here have most of them in common. */
const written = new Map<string, string>();

async function store(out: string, record: CellRecord): Promise<void> {
  const key = JSON.stringify(record);
  const cell = join(out, 'cells', record.cell.id);
  const kept = written.get(key);
  if (kept !== undefined) return cpSync(kept, cell, { recursive: true });
  await writeCell(out, record, { stdout: '', stderr: '' });
  const copy = join(folder, `${written.size}`);
  cpSync(cell, copy, { recursive: true });
  written.set(key, copy);
}

/** A campaign with these records, and the visits to add to it under some aims; more records may come. */
async function measured(records: readonly CellRecord[], sweep: Sweep = SWEEP) {
  const out = join(tempFolder(), 'campaign');
  const planned = cellsOf(sweep);
  const cells: Cell[] = [...planned];
  await createOrOpenCampaign(out, { ...campaignPlan({}, workload), sweep, cells: planned });
  for (const record of records) await store(out, record);
  return {
    out,
    ask: (aims: Partial<VisitAims>, elapsedS = 0): Promise<MoreVisits> =>
      moreVisits({ sweep, workload, out, aims: { ...NOTHING, ...aims }, cells, planned: planned.length, elapsedS }),
    /** The added cells are visited. */
    visit: async (added: readonly Cell[], record: (record: CellRecord) => CellRecord = (one) => one): Promise<void> => {
      await createOrOpenCampaign(out, { ...campaignPlan({}, workload), sweep, cells: [...added] });
      for (const one of visitsTo(added, { ...calm, startS: 1000 + 10 * cells.length, seed: 1 + cells.length })) {
        await store(out, record(one));
      }
      cells.push(...added);
    },
  };
}

const coordinates = ({ nodes, bw, rep, role }: Cell): string => `${nodes}n ${bw}% #${rep} ${role}`;
const names = ({ cells }: MoreVisits): string[] => cells.map(coordinates).sort();
const at =
  (nodes: number, bw: number) =>
  ({ cell }: CellRecord): boolean =>
    cell.nodes === nodes && cell.bw === bw;
const hit = (records: readonly CellRecord[], isHit: (record: CellRecord) => boolean): CellRecord[] =>
  records.map((record) => (isHit(record) ? disturbed(record) : record));

describe('disturbed visits', () => {
  const quiet = visitsTo(cellsOf(SWEEP), calm);
  const some = hit(quiet, (record) => at(4, 20)(record) && record.cell.rep <= 2);

  test('are repeated first, one a cell and round, as often as they were planned', async () => {
    const { ask, visit } = await measured(some);
    const aims = { repeats: 1, precisionPercent: 0.001, mostRoots: 30 };
    const first = await ask(aims);
    expect(names(first)).toEqual(['4n 20% #4 measure']);
    expect(first.why).toBe('repeating disturbed runs');
    await visit(first.cells);
    const second = await ask(aims);
    expect(names(second)).toEqual(['4n 20% #5 measure']);
    await visit(second.cells);
    // Three quiet ones, as planned: from here on precision counts.
    expect((await ask(aims)).why).toMatch(/not yet known to within 0\.001 %/);
  });

  test('that are disturbed again are given up after so many repeats', async () => {
    const { ask, visit } = await measured(hit(quiet, at(4, 20)));
    const rounds: string[][] = [];
    for (;;) {
      const more = await ask({ repeats: 2 });
      if (more.cells.length === 0) break;
      rounds.push(names(more));
      await visit(more.cells, disturbed);
    }
    expect(rounds).toEqual([4, 5, 6, 7, 8, 9].map((rep) => [`4n 20% #${rep} measure`]));
  });

  test('stay as they are where none is to be repeated, or nothing is aimed at', async () => {
    const { ask, out } = await measured(some);
    expect((await ask({ repeats: 0 })).cells).toEqual([]);
    const planned = cellsOf(SWEEP);
    const rest = { sweep: SWEEP, workload, out, cells: planned, planned: planned.length, elapsedS: 0 };
    expect((await moreVisits({ ...rest, aims: undefined })).cells).toEqual([]);
  });

  test('of a baseline count its drift cell too', async () => {
    const { ask } = await measured(hit(quiet, (record) => record.cell.role === 'drift' && record.cell.nodes === 8));
    expect(names(await ask({ repeats: 1 }))).toEqual(['8n 100% #5 measure']);
  });

  test('of cells that only anchor the sweep are nobody’s question', async () => {
    const sweep = { ...SWEEP, nodes: [4, 8], anchors: [2] };
    const { ask } = await measured(hit(visitsTo(cellsOf(sweep), calm), at(2, 100)), sweep);
    expect((await ask({ repeats: 5, precisionPercent: 0.001, mostRoots: 20 })).cells.map(({ nodes }) => nodes))
      .not //
      .toContain(2);
    expect((await ask({ repeats: 5 })).cells).toEqual([]);
  });

  test('are not repeated for ever where the program fails in the repetition', async () => {
    const { ask, visit } = await measured(some);
    const aims = { repeats: 1, precisionPercent: 0.001, mostRoots: 30 };
    await visit((await ask(aims)).cells, ({ cell }) => failedRecord(cell));
    const cell = some.find(at(4, 20))?.cell as Cell;
    expect((await ask(aims)).cells.map(settingOf)).not.toContain(settingOf(cell));
  });
});

describe('precision', () => {
  const noisy = visitsTo(cellsOf(SWEEP), { ...calm, scatter: 0.05 });

  test('visits every cell that is not known so well, and none that is', async () => {
    const { ask } = await measured(noisy);
    const all = await ask({ precisionPercent: 1 });
    expect(new Set(all.cells.map(settingOf)).size).toBe(9);
    expect(all.cells).toHaveLength(9);
    expect(new Set(names(all))).toEqual(
      new Set(
        [2, 4, 8].flatMap((nodes) => [
          `${nodes}n 100% #5 measure`,
          ...[20, 50].map((bw) => `${nodes}n ${bw}% #4 measure`),
        ]),
      ),
    );
    expect(all.why).toBe('typical times are not yet known to within 1 %');
    expect((await ask({ precisionPercent: 50 })).cells).toEqual([]);
    // Baselines were visited once more than others.
    const widths = typicalTimes({ sweep: SWEEP, cells: cellsOf(SWEEP) }, noisy).map((one) => one.halfWidthPercent ?? 0);
    const between = (Math.min(...widths) + Math.max(...widths)) / 2;
    const wide = await ask({ precisionPercent: between });
    expect(names(wide)).toEqual(names(all).filter((name) => !name.includes(' 100% ')));
  });

  test('ends: more visits make times known', async () => {
    const { ask, visit } = await measured(noisy);
    let rounds = 0;
    for (; rounds < 30; rounds += 1) {
      const more = await ask({ precisionPercent: 3 });
      if (more.cells.length === 0) break;
      await visit(more.cells);
    }
    expect(rounds).toBeGreaterThan(0);
    expect(rounds).toBeLessThan(30);
  });

  test('asks no more runs of a cell than it may take', async () => {
    const { ask, visit } = await measured(noisy);
    // Three runs in each of 3 visits (4 of a baseline): up to 12 runs there is room for one more visit of the others.
    const aims = { precisionPercent: 0.001, mostRoots: 12 };
    const first = await ask(aims);
    expect(first.cells.map(({ bw }) => bw).every((bw) => bw < 100)).toBe(true);
    expect(first.cells).toHaveLength(6);
    await visit(first.cells);
    expect((await ask(aims)).cells).toEqual([]);
  });

  test('visits cells again of whose scatter nothing is known', async () => {
    const once = { ...SWEEP, nodes: [2], reps: 1 };
    const { ask } = await measured(visitsTo(cellsOf(once), calm), once);
    expect(names(await ask({ precisionPercent: 50 }))).toEqual([
      '2n 100% #3 measure',
      '2n 20% #2 measure',
      '2n 50% #2 measure',
    ]);
  });
});

describe('a budget', () => {
  const noisy = visitsTo(cellsOf(SWEEP), { ...calm, scatter: 0.05 });
  const aims = { precisionPercent: 0.001, mostRoots: 1000 };

  test('has room for so many visits of 10 s, those known least first', async () => {
    const { ask } = await measured(noisy);
    expect((await ask({ ...aims, budgetS: asSeconds(100) }, 65)).cells).toHaveLength(3);
    expect((await ask({ ...aims, budgetS: asSeconds(100) }, 65)).cells.every(({ bw }) => bw < 100)).toBe(true);
    expect((await ask({ ...aims, budgetS: asSeconds(1000) }, 0)).cells).toHaveLength(9);
    expect((await ask({ ...aims, budgetS: asSeconds(100) }, 91)).cells).toEqual([]);
    expect((await ask({ ...aims, budgetS: asSeconds(100) }, 300)).cells).toEqual([]);
  });

  test('holds for what was disturbed too', async () => {
    const { ask } = await measured(hit(noisy, at(4, 20)));
    expect((await ask({ repeats: 1, budgetS: asSeconds(100) }, 95)).cells).toEqual([]);
    expect((await ask({ repeats: 1, budgetS: asSeconds(100) }, 85)).cells).toHaveLength(1);
  });

  test('that is too small for one cell goes to others that it has room for', async () => {
    const dear = noisy.map((record) =>
      record.cell.nodes === 8 ? { ...record, timing: { ...record.timing, totalMs: 500_000 } } : record,
    );
    const { ask } = await measured(dear);
    const { cells } = await ask({ ...aims, budgetS: asSeconds(100) }, 20);
    expect(cells.map(({ nodes }) => nodes)).not.toContain(8);
    expect(cells).toHaveLength(6);
  });
});

describe('a projection', () => {
  const towards = { nodes: 32, scale: 12, bw: asPercent(20) };
  const records = visitsTo(cellsOf(SWEEP), calm);

  test('gets what is left of the budget, in visits of the cells that narrow it', async () => {
    const { ask, visit } = await measured(records);
    const more = await ask({ towards, budgetS: asSeconds(60) }, 20);
    expect(more.why).toBe('they reduce the uncertainty of the projection most');
    expect(more.cells.length).toBeGreaterThan(0);
    expect(more.cells.length).toBeLessThanOrEqual(4);
    const known = new Set(cellsOf(SWEEP).map(settingOf));
    for (const cell of more.cells) {
      expect(known).toContain(settingOf(cell));
      expect(cell.rep).toBeGreaterThan(3);
    }
    await visit(more.cells);
    expect((await ask({ towards, budgetS: asSeconds(60) }, 60)).cells).toEqual([]);
  });

  test('that cannot be made from what was measured gets nothing', async () => {
    const one = parseSweep({ nodes: '2', scales: '12', bw: '100', reps: '4', roots: '3' });
    const { ask } = await measured(visitsTo(cellsOf(one), calm), one);
    const more = await ask({ towards, budgetS: asSeconds(60) }, 20);
    expect(more).toEqual({
      cells: [],
      why: expect.stringMatching(/^no repetition is added for the projection: .* second node count/),
    });
  });

  test('gets nothing without a budget', async () => {
    const { ask } = await measured(records);
    expect((await ask({ towards })).cells).toEqual([]);
  });
});

test('visits that an ended sweep added are found again: the same aims lead to the same cells', async () => {
  const quiet = visitsTo(cellsOf(SWEEP), calm);
  const { ask } = await measured(hit(quiet, at(4, 20)));
  const { ask: other } = await measured(hit(quiet, at(4, 20)));
  expect((await other({ repeats: 1 })).cells).toEqual((await ask({ repeats: 1 })).cells);
  const [cell] = (await ask({ repeats: 1 })).cells;
  expect(cell).toEqual(visitAgain(quiet.find(at(4, 20))?.cell as Cell, 4, { sweep: SWEEP, workload }));
});
