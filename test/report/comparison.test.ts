import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { type OpenCampaign, openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { report } from '../../orchestrator/cli/report.ts';
import { buildComparison } from '../../report/content/build-comparison.ts';
import { renderCampaigns } from '../../report/render.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';

/** A campaign of three sizes and bandwidths (the full link is one), three visits each, whose times scatter by 2 %, times a factor. */
async function made(factor: number, seed: number, dir = tempFolder()): Promise<OpenCampaign> {
  const flags = { nodes: '1,4,9', scales: '12', bw: '20,50', reps: '3', roots: '4' };
  const { cells } = await createOrOpenCampaign(dir, campaignPlan(flags));
  const random = createRandom(seed);
  for (const [place, cell] of cells.entries()) {
    const truth = factor * (1 / cell.nodes + 10 / cell.bw / Math.sqrt(cell.nodes));
    const times = Array.from({ length: 4 }, () => truth * Math.exp(0.02 * random.normal()));
    const startedAt = new Date(Date.UTC(2026, 0, 1) + place * 60_000).toISOString();
    await writeCell(dir, { ...goodRecord(cell, times), startedAt }, { stdout: '', stderr: '' });
  }
  return await openCampaign(dir);
}

const ASKED = { generatedAt: '2026-01-02T03:04:05Z', limitPercent: 5 };

test('a page of campaigns side by side finds what was planted, and nothing between equal ones', async () => {
  const [first, equal, quicker] = [await made(1, 1), await made(1, 2), await made(1 / 1.1, 3)];
  const data = await buildComparison([first, equal, quicker], ASKED);
  expect(data.pairs.map(({ verdict, gate }) => [verdict, gate?.passed])).toEqual([
    ['same', true],
    ['slower', false],
  ]);
  const { mean } = at(data.pairs, 1).comparison;
  expect(mean.low).toBeLessThan(1.1);
  expect(mean.high).toBeGreaterThan(1.1);
  expect(data.sides.map(({ answers }) => answers?.setting)).toEqual(
    data.sides.map(() => ({ nodes: 9, scale: 12, bw: 100 })),
  );

  const { document } = parseHTML(renderCampaigns(data));
  const texts = (selector: string): string[] => [...document.querySelectorAll(selector)].map((one) => one.textContent);
  const [changed, allowed, , slower] = texts('.story .value');
  expect([changed, allowed]).toEqual(['no difference', 'not on average']);
  expect(slower).toBe('yes');
  // Names of folders are text, whatever is in them.
  expect(texts('h1')).toEqual([data.title]);
  // A dot for each common configuration, and one for each campaign and size.
  const figures = [...document.querySelectorAll('figure')];
  expect(figures.map((one) => one.querySelectorAll('circle title').length)).toEqual([9, 9, 9]);
  const rows = [...document.querySelectorAll('#against-2 tbody tr')].map((row) => row.textContent);
  expect(rows).toHaveLength(9);
});

test('the command writes it beside the first campaign, and exits 6 where a limit is exceeded', async () => {
  const [now, before] = [await made(1.2, 4), await made(1, 5)];
  const answer = await report(now.dir, [before.dir], { failAbove: '10%' } as Parameters<typeof report>[2]);
  expect(answer.json).toMatchObject({ report: `${now.dir}/comparison.html`, pairs: [{ verdict: 'slower' }] });
  await expect(answer.after?.()).rejects.toMatchObject({ kind: 'tooSlow' });
  await expect(report(now.dir, [], { failAbove: '10%' } as Parameters<typeof report>[2])).rejects.toThrow(
    '--fail-above is about several campaigns: name the other one too.',
  );
});

test('--by site compares the campaigns of a folder, on a page there', async () => {
  const folder = tempFolder();
  for (const [place, site] of ['site-a', 'site-b'].entries()) await made(1, place + 6, join(folder, site));
  const by = (factor: string) => ({ by: factor }) as Parameters<typeof report>[2];
  const { json } = await report(folder, [], by('site'));
  expect(json).toMatchObject({
    report: join(folder, 'comparison.html'),
    sides: [{ name: 'site-a' }, { name: 'site-b' }],
  });
  await expect(report(join(folder, 'site-a'), [], by('site'))).rejects.toThrow('has no campaigns of sites');
  await expect(report(folder, [], by('nodes'))).rejects.toThrow("--by: 'nodes' is not a factor of campaigns");
});
