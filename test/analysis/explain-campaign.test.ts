import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explainCampaign, goodRuns, measurements } from '../../analysis/explain-campaign.ts';
import { type Finding, rankFindings } from '../../analysis/finding.ts';
import { loadPlatform } from '../../analysis/platform/load-platform.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';

// 1 and 4 nodes, scales 12 and 13, 20 and 100 %: eight measurements and four drift baselines.
const campaign = fileURLToPath(new URL('../fixtures/campaigns/schema-1', import.meta.url));

function copied(): string {
  const folder = mkdtempSync(join(tmpdir(), 'predict-campaign-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(campaign, folder, { recursive: true });
  return folder;
}

describe('a campaign explained', () => {
  test('is about its measurements: drift baselines are read, and left out', async () => {
    const good = await goodRuns(await openCampaign(campaign));
    expect(good.records.filter(({ cell }) => cell.role === 'drift')).toHaveLength(4);
    const visited: string[] = [];
    const explained = await explainCampaign(good, {
      of: () => true,
      see: ({ record }) => void visited.push(record.cell.id),
    });
    expect(explained?.runs.map(({ cell }) => cell.role)).toEqual(new Array(8).fill('measure'));
    expect(visited).toEqual(measurements(good).map(({ cell }) => cell.id));
    expect(explained?.skipped).toEqual([]);
  });

  test('forecasts beyond the measured node counts, the same for whoever asks', async () => {
    const explained = await explainCampaign(await goodRuns(await openCampaign(campaign)));
    const { why } = await readReportInput(await openCampaign(campaign), { generatedAt: '2026-01-01T00:00:00.000Z' });
    // Graph500 runs on squares; up to 256, as the model is asked.
    expect(new Set(explained?.forecasts.map(({ nodes }) => nodes))).toEqual(
      new Set([9, 16, 25, 36, 49, 64, 100, 144, 196, 256]),
    );
    expect(new Set(explained?.forecasts.filter(({ isNamed }) => isNamed).map(({ nodes }) => nodes))).toEqual(
      new Set([16]),
    );
    expect(why?.forecasts.length).toBe(explained?.forecasts.length);
    expect(why?.findings).toEqual(explained?.findings);
    expect(why?.rows).toHaveLength(8);
  });

  test('forecasts for the node counts that are asked for, and names the largest', async () => {
    const explained = await explainCampaign(await goodRuns(await openCampaign(campaign), { nodes: [81, 121] }));
    expect(new Set(explained?.forecasts.map(({ nodes }) => nodes))).toEqual(new Set([81, 121]));
    expect(explained?.answer).toMatch(/^On 121 nodes /);
  });

  test('keeps the warnings of its runs, also for the report', async () => {
    const explained = await explainCampaign(await goodRuns(await openCampaign(campaign)));
    const warnings = explained?.runs.flatMap((run) => run.warnings) ?? [];
    expect(warnings.some((warning) => warning.includes('measured more than its capacity'))).toBe(true);
    const { why } = await readReportInput(await openCampaign(campaign), { generatedAt: '2026-01-01T00:00:00.000Z' });
    expect(why?.warnings).toEqual([...new Set(warnings)]);
  });

  test('passes over runs that left nothing to explain, and says which', async () => {
    const dir = copied();
    const good = await goodRuns(await openCampaign(dir));
    const [first, second] = measurements(good);
    rmSync(join(dir, 'cells', first?.cell.id ?? '', 'samples.parquet'));
    const explained = await explainCampaign(await goodRuns(await openCampaign(dir)));
    expect(explained?.skipped.map(({ cell, reason }) => [cell.id, reason])).toEqual([
      [first?.cell.id, `The cell ${first?.cell.id} was not sampled.`],
    ]);
    expect(explained?.runs[0]?.cell.id).toBe(second?.cell.id);
    const { why } = await readReportInput(await openCampaign(dir), { generatedAt: '2026-01-01T00:00:00.000Z' });
    expect(why?.rows).toHaveLength(7);
    expect(why?.warnings).toContain(`The cell ${first?.cell.id} was not sampled.`);
  });

  test('says what is damaged instead of passing over it, also in the report', async () => {
    const dir = copied();
    const [first] = measurements(await goodRuns(await openCampaign(dir)));
    const folder = join(dir, 'cells', first?.cell.id ?? '');
    writeFileSync(join(folder, 'samples.parquet'), 'PAR1 and nothing else');
    const sentence = `The cell in ${folder} is damaged`;
    await expect(explainCampaign(await goodRuns(await openCampaign(dir)))).rejects.toThrow(sentence);
    await expect(readReportInput(await openCampaign(dir), { generatedAt: '2026-01-01T00:00:00.000Z' })).rejects.toThrow(
      sentence,
    );
  });

  test('by another model is explained by that', async () => {
    const explained = await explainCampaign(
      await goodRuns(await openCampaign(campaign), { platform: await loadPlatform('mpi') }),
    );
    expect(explained?.platform.name).toBe('mpi');
    expect(explained?.runs.map(({ summary }) => summary.focus)).toEqual(new Array(8).fill('/'));
  });
});

describe('findings of any analysis', () => {
  const finding = (kind: string, percent: number | null): Finding => ({
    kind,
    where: '',
    seconds: percent,
    percent,
    interval: null,
    sentence: kind,
  });

  test('are ranked by their share of the time; what is not about time keeps its order at the end', () => {
    const ranked = rankFindings([finding('b', null), finding('c', 10), finding('a', null), finding('d', 40)]);
    expect(ranked.map(({ kind }) => kind)).toEqual(['d', 'c', 'b', 'a']);
  });
});
