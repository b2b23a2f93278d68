import { expect, test } from 'vitest';
import { explainCampaign, readGoodRuns } from '../../analysis/index.ts';
import { createOrOpenCampaign, readRecords, workloadOf, writeCell } from '../../experiments/index.ts';
import { fromCampaign } from '../../modeling/index.ts';
import { readReportInput } from '../../report/index.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';

test('of a campaign of several programs one is asked about, and no answer is about all of them', async () => {
  const dir = tempFolder();
  const solver = workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve', '{param.algorithm}'], ranks: 'any' },
    ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
  });
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ param: ['algorithm=bfs,pr'] }, solver));
  expect(new Set(cells.map(({ params }) => params?.algorithm))).toEqual(new Set(['bfs', 'pr']));
  for (const cell of cells) await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '' });
  const refused =
    'holds runs of 2 programs, which no one model fits: name one with --program: algorithm=bfs; algorithm=pr';
  await expect(fromCampaign(dir)).rejects.toThrow(refused);
  await expect(readReportInput(dir, { generatedAt: '2026-01-01T00:00:00Z' })).rejects.toThrow(refused);
  await expect(readGoodRuns(dir).then((good) => explainCampaign(good))).rejects.toThrow(refused);

  const all = await readRecords(dir);
  const one = await fromCampaign(dir, { program: 'pr' });
  expect(one.campaign?.records.map(({ cell }) => cell.params?.algorithm)).toEqual(
    [...all.values()].filter(({ cell }) => cell.params?.algorithm === 'pr').map(() => 'pr'),
  );
  expect(one.rows.length).toBeGreaterThan(0);
  const input = await readReportInput(dir, { generatedAt: '2026-01-01T00:00:00Z', program: 'algorithm=bfs' });
  expect(new Set(input.records.map(({ cell }) => cell.params?.algorithm))).toEqual(new Set(['bfs']));
  await expect(fromCampaign(dir, { program: 'wcc' })).rejects.toThrow("--program 'wcc' is no program of");
  await expect(fromCampaign(dir, { program: 'algorithm' })).rejects.toThrow('names 2 programs of');
});
