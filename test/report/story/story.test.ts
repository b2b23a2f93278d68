import { describe, expect, it } from 'vitest';
import { observationsOf } from '../../../experiments/index.ts';
import { extrapolate, filterRows, rowsFrom, solve } from '../../../modeling/index.ts';
import { buildReport } from '../../../report/index.ts';
import { campaignOf, emulated, type Sweep, type Truth } from '../campaign.ts';

const sweep: Sweep = { ...emulated, roots: 12, reps: 1, noise: 0.02 };
const storyOf = (truth: Truth, other: Partial<Sweep> = {}) => {
  const input = campaignOf({ ...sweep, ...other, truth });
  const report = buildReport(input);
  const line = (id: (typeof report.story)[number]['id']) => {
    const found = report.story.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no line ${id}`);
    return found;
  };
  return { input, report, line };
};

describe('the story of a campaign', () => {
  it('asks its questions in one order, and none where nothing was measured', () => {
    const { report } = storyOf(({ nodes, bw }) => 1 / nodes + 0.5 / bw);
    expect(report.story.map(({ id }) => id)).toEqual(['verdict', 'size', 'blind', 'limit', 'bandwidth', 'next']);
    expect(buildReport(campaignOf({ ...sweep, nodes: [] })).story).toEqual([]);
  });

  it('sees that more nodes help where they do, and that they do not where time has turned', () => {
    const helping = storyOf(({ nodes, bw }) => 10 / nodes + 1 / bw / nodes).line('size');
    expect(helping.answer).toMatch(/^More than 25 nodes help/);
    const turned = storyOf(({ nodes, bw }) => 1 / nodes + 0.02 * Math.sqrt(nodes) + 0.1 / bw).line('size');
    expect(turned.answer).toMatch(/^Time is least on about \d+ nodes .*(do not help|rises beyond)\.$/);
    // 1/x + 0.02 sqrt(x) is least at 100^(2/3) = 21.5.
    expect(turned.interval?.low ?? 0).toBeLessThanOrEqual(22);
    expect(turned.interval?.high ?? 0).toBeGreaterThanOrEqual(21);
  });

  it('is told by no model that has no answer for what was measured', () => {
    const { line } = storyOf(({ nodes }) => (nodes === 25 ? 0.3 : 1 / nodes), { bw: [100] });
    expect(line('size').answer).toBe('Whether more than 25 nodes help cannot be said: no model fits these times.');
    expect(line('size').value).toBeNull();
  });

  it('tells the error of a choice that saw nothing of the node counts that were added later', () => {
    const { input } = storyOf(({ nodes, bw }) => 1 / nodes + 0.02 * Math.sqrt(nodes) + 0.5 / bw);
    const report = buildReport({ ...input, campaign: { ...input.campaign, addedNodes: [16, 25] } });
    const rows = rowsFrom(observationsOf(input.records));
    const part = (counts: number[]) => rowsFrom(counts.flatMap((nodes) => observationsAt(rows, nodes)));
    const options = { ranksPerNode: 1, errors: 'relative', traffic: [] } as const;
    const blind = extrapolate(solve('auto', part([4, 9]), options), part([16, 25]), {});
    const line = report.story.find(({ id }) => id === 'blind');
    expect(line?.value).toBe(blind.medianErrorPercent);
    expect(line?.answer).toContain('on 4 and 9 nodes alone');
    expect(line?.detail).toContain(`: ${Math.round(blind.insidePercent ?? 0)} % of ${blind.cells.length} times.`);
  });

  it('finds the bandwidth that was planted, with its rate, in an interval that holds the measured one', () => {
    // (1 + 4/bw') slows by 10 % from 100 % where 0.04 (100/bw - 1) = 0.104, at 27.8 %.
    const { line } = storyOf(({ nodes, bw }) => (1 + 4 / bw) / nodes);
    const { value, interval, answer, detail } = line('bandwidth');
    expect(value).toBeGreaterThan(20);
    expect(value).toBeLessThan(36);
    expect(interval?.low ?? 0).toBeLessThan(27.8);
    expect(interval?.high ?? 0).toBeGreaterThan(27.8);
    expect(answer).toMatch(/^\d+ % of the link \([\d.]+ Mbit\/s\) keeps a search on 25 nodes within 10 %/);
    const measured = Number(/Measured times alone give (\d+) %/.exec(detail ?? '')?.[1]);
    expect(measured).toBeGreaterThanOrEqual(Math.floor(interval?.low ?? 100));
    expect(measured).toBeLessThanOrEqual(Math.ceil(interval?.high ?? 0));
  });

  it('claims no bandwidth below the least that was measured', () => {
    const { line } = storyOf(({ nodes }) => 1 / nodes, { noise: 0.001 });
    expect(line('bandwidth')).toMatchObject({ short: 'up to 5.0 %', value: 5 });
    expect(line('bandwidth').answer).toContain('the least that was measured');
    expect(storyOf(({ nodes }) => 1 / nodes, { bw: [100] }).line('bandwidth').short).toBe('not known');
  });
});

function observationsAt(rows: ReturnType<typeof rowsFrom>, nodes: number) {
  const own = filterRows(rows, { nodes });
  return Array.from({ length: own.length }, (_, index) => ({
    nodes,
    scale: own.scale[index] ?? 0,
    bw: own.bw[index] ?? 0,
    ct: own.ct[index] ?? 0,
  }));
}
