import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/lists.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import type { History } from '../../modeling/questions/campaign-history.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';
import { runPredict, runPredictJson } from '../run-predict.ts';

const FLAGS = { nodes: '4', scales: '12', bw: '50', reps: '2', roots: '2' };
const DAY_MS = 86_400_000;

/** A campaign of a night whose times are a factor of the usual ones; those of both bandwidths differ by 1.2. */
async function night(dir: string, index: number, factor: number): Promise<string> {
  const { cells } = await createOrOpenCampaign(dir, campaignPlan(FLAGS));
  const random = createRandom(index + 1);
  for (const [place, cell] of cells.entries()) {
    const truth = factor * 0.1 * (cell.bw < 100 ? 1.2 : 1) * Math.exp(0.01 * random.normal());
    const startedAt = new Date(Date.UTC(2026, 0, 1) + index * DAY_MS + place * 60_000).toISOString();
    const record = goodRecord(cell, [truth, truth]);
    const summary = { ...record.summary, communication_share: 0.25 };
    await writeCell(dir, { ...record, startedAt, summary }, { stdout: '', stderr: '' });
  }
  return dir;
}

/** Nights, the newest named first, a step after the seventh. */
async function nights(step: number, count = 12): Promise<string> {
  const folder = tempFolder();
  const random = createRandom(9);
  for (let index = 0; index < count; index += 1) {
    const noise = Math.exp(0.01 * random.normal());
    await night(join(folder, 'runs', `z-${90 - index}`), index, noise * (index >= 7 ? step : 1));
  }
  return folder;
}

describe('a history of twelve nights', () => {
  test('finds a planted step and names its night, on the terminal, in JSON and on a page', async () => {
    const folder = await nights(1.1);
    const history = await runPredictJson<History & { report: string }>(['history', folder]);
    expect(history.series.map(({ nodes, bw }) => [nodes, bw])).toEqual([
      [4, 100],
      [4, 50],
    ]);
    for (const { points, changes } of history.series) {
      expect(points.map(({ campaign }) => campaign)).toEqual(points.map((_, index) => `runs/z-${90 - index}`));
      expect(changes).toHaveLength(1);
      const { campaign, index, at: when, ratio } = at(changes, 0);
      expect([campaign, index, when]).toEqual(['runs/z-83', 7, '2026-01-08T00:00:00.000Z']);
      expect(ratio.low).toBeLessThan(1.1);
      expect(ratio.high).toBeGreaterThan(1.1);
    }
    const asked = ['--bw', '100', '--fail-above', '30'];
    const { stdout, exitCode } = await runPredict(['history', folder, ...asked], { env: { COLUMNS: '160' } });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^2026-01-08 +runs\/z-83 .* \d+\.\d % slower$/m);
    expect(stdout).toMatch(/From here on \d+\.\d % slower \(90 % interval .* %\), since runs\/z-83 of 2026-01-08\.$/m);

    const out = join(folder, 'page.html');
    const gated = await runPredict(['history', folder, '--fail-above', '5%', '--out', out]);
    expect(gated).toMatchObject({ exitCode: 6 });
    expect(gated.stderr).toContain('slower since runs/z-83, more than 5 %');
    const html = readFileSync(out, 'utf8');
    const { document } = parseHTML(html);
    expect(html).not.toContain('<script');
    expect([...document.querySelectorAll('.story .value')].at(1)?.textContent).toBe('2 of 2');
    const figures = [...document.querySelectorAll('figure')];
    expect(figures.map((one) => one.querySelectorAll('circle title').length)).toEqual([12, 12]);
    for (const one of figures) expect(one.textContent).toMatch(/\d+\.\d % slower/);
    expect(document.querySelectorAll('tbody tr')).toHaveLength(24);
  });

  test('finds none between equal nights, with any figure', async () => {
    const folder = await nights(1);
    for (const figure of ['ct', 'gteps', 'ratio', 'communication']) {
      const { series } = await runPredictJson<History>([
        'history',
        folder,
        '--figure',
        figure,
        '--nodes',
        '4',
        '--fail-above',
        '1',
      ]);
      expect(series.map(({ changes }) => changes)).toEqual(series.map(() => []));
      const values = series.flatMap(({ points }) => points.map(({ value }) => value));
      // Of 1000 edges in 0.1 s.
      const [expected, count] =
        { ct: [0.1, 2], gteps: [1e-5, 2], ratio: [1.2, 1], communication: [0.25, 2] }[figure] ?? [];
      expect(series).toHaveLength(count ?? 0);
      expect(Math.abs(Math.log(at(values, 0) / (expected ?? 1)))).toBeLessThan(0.05);
    }
  });
});

test('what has no history says so', async () => {
  const folder = tempFolder();
  const refused = async (...words: string[]) => {
    const { exitCode, stderr } = await runPredict(['history', folder, ...words]);
    expect(exitCode).toBe(2);
    return stderr;
  };
  expect(await refused()).toContain('has no campaign: a history needs at least 2');
  const first = await night(join(folder, 'a'), 0, 1);
  expect(await refused()).toContain('has one campaign, a: a history needs at least 2, and change points 8');
  await night(join(folder, 'deep', 'b'), 1, 1);
  expect(await refused('--nodes', '9')).toContain(
    'No campaign measured what is asked for. Measured: nodes 4; scale 12; bandwidth 50 and 100 %.',
  );
  expect(await refused('--figure', 'speed')).toContain("'speed' is not one of ct, gteps, ratio, communication");
  expect((await runPredict(['history', first])).stderr).toContain('is itself a campaign');
  expect((await runPredict(['history', join(folder, 'lost')])).stderr).toContain('lost is missing');

  // Others pass by, damaged ones are named.
  mkdirSync(join(folder, 'other', '.hidden'), { recursive: true });
  const damaged = await night(join(folder, 'damaged'), 2, 1);
  appendFileSync(join(damaged, 'campaign.json'), 'x');
  mkdirSync(join(folder, 'foreign'));
  writeFileSync(join(folder, 'foreign', 'campaign.json'), '{}');
  const { exitCode, stdout, stderr } = await runPredict(['history', folder]);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('skipped damaged: ');
  expect(stderr).toContain('skipped foreign: ');
  expect(stdout).toContain('Change points need at least 8 campaigns, and 2 have this configuration.');
});
