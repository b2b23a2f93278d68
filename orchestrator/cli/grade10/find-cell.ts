import { badInput } from '../../../base/index.ts';
import {
  type Campaign,
  type CellRecord,
  hostFacts,
  parseCells,
  readCampaign,
  readRecords,
} from '../../../experiments/index.ts';

/** A campaign and what its models need to know of its hosts. */
export interface Measured {
  readonly campaign: Campaign;
  /** Finished cells without the repeated baseline, by scale, node count and falling bandwidth. */
  readonly records: readonly CellRecord[];
  readonly options: { readonly lineRateBps: number; readonly cores: number };
}

export async function readMeasured(dir: string): Promise<Measured> {
  const campaign = await readCampaign(dir);
  const cores = Math.min(...hostFacts(campaign).map((host) => host.cpuQuota ?? host.cores ?? 1));
  const records = [...(await readRecords(dir)).values()].filter(({ status }) => status === 'ok');
  records.sort(({ cell: a }, { cell: b }) => a.scale - b.scale || a.nodes - b.nodes || b.bw - a.bw || a.rep - b.rep);
  return { campaign, records, options: { lineRateBps: campaign.inventory.lineRateBps, cores } };
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
