import { expect, test } from 'vitest';
import { explainCampaign, goodRuns } from '../../analysis/explain-campaign.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { fromCampaign } from '../../modeling/questions/measurements.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
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
    'holds runs of 2 programs, which one model cannot fit: name one with --program: algorithm=bfs; algorithm=pr';
  const open = await openCampaign(dir);
  expect(() => fromCampaign(open)).toThrow(refused);
  await expect(readReportInput(open, { generatedAt: '2026-01-01T00:00:00Z' })).rejects.toThrow(refused);
  await expect(goodRuns(open).then((good) => explainCampaign(good))).rejects.toThrow(refused);

  const one = fromCampaign(open, { program: 'pr' });
  expect(one.campaign?.records.map(({ cell }) => cell.params?.algorithm)).toEqual(
    open.records.filter(({ cell }) => cell.params?.algorithm === 'pr').map(() => 'pr'),
  );
  expect(one.rows.length).toBeGreaterThan(0);
  const input = await readReportInput(open, {
    generatedAt: '2026-01-01T00:00:00Z',
    program: 'algorithm=bfs',
  });
  expect(new Set(input.records.map(({ cell }) => cell.params?.algorithm))).toEqual(new Set(['bfs']));
  expect(() => fromCampaign(open, { program: 'wcc' })).toThrow("--program 'wcc' is not a program of");
  expect(() => fromCampaign(open, { program: 'algorithm' })).toThrow('names 2 programs of');
});
