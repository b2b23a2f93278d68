import { copyFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { at, mulberry32 } from '../../base/lists.ts';
import { projectRoot } from '../../base/paths.ts';
import { visitAgain } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import { readCampaign } from '../../experiments/store/campaign.ts';
import { cellFolder, FILES } from '../../experiments/store/campaign-folders.ts';
import { createOrOpenCampaign } from '../../experiments/store/create-campaign.ts';
import { newDigest, seal } from '../../experiments/store/digest.ts';
import { openCampaign } from '../../experiments/store/open-campaign.ts';
import { writeFolderWhole } from '../../experiments/store/whole.ts';
import { writeRuns } from '../../experiments/store/write-parquet.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
/** A stored campaign whose runs are traced. */
export const TRACED = join(projectRoot(), 'test/fixtures/campaigns/schema-1');

/** Times of clones differ from those of their original by up to so much. */
const SCATTER = 0.02;

/**
 * A campaign of `count` cells made of a stored one: its measured cells again and again as further repetitions, each a planned cell with
 * digests that hold. Tables are copied, but for the runs, whose times scatter.
 */
export async function cloneCampaign(
  dir: string,
  { count, from = TRACED }: { readonly count: number; readonly from?: string },
): Promise<void> {
  const original = await readCampaign(from);
  const records = (await openCampaign(from)).records.filter(
    ({ cell, status }) => cell.role === 'measure' && status === 'ok',
  );
  const { schema: _, addedSweeps: __, cells: ___, ...plan } = original;
  const of = { sweep: plan.sweep, workload: workloadOf(plan.workload) };
  const clones = Array.from({ length: count }, (_, index) => {
    const record = at(records, index % records.length);
    return { record, cell: visitAgain(record.cell, Math.floor(index / records.length) + 1, of) };
  });
  await createOrOpenCampaign(dir, { ...plan, cells: clones.map(({ cell }) => cell) });
  const random = mulberry32(1);
  for (const { record, cell } of clones) {
    const factor = 1 + SCATTER * (2 * random() - 1);
    await writeClone(dir, { from, record, cell, factor });
  }
}

async function writeClone(
  dir: string,
  { from, record, cell, factor }: { from: string; record: CellRecord; cell: Cell; factor: number },
): Promise<void> {
  const runs = record.runs.map((run) => ({ ...run, ct: run.ct * factor }));
  const place = cellFolder(from, record.cell.id);
  await writeFolderWhole(cellFolder(dir, cell.id), async (folder) => {
    for (const name of readdirSync(place)) {
      if (name !== FILES.record && name !== FILES.runs) copyFileSync(join(place, name), join(folder, name));
    }
    await writeRuns(folder, { ...record, cell, runs });
    const files: Record<string, unknown> = {};
    for (const name of readdirSync(folder).sort()) files[name] = await newDigest(join(folder, name));
    const { runs: _, ...rest } = record;
    const stored = seal({ schema: 2, ...rest, cell, files });
    await writeFile(join(folder, FILES.record), `${JSON.stringify(stored)}\n`);
  });
}
