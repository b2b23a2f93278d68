import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { largestOf, pathText } from '../../report/answers/answer-causes.ts';
import { buildReport, type ReportData } from '../../report/content/build-report.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
import { gathered } from '../../report/figures/draw-parts.ts';
import { all, pageFrom } from './page.ts';

const campaign = fileURLToPath(new URL('../fixtures/campaigns/schema-1', import.meta.url));
const report: ReportData = buildReport(
  await readReportInput(await openCampaign(campaign), { generatedAt: '2026-01-01T00:00:00Z' }),
);

describe('the critical path in a report', () => {
  const { path } = report;
  if (path === null) throw new Error('the campaign has traces');

  it('has the parts of every run, which add up to its time', () => {
    expect(path.rows).toHaveLength(8);
    for (const { parts, seconds } of path.rows) {
      expect(parts.reduce((sum, part) => sum + part, 0) / seconds).toBeCloseTo(1, 9);
    }
  });

  it('draws the largest cluster: a lane per rank, and a path that goes on where it came from', () => {
    const { picture } = path;
    expect(picture).toMatchObject({ nodes: 4, scale: 13, bw: 100 });
    expect(picture?.lanes.map(({ rank }) => rank)).toEqual([0, 1, 2, 3]);
    const steps = picture?.steps ?? [];
    for (const [index, { from }] of steps.entries()) expect(from).toBeCloseTo(steps[index - 1]?.to ?? 0, 9);
    expect(steps.at(-1)?.to).toBeCloseTo(picture?.seconds ?? 0, 9);
  });

  it('is on the page with its figure, its bars and its sentences', () => {
    const { document: page } = pageFrom(report);
    const titles = all(page, 'figcaption strong').map(({ textContent }) => textContent);
    expect(titles).toContainEqual(
      expect.stringMatching(/^Search \d+ on 4 nodes, scale 13, 100.% bandwidth: the critical path$/),
    );
    expect(titles.filter((title) => /scale 13: composition of the critical path of a search/.test(title))).toHaveLength(
      2,
    );
    const items = all(page, '#why li').map(({ textContent }) => textContent);
    for (const { sentence } of path.findings) expect(items).toContain(sentence);
  });

  it('shows parts below 1 % of every run as one, so that all parts still add up', () => {
    const rest = { name: 'rest', label: 'rest', meaning: '', isExchange: false };
    const [first, ...others] = path.components;
    if (first === undefined) throw new Error('the path has parts');
    const rows = path.rows.map((row) => ({
      ...row,
      parts: [0.97, ...others.map(() => 0.03 / others.length)],
      seconds: 1,
    }));
    const forecasts = [
      {
        nodes: 9,
        scale: 13,
        bw: 100,
        components: path.components.map(({ name }) => ({ name, value: 1, low: null, high: null })),
      },
    ];
    const shown = gathered({ ...path, rows, forecasts: [] }, rest);
    expect(shown.components).toEqual([first, rest]);
    for (const { parts } of shown.rows) expect(parts).toEqual([0.97, expect.closeTo(0.03, 9)]);
    // A forecast of them all counts too.
    expect(gathered({ ...path, rows, forecasts }, rest).components).toEqual(path.components);
  });

  it('is left out where nothing was traced', () => {
    expect(all(pageFrom({ ...report, path: null }).document, '#path')).toHaveLength(0);
  });
});

describe('what the path says beside models and Grade10', () => {
  const about = (value: number) => ({ value, low: value - 5, high: value + 5 });
  const parts = (largest: 'work' | 'overhead' | 'link') => ({
    percent: { work: about(30), overhead: about(30), link: about(30) },
    largest,
  });
  const held = (name: string, label: string) => ({ name, label, percent: 70 });
  const path = { work: 20, overhead: 70, link: 10 };

  it.each([
    ['agree', parts('overhead'), held('cpu', 'the processors'), false, false],
    ['the models see the link', parts('link'), held('waiting', 'other ranks'), true, false],
    ['the models see shared work', parts('work'), held('waiting', 'other ranks'), true, false],
    ['Grade10 sees the network', parts('overhead'), held('network', 'the network'), false, true],
    ['nobody else knows', null, null, false, false],
    ['both differ', parts('link'), held('network', 'the network'), true, true],
  ])('%s: who differs is named with a reason', (_, models, most, modelsDiffer, grade10Differs) => {
    const text = pathText(path, { parts: models, most });
    expect(text).toMatch(
      /^The critical path is 20 % computing, at least 10 % transfer on the link and 70 % communication other/,
    );
    expect(text.includes('The models name')).toBe(modelsDiffer);
    expect(text.includes('Grade10 names')).toBe(grade10Differs);
  });

  it('the largest part is the cause', () => {
    expect(largestOf({ work: 50, overhead: 30, link: 20 })).toBe('work');
    expect(largestOf({ work: 20, overhead: 30, link: 50 })).toBe('link');
  });
});
