import { z } from 'zod';
import { badInput, messageOf } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import { launcherSchema } from '../../inventory/inventory-schema.ts';
import { cellSchema } from '../records.ts';
import { sweepSchema } from '../sweep.ts';
import { workloadSchema } from '../workloads/workload-schema.ts';
import { campaignPath } from './campaign-folders.ts';
import { type Damage, damaged, issueOf } from './damage.ts';
import { contentHash, isSealed } from './digest.ts';
import { perContent } from './identity.ts';
import { readProblem } from './regular.ts';

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
  /** Of hosts that are emulated in one machine: cores that the ranks of each keep to. */
  emulatedCores: z.number().positive().optional(),
});

/** A campaign file that a sweep was asked by, as it was then. */
const askedFileSchema = z.strictObject({
  /** As the user named it. */
  path: z.string().min(1),
  text: z.string(),
  /** What flags said beside it or in its place, by key. */
  flags: z.record(z.string(), z.json()),
});
export type AskedFile = z.infer<typeof askedFileSchema>;

/** campaign.json: one workload on one cluster. */
export const campaignSchema = z.strictObject({
  /** 2 has a `digest` of its content in the file; 1 had none. */
  schema: z.literal([1, 2]),
  name: z.string().min(1),
  createdAt: z.iso.datetime(),
  /** The sweep that began the campaign. */
  sweep: sweepSchema,
  /** Later sweeps whose cells were added, oldest first. */
  addedSweeps: z.array(sweepSchema).default([]),
  /** Those of all sweeps that were asked by one, oldest first. */
  files: z.array(askedFileSchema).optional(),
  workload: workloadSchema,
  inventory: inventorySummarySchema,
  /** Every planned cell, in the order of planning. */
  cells: z.array(cellSchema),
});
export type Campaign = z.infer<typeof campaignSchema>;

/** campaign.json, validated and as it was written. Errors are `badInput`: one sentence with the file and what to do. */
export async function readCampaign(dir: string): Promise<Campaign> {
  const { campaign, problems } = await inspectCampaign(dir);
  const [first] = problems;
  if (first !== undefined) throw damaged(dir, first);
  if (campaign !== null) return campaign;
  throw badInput(
    `${dir} is not a campaign: there is no ${campaignPath(dir)}. Give the folder that a sweep wrote (--out).`,
  );
}

interface InspectedCampaign {
  /** Null where the file cannot be understood or is missing. */
  readonly campaign: Campaign | null;
  readonly problems: readonly Damage[];
}

/** No campaign.json, which is for the caller to judge: the campaign may not have begun. */
export function isMissing({ campaign, problems }: InspectedCampaign): boolean {
  return campaign === null && problems.length === 0;
}

/** campaign.json with all that is wrong with it. */
export async function inspectCampaign(dir: string): Promise<InspectedCampaign> {
  const path = campaignPath(dir);
  const known = ({ campaign, problems }: Understood): InspectedCampaign => ({
    campaign,
    problems: problems.map((problem) => ({ path, cell: null, problem, part: null })),
  });
  try {
    return known(await understoodFile(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { campaign: null, problems: [] };
    return known({ campaign: null, problems: [readProblem(error)] });
  }
}

interface Understood {
  readonly campaign: Campaign | null;
  readonly problems: readonly string[];
}

const understoodFile = perContent(async (file) => {
  const text = await file.readFile('utf8');
  try {
    return understood(JSON.parse(text));
  } catch (error) {
    return { campaign: null, problems: [`is not valid JSON (${messageOf(error)})`] };
  }
});

function understood(data: unknown): Understood {
  const version = z.looseObject({ schema: z.number() }).safeParse(data);
  const schema = version.success ? version.data.schema : 2;
  if (schema !== 1 && schema !== 2) {
    const problem = `has schema ${schema}, but this version reads schemas 1 and 2: use the version that wrote it`;
    return { campaign: null, problems: [problem] };
  }
  const parsed = (schema === 1 ? campaignSchema : storedSchema).safeParse(data);
  if (!parsed.success) return { campaign: null, problems: [`is not a campaign${issueOf(parsed.error)}`] };
  const { digest: _, ...campaign } = { digest: '', ...parsed.data };
  const changed = schema === 2 && !isSealed(data) ? ['was changed after it was written'] : [];
  return { campaign, problems: [...changed, ...foreignCells(data, campaign), ...doubles(campaign)] };
}

const storedSchema = campaignSchema.extend({ digest: z.string() });

/**
 * Cells of a campaign without a digest whose id is not the hash of their content, as `plan` made it. The data is hashed as it
 * stands in the file: defaults that a later program adds to a workload are not in it.
 */
function foreignCells(data: unknown, { schema, sweep }: Campaign): string[] {
  if (schema !== 1) return [];
  const written = z.looseObject({ workload: z.unknown(), cells: z.looseObject({}).array() }).parse(data);
  const shared = { definition: contentHash(written.workload), seed: sweep.seed };
  return written.cells
    .filter(({ id, ...content }) => contentHash({ ...content, ...shared }) !== id)
    .map(({ id }) => `plans a cell ${id} with different content`);
}

function doubles({ cells }: Campaign): string[] {
  const seen = new Set<string>();
  return cells.flatMap(({ id }) => (seen.size === seen.add(id).size ? [`plans cell ${id} twice`] : []));
}

/** Node counts that later sweeps added beyond all of the first, which could tell of them only blind; none where it had fewer than two. */
export function findAddedNodes({ sweep, cells }: Pick<Campaign, 'sweep' | 'cells'>): readonly number[] {
  const later = ascending(cells.map(({ nodes }) => nodes)).filter((nodes) => !sweep.nodes.includes(nodes));
  const isBeyond = new Set(sweep.nodes).size > 1 && later.every((nodes) => nodes > Math.max(...sweep.nodes));
  return isBeyond ? later : [];
}
