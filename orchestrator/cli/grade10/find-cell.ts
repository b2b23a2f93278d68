import { campaignOptions, type Platform } from '../../../analysis/index.ts';
import { badInput } from '../../../base/index.ts';
import { type Campaign, type CellRecord, parseCells, readCampaign, readRecords } from '../../../experiments/index.ts';

/** What `--model` and `--slice` chose; undefined: the campaign's own. */
export interface ModelChoice {
  readonly platform: Platform | undefined;
  readonly timesliceNs: number | undefined;
}

/** A campaign and what the models of its runs are made with. */
export interface Measured {
  readonly campaign: Campaign;
  /** Finished cells by scale, node count and falling bandwidth. */
  readonly records: readonly CellRecord[];
  readonly options: Awaited<ReturnType<typeof campaignOptions>>;
}

export async function readMeasured(dir: string, { platform, timesliceNs }: ModelChoice): Promise<Measured> {
  const campaign = await readCampaign(dir);
  const records = [...(await readRecords(dir)).values()].filter(({ status }) => status === 'ok');
  records.sort(({ cell: a }, { cell: b }) => a.scale - b.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep);
  return { campaign, records, options: { ...(await campaignOptions(campaign, platform)), timesliceNs } };
}

/** A finished cell by its id or its setting. Errors: badInput that lists what there is. */
export function findCell({ records }: Measured, wanted: string, dir: string): CellRecord {
  const byId = records.find(({ cell }) => cell.id === wanted);
  if (byId) return byId;
  if (wanted.includes(':')) {
    const [setting] = parseCells(wanted);
    const found = records.find(
      ({ cell }) =>
        cell.nodes === setting?.nodes &&
        cell.scale === setting.scale &&
        cell.bw === setting.bw &&
        cell.rep === setting.rep,
    );
    if (found) return found;
  }
  const some = records
    .filter(({ cell }) => cell.role === 'measure')
    .slice(0, 4)
    .map(({ cell }) => `${cell.nodes}:${cell.scale}:${cell.bw}`);
  throw badInput(`${dir} has no finished cell ${wanted}: name its id or NODES:SCALE:BW, such as ${some.join(', ')}.`);
}
