import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { report } from '../../orchestrator/cli/report.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { renderReportMarkdown } from '../../report/render-markdown.ts';
import { newCampaign } from '../experiments/make.ts';
import { campaignOf, emulated } from './campaign.ts';

const sweep = { ...emulated, nodes: [4, 9, 16], bw: [20, 100], roots: 6 };

test('a report as Markdown has every answer, every warning and a row per cluster size', () => {
  const data = buildReport(campaignOf(sweep));
  const text = renderReportMarkdown(data);
  for (const question of ['Do more nodes help?', 'What limits it?', 'What to measure next?']) {
    expect(text).toContain(`**${question}** `);
  }
  expect(text.match(/^- /gm) ?? []).toHaveLength(data.warnings.length);
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  expect(rows.slice(0, 2)).toEqual(['| scale | nodes | 20\u202f% | 100\u202f% |', '| --: | --: | --: | --: |']);
  expect(rows.slice(2).map((row) => row.split(' | ').slice(0, 2))).toEqual(
    [4, 9, 16].map((nodes) => ['| 19', `${nodes}`]),
  );
  for (const { meanCt } of data.points) expect(text).toMatch(new RegExp(`${Math.round(meanCt * 1000)} ms`));
});

test('names of others are no Markdown', () => {
  const text = renderReportMarkdown(buildReport({ ...campaignOf(sweep), title: 'a|b *c* <d> [e](f) @g # h' }));
  expect(text.split('\n')[0]).toBe('# a\\|b \\*c\\* \\<d\\> \\[e\\](f) \\@g \\# h');
});

test('without a browser a page is not printed, and that is said; the page is there', async () => {
  const { dir } = await newCampaign();
  const { PATH } = process.env;
  process.env.PATH = dir;
  try {
    const asked = { pdf: join(dir, 'report.pdf') } as Parameters<typeof report>[2];
    await expect(report(dir, [], asked)).rejects.toMatchObject({ kind: 'infrastructure' });
  } finally {
    process.env.PATH = PATH;
  }
  expect([existsSync(join(dir, 'report.html')), existsSync(join(dir, 'report.pdf'))]).toEqual([true, false]);
});
