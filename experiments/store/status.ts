import { type Campaign, readCampaign } from './campaign.ts';
import { doneCells } from './cells.ts';

/** `done` counts cells with a record; `failed` those of them whose run failed. */
export interface CellCounts {
  readonly planned: number;
  readonly done: number;
  readonly failed: number;
}

export interface CampaignStatus {
  readonly name: string;
  readonly cells: CellCounts;
  /** One per (nodes, scale), in the order of the plan. */
  readonly groups: readonly (CellCounts & { readonly nodes: number; readonly scale: number })[];
}

/** How far a campaign is; may be asked while another process writes. */
export async function status(dir: string): Promise<CampaignStatus> {
  const campaign = await readCampaign(dir);
  const done = await doneCells(dir);
  const groups = new Map<string, Campaign['cells']>();
  for (const cell of campaign.cells) {
    const key = `${cell.nodes} ${cell.scale}`;
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  }
  return {
    name: campaign.name,
    cells: count(campaign.cells, done),
    groups: [...groups.values()].map((cells) => {
      const { nodes = 0, scale = 0 } = cells[0] ?? {};
      return { nodes, scale, ...count(cells, done) };
    }),
  };
}

function count(cells: Campaign['cells'], done: ReadonlyMap<string, 'ok' | 'failed'>): CellCounts {
  const states = cells.map((cell) => done.get(cell.id));
  return {
    planned: cells.length,
    done: states.filter((state) => state !== undefined).length,
    failed: states.filter((state) => state === 'failed').length,
  };
}
