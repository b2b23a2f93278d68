import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { fromCampaign } from '../../../modeling/questions/measurements.ts';
import { type Rows, rowsFrom } from '../../../modeling/rows.ts';
import { readCsv, type Split, splitAt } from './tables.ts';

/** Each campaign of a folder (test/fixtures/mpi-programs), trained on the smallest share of its node counts. */
export function programSplits(folder: string, share: number): Split[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return files.sort().flatMap((file) => {
    const name = basename(file, '.csv');
    const rows = readCampaignCsv(join(folder, file));
    return splitAt({ set: name, name, ranksPerNode: 1, rows }, share) ?? [];
  });
}

/** A campaign with its counters, likewise. */
export async function campaignSplit(folder: string, share: number): Promise<Split> {
  const { rows, ranksPerNode, campaign } = fromCampaign(await openCampaign(folder));
  const name = basename(folder);
  const traffic = (await campaign?.traffic()) ?? [];
  const split = splitAt({ set: `${name}, counted`, name, ranksPerNode, rows, traffic, campaign: folder }, share);
  if (!split) throw new Error(`${folder} has too few node counts`);
  return split;
}

/** `nodes,ranks,bw_percent,scale,rep,role,search,time_s`; rows that repeat the baseline for drift are left out. */
function readCampaignCsv(path: string): Rows {
  return rowsFrom(
    readCsv(path)
      .filter(({ role }) => role === 'measure')
      .map(({ scale, nodes, bw_percent: bw, time_s: ct }) => ({
        scale: Number(scale),
        nodes: Number(nodes),
        bw: Number(bw),
        ct: Number(ct),
      })),
  );
}
