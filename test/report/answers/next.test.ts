import { describe, expect, it } from 'vitest';
import { type AnswerBasis, fitBasis } from '../../../report/answers/basis.ts';
import { answerNext, suggestSweep } from '../../../report/answers/next.ts';
import type { ReportInput } from '../../../report/content/page-facts.ts';
import { campaignOf, emulated, type Sweep } from '../campaign.ts';

const sweep: Sweep = {
  ...{ ...emulated, roots: 4, reps: 1, noise: 0.02, bw: [20, 100] },
  truth: ({ nodes, bw }) => 1 / nodes + 0.02 * Math.sqrt(nodes) + 0.5 / bw,
};
const DIR = '/data/campaign';
const whole = campaignOf(sweep);
const basis = fitBasis(whole);
const square = (nodes: number): boolean => Number.isInteger(Math.sqrt(nodes));
const ask = (
  known: Partial<AnswerBasis> = {},
  { planned, records }: Pick<ReportInput, 'planned' | 'records'> = whole,
) => answerNext({ ...basis, ...known, planned, records, dir: DIR });
/** The cells that a command measures. */
const cellsOf = (command: string | null) =>
  (/--cells (\S+)/.exec(command ?? '')?.[1] ?? '').split(',').map((cell) => {
    const [nodes, scale, bw] = cell.split(':').map(Number);
    return { nodes, scale, bw };
  });

describe('what to measure next', () => {
  const told = ask();

  it('names the cells, adds their times up and says what they tell', () => {
    expect(told.verdict).toBe('measure');
    expect(told.cells.length).toBeGreaterThan(0);
    expect(told.cells.length).toBeLessThanOrEqual(3);
    // Every cell of this campaign took 9 s with its searches, and a cell of the same size takes as long.
    expect((told.seconds ?? 0) / told.cells.length).toBeGreaterThan(7);
    expect((told.seconds ?? 0) / told.cells.length).toBeLessThan(11);
    const [, runs, seconds] = /^(\d) runs?, (\d+) s$/.exec(told.short) ?? [];
    expect([Number(runs), Number(seconds)]).toEqual([told.cells.length, Math.round(told.seconds ?? 0)]);
    expect(told.sentence).toMatch(
      /^\d runs? on the hosts of this campaign \(about \d+ s in all\): \d+ nodes? at \d+ %/,
    );
    // One run farther away tells more than three on these hosts.
    const said =
      /the prediction for 100 nodes at 100 % bandwidth by (\d+) %\. One run on 5\d nodes would reduce it by (\d+) %\.$/;
    const [, here, farther] = said.exec(told.detail ?? '') ?? [];
    expect(Number(farther)).toBeGreaterThan(Number(here));
    expect(Number(here)).toBeGreaterThan(0);
  });

  it('names in its command the same cells, and all that a sweep must repeat to go on with the campaign', () => {
    expect(cellsOf(told.command)).toEqual(told.cells);
    const repeated = `predict sweep --inventory INVENTORY --workload graph500 --seed 1 --roots 4 --out ${DIR} --cells `;
    expect(told.command?.startsWith(repeated), told.command ?? '').toBe(true);
  });

  it('never names in its command a cell that was measured: a sweep would pass it over', () => {
    const measured = new Set(whole.records.map(({ cell }) => [cell.nodes, cell.scale, cell.bw, cell.rep].join(':')));
    const advised = /--cells (\S+)/.exec(told.command ?? '')?.[1]?.split(',') ?? [];
    expect(advised).toHaveLength(told.cells.length);
    for (const cell of advised)
      expect(measured.has(cell.split(':').length === 3 ? `${cell}:1` : cell), cell).toBe(false);
  });

  it('counts what is to be repeated', () => {
    const counted = /: (.*)\.$/.exec(told.sentence)?.[1]?.split('; ') ?? [];
    const distinct = new Set(told.cells.map(({ nodes, scale, bw }) => `${nodes} ${scale} ${bw}`));
    expect(counted).toHaveLength(distinct.size);
    const times = counted.map((text) => Number(/, (\d+) times$/.exec(text)?.[1] ?? 1));
    expect(times.reduce((sum, one) => sum + one, 0)).toBe(told.cells.length);
  });

  it('first asks for the cells that have not run', () => {
    const missing = whole.records.slice(-3);
    const holes = { ...whole, records: whole.records.slice(0, -3) };
    const open = ask({}, holes);
    expect(open).toMatchObject({ verdict: 'finish', short: '3 cells', seconds: null });
    expect(open.sentence).toBe('First the 3 cells of this campaign that have not run: rerun the same sweep.');
    expect(open.cells).toEqual(missing.map(({ cell: { nodes, scale, bw } }) => ({ nodes, scale, bw })));
    expect(cellsOf(open.command)).toEqual(open.cells);
    expect(ask({}, { ...whole, records: whole.records.slice(0, -1) }).sentence).toMatch(
      /^First the 1 cell .* has not run/,
    );
  });

  it('gives no command that is too long to paste', () => {
    const open = ask({}, { ...campaignOf({ ...sweep, reps: 4 }), records: whole.records.slice(0, 9) });
    expect(open.cells.length).toBeGreaterThan(12);
    expect(open.command).toBeNull();
  });

  it.each([
    [
      'a third size',
      { nodes: [4, 9] },
      /^Measure at least three cluster sizes: no prediction can be tested/,
      '25:19:100',
    ],
    [
      'sizes and a bandwidth',
      { nodes: [4], bw: [100] },
      /^Measure at least three cluster sizes and a bandwidth below 100 %:/,
      '9:19:100,25:19:100,4:19:20,9:19:20,25:19:20',
    ],
    [
      'a bandwidth',
      { bw: [100] },
      /^Measure a bandwidth below 100 %: what bandwidth is worth is not known otherwise\.$/,
      '4:19:20,9:19:20,16:19:20,25:19:20',
    ],
  ] as const)('then for what is lacking: %s', (_, seen, sentence, cells) => {
    const { nodes = [4, 9, 16, 25], bw = [20, 100] }: { nodes?: readonly number[]; bw?: readonly number[] } = seen;
    const points = basis.points.filter((point) => nodes.includes(point.nodes) && bw.includes(point.bw));
    const setting = { nodes: Math.max(...nodes), scale: 19, bw: 100 };
    const lacking = ask({ points, setting, isAdmissible: square });
    expect(lacking).toMatchObject({ verdict: 'measure', seconds: null });
    expect(lacking.sentence).toMatch(sentence);
    expect(/--cells (\S+)/.exec(lacking.command ?? '')?.[1]).toBe(cells);
  });

  it('asks for repetitions where no model is in use, and recommends nothing by one that is not believed', () => {
    const again = ask({ model: { ensemble: null, why: 'no model fits these times' } });
    expect(again).toMatchObject({ verdict: 'measure', short: 'repetitions', seconds: null, detail: null });
    expect(again.sentence).toMatch(/^Repeat the same cells:/);
    expect(again.cells).toEqual([4, 9, 16, 25].map((nodes) => ({ nodes, scale: 19, bw: 100 })));
    // Each was measured once, and once more for drift.
    expect(again.command).toContain('--cells 4:19:100:3,9:19:100:3,16:19:100:3,25:19:100:3');
  });

  it('names only node counts that can run', () => {
    const odd = ask({ isAdmissible: square });
    expect(odd.cells.length).toBeGreaterThan(0);
    for (const { nodes } of odd.cells) expect(square(nodes)).toBe(true);
  });

  it('names a larger cluster where these hosts tell little, and what both would tell', () => {
    // A campaign that took no time pays for no run of its own.
    const free = whole.records.map((one) => ({ ...one, timing: { ...one.timing, totalMs: 1e-6 } }));
    const larger = ask({ isAdmissible: square }, { ...whole, records: free });
    expect(larger.verdict).toBe('measure');
    // Half-way, by factors, to the farthest that is predicted: sqrt(25 * 100) = 50, and 64 is the next square.
    expect(larger.sentence).toMatch(
      /^1 run on a larger cluster \(about .* in all\): 64 nodes at \d+ % bandwidth, scale 19\.$/,
    );
    expect(larger.detail).toMatch(/by (\d+) %\. The best runs on the hosts of this campaign reduce it by 0 %\.$/);
  });
});

it('quotes what a shell would take apart, and leaves out what is not known', () => {
  const cells = [{ nodes: 4, scale: 19, bw: 12.5, rep: 3 }];
  expect(suggestSweep(cells, { planned: null, records: [], dir: null })).toBe(
    'predict sweep --inventory INVENTORY --out CAMPAIGN --cells 4:19:12.5:3',
  );
  const { planned, records } = whole;
  const odd = records.map((record) => ({ ...record, cell: { ...record.cell, params: { input: "it's; rm" } } }));
  const command = suggestSweep(cells, { planned, records: odd, dir: '/data/my campaign', roots: 7 });
  expect(command).toContain(`--param 'input=it'\\''s; rm'`);
  expect(command).toContain(`--out '/data/my campaign' --cells`);
  const late = records.map((record) => ({ ...record, cell: { ...record.cell, params: { latency: 0.5 } } }));
  expect(suggestSweep(cells, { planned, records: late, dir: null })).toMatch(/ --latency 0\.5ms --seed /);
  expect(command).toContain('--roots 7 ');
});
