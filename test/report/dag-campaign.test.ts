import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDagRun } from '../../experiments/dag/write-run.ts';
import { checkCampaign } from '../../experiments/store/check-campaign.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeCell } from '../../experiments/store/write-cell.ts';
import { runFolders } from '../../orchestrator/cli/dag/dag-of-runs.ts';
import { buildReport } from '../../report/content/build-report.ts';
import { readReportInput } from '../../report/content/from-campaign.ts';
import { paperJob } from '../analysis/dag/paper-job.ts';
import { simulateJob } from '../analysis/dag/simulate-job.ts';
import { goodRecord, newCampaign, tempFolder } from '../experiments/make.ts';
import { pageFrom } from './page.ts';

/** A campaign of which every cell was watched. */
async function watchedCampaign(nodes: string): Promise<string> {
  const { dir, cells } = await newCampaign({ nodes, bw: '20' });
  for (const cell of cells) {
    const { run, lines } = simulateJob(paperJob(1, 1), { periodS: 60, mostS: 300 });
    const folder = join(tempFolder(), 'dag');
    const writer = createDagRun(folder, { ...run, command: 'paper', bw: cell.bw });
    for (const line of lines) writer.append(line);
    writer.close();
    await writeCell(dir, goodRecord(cell), { stdout: '', stderr: '', dagFolder: folder });
  }
  return dir;
}

describe('a campaign whose job was watched', () => {
  it('keeps each run beside its record, and reads them from the most bandwidth down, the baseline again last', async () => {
    const dir = await watchedCampaign('4');
    expect((await checkCampaign(dir)).problems).toEqual([]);
    const folders = await runFolders([dir, 'elsewhere']);
    expect(folders.at(-1)).toBe('elsewhere');
    const bandwidths = folders.slice(0, -1).map((folder) => {
      expect(readdirSync(folder)).toContain('record.json');
      return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).bw;
    });
    expect(bandwidths).toEqual([100, 20, 100]);
  });

  it('has a section of the report with the runs, and none without them', async () => {
    const open = await openCampaign(await watchedCampaign('4'));
    const report = buildReport(await readReportInput(open, { generatedAt: '2026-01-01T00:00:00Z' }));
    const section = pageFrom(report).document.querySelector('#dag')?.outerHTML ?? '';
    expect(section).toMatch(/Task .{1,8}ocr.{1,8} is the bottleneck/);
    expect(section.match(/4 hosts/g)).toHaveLength(3);
    expect(pageFrom({ ...report, dag: null }).document.querySelector('#dag')).toBeNull();
  });

  it('without a watched run is refused where runs are asked for', async () => {
    const { dir } = await newCampaign({ nodes: '4', bw: '20' });
    await expect(runFolders([dir])).rejects.toThrow(/is a campaign without watched runs/);
  });
});
