import { mkdir, readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { badInput, formatRate, messageOf, unwritable } from '../../base/index.ts';
import { launcherSchema } from '../../inventory/index.ts';
import { canonicalJson } from '../canonical-json.ts';
import { cellSchema } from '../records.ts';
import { sweepSchema } from '../sweep.ts';
import { workloadSchema } from '../workloads/schema.ts';
import { doneCells } from './cells.ts';
import { attemptsFolder, campaignPath, cellsFolder } from './layout.ts';
import { removePartials, writeFileWhole } from './whole.ts';

/** Who takes part, as far as results depend on it; `facts` is what set-up found out about a host. */
const inventorySummarySchema = z.strictObject({
  cluster: z.string().min(1),
  hosts: z.array(z.strictObject({ name: z.string().min(1), facts: z.json().optional() })),
  /** Bits per second of bw 100. */
  lineRateBps: z.number().positive(),
  ranksPerNode: z.int().positive(),
  launcher: launcherSchema,
  costPerNodeHour: z.number().positive().optional(),
  /** Bytes. */
  memoryPerNode: z.number().positive().optional(),
});

/** campaign.json: one workload on one cluster. */
export const campaignSchema = z.strictObject({
  schema: z.literal(1),
  name: z.string().min(1),
  createdAt: z.iso.datetime(),
  /** The sweep that began the campaign. */
  sweep: sweepSchema,
  /** Later sweeps whose cells were added, oldest first. */
  addedSweeps: z.array(sweepSchema).default([]),
  workload: workloadSchema,
  inventory: inventorySummarySchema,
  /** Every planned cell, in the order of planning. */
  cells: z.array(cellSchema),
});
export type Campaign = z.infer<typeof campaignSchema>;

/** A campaign as planned now; `createdAt` is used only if it is new. */
export type CampaignPlan = Omit<Campaign, 'schema' | 'addedSweeps'>;

/**
 * Begins a campaign or goes on with the one in `dir`: the same sweep changes nothing, another one adds its cells, another
 * workload, seed or cluster is refused (`badInput`). Removes what a killed writer left, so the caller must be the only
 * writer (it holds the hosts' locks).
 */
export async function createOrOpenCampaign(dir: string, wanted: CampaignPlan): Promise<Campaign> {
  const exists = await stat(campaignPath(dir)).catch(() => null);
  const campaign: Opened = exists
    ? merge(await readCampaign(dir), { dir, wanted })
    : { value: { schema: 1, addedSweeps: [], ...wanted }, changed: true };
  if (!exists && (await doneCells(dir)).size > 0) {
    throw badInput(`${dir} has cells but no campaign.json: restore that file from a copy or choose another folder.`);
  }
  try {
    for (const folder of [dir, cellsFolder(dir), attemptsFolder(dir)]) {
      await mkdir(folder, { recursive: true });
      await removePartials(folder);
    }
  } catch (error) {
    throw unwritable(`The campaign folder ${dir}`, error);
  }
  if (campaign.changed) await writeFileWhole(campaignPath(dir), `${JSON.stringify(campaign.value, null, 1)}\n`);
  return campaign.value;
}

/** campaign.json, validated. Errors are `badInput`: one sentence with the file and what to do. */
export async function readCampaign(dir: string): Promise<Campaign> {
  const path = campaignPath(dir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOENT' ? `there is no ${path}` : `${path} cannot be read (${messageOf(error)})`;
    throw badInput(`${dir} is not a campaign: ${problem}; give the folder that 'predict sweep' wrote.`, error);
  });
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw badInput(
      `${path} is not valid JSON (${messageOf(error)}): restore it from a copy or begin a new folder.`,
      error,
    );
  }
  const version = z.looseObject({ schema: z.number() }).safeParse(data);
  if (version.success && version.data.schema !== 1) {
    const { schema } = version.data;
    throw badInput(`${path} has schema ${schema}, this program reads schema 1: use the version that wrote it.`);
  }
  const parsed = campaignSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : ` at ${issue.path.join('.') || 'its top'}: ${issue.message}`;
  throw badInput(`${path} is not a campaign${where}; restore it from a copy or begin a new folder.`, parsed.error);
}

interface Opened {
  readonly value: Campaign;
  readonly changed: boolean;
}

function merge(old: Campaign, { dir, wanted }: { dir: string; wanted: CampaignPlan }): Opened {
  const difference = incompatibility(old, wanted);
  if (difference !== null) {
    throw badInput(`${dir} holds another campaign: ${difference}; choose another folder for this one.`);
  }
  const known = new Set(old.cells.map((cell) => cell.id));
  const cells = wanted.cells.filter((cell) => !known.has(cell.id));
  if (cells.length === 0) return { value: old, changed: false };
  const names = new Set(wanted.inventory.hosts.map((host) => host.name));
  const hosts = [...old.inventory.hosts.filter((host) => !names.has(host.name)), ...wanted.inventory.hosts];
  const value: Campaign = {
    ...old,
    addedSweeps: [...old.addedSweeps, wanted.sweep],
    inventory: { ...wanted.inventory, hosts },
    cells: [...old.cells, ...cells],
  };
  return { value, changed: true };
}

function incompatibility(old: Campaign, { workload, inventory, sweep }: CampaignPlan): string | null {
  if (old.workload.name !== workload.name) return `its workload is ${old.workload.name}, not ${workload.name}`;
  if (canonicalJson(old.workload) !== canonicalJson(workload)) {
    return `its workload ${workload.name} has another definition`;
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
