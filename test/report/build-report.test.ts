import { describe, expect, it } from 'vitest';
import { fitBasis } from '../../report/answers/basis.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { computeFacts } from '../../report/content/page-facts.ts';
import { render } from '../../report/render.ts';
import { plain } from '../modeling/plain-data.ts';
import { campaignOf, emulated, paper } from './campaign.ts';
import { warned } from './page.ts';

describe('a report of the emulated cluster', () => {
  const input = campaignOf({ ...emulated, noise: 0 });
  const report = buildReport(input);

  it('says whether runs are those of an entry of the Graph500 list', () => {
    expect(report.campaign.rules).toMatch(/^Runs are not those of a Graph500 list entry: /);
    expect(render(report)).toContain('<dt>Rules</dt><dd>Runs are not those of a Graph500 list entry: ');
    const records = input.records.map((record) => ({
      ...record,
      cell: { ...record.cell, params: { strict: 'true' } },
    }));
    const { campaign } = computeFacts(fitBasis({ ...input, records }), input);
    expect(campaign.rules).toMatch(/^Runs keep the rules of a Graph500 list entry: /);
  });

  it('is plain data that survives JSON', () => {
    expect(JSON.parse(JSON.stringify(plain(report)))).toEqual(report);
    for (const [broken, message] of [
      [{ points: [{ meanCt: 1 }, { meanCt: Number.NaN }] }, 'points[1].meanCt is NaN'],
      [{ points: [{ nodes: 0 }] }, 'points[0].nodes is 0'],
      [{ points: [new Date(0)] }, 'points[0] is no plain data'],
    ] as const) {
      expect(() => plain({ ...report, ...broken })).toThrow(message);
    }
  });

  it('heads its sections by the answers that they rest on', () => {
    const { moreNodes, bandwidthNeeded, limit, trust } = report.answers ?? {};
    for (const [heading, answer] of [
      [report.headings.scaling, moreNodes],
      [report.headings.bandwidth, bandwidthNeeded],
      [report.headings.why, limit],
      [report.headings.models, trust],
    ] as const) {
      expect(heading.toLowerCase()).toBe(`${answer?.question} ${answer?.short}`.toLowerCase());
    }
  });

  it('computes the increment of completion time against full bandwidth', () => {
    const point = report.points.find(({ nodes, bw }) => nodes === 4 && bw === 10);
    expect(point?.ctiPercent).toBeCloseTo((0.644 / 0.316 - 1) * 100, 9);
    expect(point?.count).toBe(48);
  });

  it('keeps drift cells out of points and compares them with the start', () => {
    const records = input.records.map((record) =>
      record.cell.role === 'drift' && record.cell.nodes === 16
        ? { ...record, runs: record.runs.map((run) => ({ ...run, ct: run.ct * 1.1 })) }
        : record,
    );
    const drifted = buildReport({ ...input, records });
    // What visits differ by is known from the repeated baseline too.
    const means = ({ points }: typeof report) => points.map(({ interval, noise, ...point }) => point);
    expect(means(drifted)).toEqual(means(report));
    expect(drifted.drift.map((row) => [row.nodes, Number(row.percent.toFixed(6))])).toEqual([
      [4, 0],
      [9, 0],
      [16, 10],
      [25, 0],
    ]);
    expect(warned(drifted).join(' ')).toContain('drifted by more than');
  });

  it('begins with the formula of all forms together, named after one that says that time rises', () => {
    expect(report.fits[0]?.title).toBe('All models by weight');
    expect(report.fits[0]?.formula).toMatch(/^CT = \(*\d/);
    expect(report.comparison?.candidates.find(({ chosen }) => chosen)?.title).toMatch(/^Volume model/);
  });

  it('does not state as a fact what a poorly fitting model says', () => {
    const erratic = ({ nodes, bw }: { nodes: number; bw: number }): number =>
      (1 + 2 * (Math.sqrt(nodes) % 2)) / nodes + 1 / bw;
    const strange = buildReport(campaignOf({ ...emulated, truth: erratic, noise: 0.02 }));
    expect(strange.answers?.moreNodes.verdict).not.toBe('yes');
    expect(strange.decisions.join(' ')).not.toMatch(/More nodes|faster link/);
    expect(warned(strange).join(' ')).toContain('is misspecified: its residuals depend on the node count');
  });

  it('holds out the largest third of the node counts, or those that were added after all others', () => {
    const heldOut = ({ check }: typeof report) => [
      check?.trainedOn,
      [...new Set(check?.rows.filter((row) => row.set === 'heldOut').map((row) => row.nodes))],
    ];
    expect(heldOut(report)).toEqual([[4, 9, 16], [25]]);
    const added = buildReport({
      ...input,
      planned: { ...input.planned, sweep: { ...input.planned.sweep, nodes: [4, 9] } },
    });
    expect(heldOut(added)).toEqual([
      [4, 9],
      [16, 25],
    ]);
  });

  it('reads rates against the set rate from the proofs', () => {
    const row = report.throttle.find(({ bw }) => bw === 10);
    expect(row?.setBps).toBe(20e6);
    expect(row?.probeMinPercent).toBeGreaterThan(92.9);
    expect(row?.probeMaxPercent).toBeLessThan(95.1);
    expect(row?.maxAveragePercent).toBeLessThanOrEqual(90);
  });
});

describe('a report of the paper', () => {
  const isAdmissible = (nodes: number): boolean => Number.isInteger(Math.sqrt(nodes));
  const report = buildReport({ ...campaignOf({ ...paper, noise: 0 }), isAdmissible });

  it('finds the coefficients of Table IV and the crossover that follows from them', () => {
    const fit = report.fits.find((one) => one.id === 'eq7');
    expect(fit?.coefficients.C1).toBeCloseTo(16.77, 4);
    expect(fit?.coefficients.C2).toBeCloseTo(0.561, 5);
    expect(fit?.alpha).toBeCloseTo(1.14, 5);
    const crossing = report.dominance.find((row) => row.fit === 'eq7' && row.bw === 100);
    const exact = (16.77 / (0.561 * 1.14)) ** 2 / 18;
    // The median of draws: a hundredth of its interval's width stands for chance.
    expect(Math.abs((crossing?.nodes ?? 0) / exact - 1)).toBeLessThan(0.01);
  });

  it('projects only to node counts on which the program can run', () => {
    const nodes = [...new Set(report.projections.map((row) => row.nodes))];
    expect(nodes.length).toBeGreaterThan(3);
    expect(nodes.filter((count) => !isAdmissible(count))).toEqual([]);
    expect(Math.max(...nodes)).toBe(256);
    const crossing = report.dominance.find((row) => row.fit === 'eq7' && row.bw === 100);
    expect(crossing?.admissibleNodes).toBe(49);
  });
});
