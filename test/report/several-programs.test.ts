import { expect, test } from 'vitest';
import { explainCampaign, readGoodRuns } from '../../analysis/index.ts';
import { createOrOpenCampaign, measuredRows, readRecords, workloadOf, writeCell } from '../../experiments/index.ts';
import { fromCampaign } from '../../modeling/index.ts';
import { readReportInput } from '../../report/index.ts';
import { campaignPlan, goodRecord, tempFolder } from '../experiments/make.ts';

test('a campaign of several programs is refused by whoever would answer about all of them', async () => {
  const dir = tempFolder();
  const solver = workloadOf({
    ...{ kind: 'command', name: 'solver', command: ['solve', '{param.algorithm}'], ranks: 'any' },
    ...{ time: { pattern: 'took ([0-9.]+) ms', unit: 'ms' }, failure: [] },
  });
  const { cells } = await createOrOpenCampaign(dir, campaignPlan({ param: ['algorithm=bfs,pr'] }, solver));
  expect(new Set(cells.map(({ params }) => params?.algorithm))).toEqual(new Set(['bfs', 'pr']));
  for (const cell of cells) await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '' });
  const refused = 'holds runs of 2 different parameters of its workload, which no one model fits';
  const records = [...(await readRecords(dir)).values()];
  expect(() => measuredRows(dir, records)).toThrow(refused);
  await expect(fromCampaign(dir)).rejects.toThrow(refused);
  await expect(readReportInput(dir, { generatedAt: '2026-01-01T00:00:00Z' })).rejects.toThrow(refused);
  await expect(readGoodRuns(dir).then((good) => explainCampaign(good))).rejects.toThrow(refused);
});
