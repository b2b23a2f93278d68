import { mkdir } from 'node:fs/promises';
import { badInput, unwritable } from '../../base/errors.ts';
import { formatRate } from '../../base/units.ts';
import { type AskedFile, type Campaign, inspectCampaign, isMissing, readCampaign } from './campaign.ts';
import { attemptsFolder, campaignPath, cellsFolder } from './campaign-folders.ts';
import { canonicalJson, seal } from './digest.ts';
import { cellEntries } from './inspect-cells.ts';
import { removePartials, writeFileWhole } from './whole.ts';

/** A campaign as planned now; `createdAt` is used only if it is new. `file` is what asked for it, where a file did. */
export interface CampaignPlan extends Omit<Campaign, 'schema' | 'addedSweeps' | 'files'> {
  readonly file?: AskedFile | undefined;
}

/**
 * Begins a campaign or goes on with the one in `dir`: the same sweep changes nothing, another one adds its cells, another file is
 * added to `files`; another workload, seed or cluster is refused (`badInput`). Removes what a killed writer left, so the caller must be the only
 * writer (`lockCampaign`).
 */
export async function createOrOpenCampaign(dir: string, { file, ...wanted }: CampaignPlan): Promise<Campaign> {
  const merged: Opened = (await hasCampaign(dir))
    ? merge(await readCampaign(dir), { dir, wanted })
    : { value: { schema: 2, addedSweeps: [], ...wanted }, changed: true };
  const campaign = file === undefined ? merged : withFile(merged, file);
  try {
    for (const folder of [dir, cellsFolder(dir), attemptsFolder(dir)]) await mkdir(folder, { recursive: true });
    await removePartials(dir);
  } catch (error) {
    throw unwritable(`The campaign folder ${dir}`, error);
  }
  if (campaign.changed) await writeFileWhole(campaignPath(dir), `${JSON.stringify(seal(campaign.value), null, 1)}\n`);
  return campaign.value;
}

/** Whether there is a campaign.json to go on with, whatever its state; cells without one are refused. */
async function hasCampaign(dir: string): Promise<boolean> {
  if (!isMissing(await inspectCampaign(dir))) return true;
  if ((await cellEntries(dir)).length === 0) return false;
  throw badInput(`${dir} has cells but no campaign.json: restore that file from a copy or choose another folder.`);
}

interface Opened {
  readonly value: Campaign;
  readonly changed: boolean;
}

/** The same file, asked for again with the same flags, is kept once. */
function withFile({ value, changed }: Opened, file: AskedFile): Opened {
  const { files = [] } = value;
  if (files.some((known) => canonicalJson(known) === canonicalJson(file))) return { value, changed };
  return { value: { ...value, schema: 2, files: [...files, file] }, changed: true };
}

type Wanted = Omit<CampaignPlan, 'file'>;

function merge(old: Campaign, { dir, wanted }: { dir: string; wanted: Wanted }): Opened {
  const difference = incompatibility(old, wanted);
  if (difference !== null) {
    throw badInput(`${dir} holds another campaign: ${difference}. Choose another folder for this one.`);
  }
  const known = new Set(old.cells.map((cell) => cell.id));
  const cells = wanted.cells.filter((cell) => !known.has(cell.id));
  if (cells.length === 0) return { value: old, changed: false };
  // A sweep that visits its own cells again is no other one.
  const isKnown = [old.sweep, ...old.addedSweeps].some((one) => canonicalJson(one) === canonicalJson(wanted.sweep));
  const names = new Set(wanted.inventory.hosts.map((host) => host.name));
  const hosts = [...old.inventory.hosts.filter((host) => !names.has(host.name)), ...wanted.inventory.hosts];
  const value: Campaign = {
    ...old,
    schema: 2,
    addedSweeps: isKnown ? old.addedSweeps : [...old.addedSweeps, wanted.sweep],
    inventory: { ...wanted.inventory, hosts },
    cells: [...old.cells, ...cells],
  };
  return { value, changed: true };
}

function incompatibility(old: Campaign, { workload, inventory, sweep }: Wanted): string | null {
  if (old.workload.name !== workload.name) return `its workload is ${old.workload.name}, not ${workload.name}`;
  if (canonicalJson(old.workload) !== canonicalJson(workload)) {
    return `its workload ${workload.name} is defined differently`;
  }
  const { cluster, lineRateBps, ranksPerNode } = old.inventory;
  if (cluster !== inventory.cluster) return `its cluster is ${cluster}, not ${inventory.cluster}`;
  if (lineRateBps !== inventory.lineRateBps) {
    return `its line rate is ${formatRate(lineRateBps)}, not ${formatRate(inventory.lineRateBps)}`;
  }
  if (ranksPerNode !== inventory.ranksPerNode) {
    return `it has ${ranksPerNode} ranks per node, not ${inventory.ranksPerNode}`;
  }
  if (old.sweep.seed !== sweep.seed) return `its seed is ${old.sweep.seed}, not ${sweep.seed}`;
  return null;
}
