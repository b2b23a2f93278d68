import { describe, expect, it } from 'vitest';
import { describeMarks, isDisturbed, withMarks } from '../../experiments/marks.ts';
import type { Cell, CellRecord, Mark } from '../../experiments/records.ts';
import { readRecord } from '../../experiments/store/cells.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readStatus } from '../../experiments/store/status.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { fromCampaign } from '../../modeling/questions/measurements.ts';
import { campaignPlan, goodRecord, newCampaign, nth } from './make.ts';

const BURNT: Mark = { kind: 'stolen-cpu', host: 'node0', text: 'node0: others took 1.50 of 2.00 cores.' };
const cells = campaignPlan({ nodes: '4' }).cells;

/** A run of 10 s over links of 100 Mbit/s in which each of two hosts sent so many bytes. */
function moved(cell: Cell, bytes: number, change: Partial<CellRecord> = {}): CellRecord {
  const use = (host: string, direction: 'out' | 'in') => ({
    ...{ host, direction, bytes, overlimits: 0, drops: 0, averageBps: (bytes * 8) / 10 },
  });
  const classes = [use('node0', 'out'), use('node0', 'in'), use('node1', 'out'), use('node1', 'in')];
  return { ...goodRecord(cell), proof: { bw: cell.bw, rateBps: 100e6, probes: [], classes }, ...change };
}

describe('cells of one program, problem and size', () => {
  it('move the same bytes at every bandwidth: one that moved more is marked', () => {
    const records = cells.map((cell, index) => moved(cell, index === 1 ? 40e6 : 20e6 + index * 1e6));
    const marked = withMarks(records).filter(({ marks }) => marks.length > 0);
    expect(marked.map(({ cell }) => cell.id)).toEqual([nth(cells, 1).id]);
    expect(marked[0]?.marks).toEqual([
      {
        kind: 'foreign-traffic',
        host: null,
        text: expect.stringMatching(/transferred 76\.3 MiB, but other runs .* 42 MiB/),
      },
    ]);
  });

  it.each([
    ['a little more, such as retransmissions', 24e6],
    ['less', 1e6],
  ])('may move %s', (_, bytes) => {
    const records = cells.map((cell, index) => moved(cell, index === 1 ? bytes : 20e6));
    expect(withMarks(records)).toEqual(records);
  });

  it('may move more where it is next to nothing of what their links carry', () => {
    const records = cells.map((cell, index) => moved(cell, index === 1 ? 0.4e6 : 0.1e6));
    expect(withMarks(records)).toEqual(records);
  });

  it('are held against each other where they made a graph, which is sent too, and where they had one', () => {
    const made = { SCALE: 10, NBFS: 2, graph_generation: 1.5 };
    const records = cells.map((cell, index) =>
      index < 1
        ? moved(cell, 60e6, { summary: made })
        : moved(cell, 20e6, { summary: { ...made, graph_generation: 0 } }),
    );
    expect(withMarks(records)).toEqual(records);
  });

  it('are not held against failed ones, other problems or fewer than two others', () => {
    const [first, second, third] = [nth(cells, 0), nth(cells, 1), nth(cells, 2)];
    const failed = moved(third, 20e6, { status: 'failed' });
    for (const records of [
      [moved(first, 60e6), moved(second, 20e6)],
      [moved(first, 60e6), moved(second, 20e6), failed],
      [moved(first, 60e6), moved(second, 20e6), moved({ ...third, scale: 11 }, 20e6)],
      [moved(first, 60e6), moved(second, 20e6), moved({ ...third, params: { mode: 'quick' } }, 20e6)],
    ]) {
      expect(withMarks(records)).toEqual(records);
    }
  });
});

describe('what is said of marks', () => {
  it('is nothing where there are none', () => {
    expect(describeMarks(cells.map((cell) => goodRecord(cell)))).toBeNull();
  });

  it('is how many cells, and of each kind the first with its figures', () => {
    const gap: Mark = { kind: 'sampler', host: 'node1', text: 'node1: the sampler paused for 2 s.' };
    const records = cells.map((cell, index) => ({
      ...goodRecord(cell),
      marks: [[BURNT], [BURNT, gap], []][index] ?? [],
    }));
    expect(describeMarks(records)).toBe(
      '2 of 3 cells have data-quality flags: CPU time taken by others (4 nodes, scale 10, 100 %: node0: others took 1.50 of 2.00 cores, and 1 more); samples with gaps (4 nodes, scale 10, 50 %: node1: the sampler paused for 2 s).',
    );
  });

  it('is the same in the status of a campaign and beside its rows, which are all there', async () => {
    const { dir, cells: planned } = await newCampaign();
    const [first, second] = [nth(planned, 0), nth(planned, 1)];
    await writeCell(dir, { ...goodRecord(first), marks: [BURNT] }, { stdout: '', stderr: '' });
    await writeCell(dir, goodRecord(second), { stdout: '', stderr: '' });
    expect((await readRecord(dir, first.id)).marks).toEqual([BURNT]);
    const { marks, careful } = await readStatus(dir);
    expect(marks).toEqual([{ cell: first, marks: [BURNT] }]);
    expect(careful).toMatch(/^1 of 2 cells have data-quality flags: CPU time taken by others/);
    const { rows, warnings } = fromCampaign(await openCampaign(dir));
    expect([rows.length, warnings]).toEqual([4, [careful]]);
  });
});

describe('a visit', () => {
  it.each<[Mark['kind'], boolean]>([
    ['stolen-cpu', true],
    ['foreign-traffic', true],
    ['sampler', false],
    ['output-cut', false],
  ])('with the mark %s was disturbed: %s', (kind, disturbed) => {
    expect(isDisturbed({ marks: [{ kind, host: null, text: 'x' }] })).toBe(disturbed);
  });

  it('with several marks was disturbed if one of them says so, and without any was not', () => {
    expect(isDisturbed({ marks: [{ kind: 'sampler', host: null, text: 'x' }, BURNT] })).toBe(true);
    expect(isDisturbed({ marks: [] })).toBe(false);
  });
});
