import { z } from 'zod';
import { TIMES } from '../../base/bounds.ts';
import { PATH_NAME, PATH_NAME_RULE } from '../../base/paths.ts';
import { sweepSchema } from '../../experiments/sweep.ts';
import { workloadSchema } from '../../experiments/workloads/workload-schema.ts';
import { launcherSchema } from '../../inventory/inventory-schema.ts';

// What passes through the Redis of a fleet. It comes from other machines: each reader validates it, and what it cannot understand it passes over.

/** How long the server keeps what nobody fetches, seconds. */
export const WEEK_S = 7 * 24 * 3600;
/** A worker that was silent for so long does not count as one that measures. */
const SILENT_MS = 60_000;
/** Of campaigns, where nobody says another one; the lowest number is first. */
export const USUAL_PRIORITY = 100;

/** The queue of all campaigns: a job is one campaign at one site, above its cells. */
export const CAMPAIGNS = 'predict-fleet';
/** The queue of a campaign's cells at a site, those of one route: a worker takes cells of the routes that it can serve. */
export const cellsQueue = ({ key, site }: SiteCampaign, { nodes, dataset }: Route): string =>
  [`predict-cells-${key}-${site}-${nodes}`, ...(dataset === null ? [] : [dataset])].join('-');
/** The queue of what is asked of a worker: cells that it has, once more. */
export const asksQueue = (worker: string): string => `predict-asks-${worker}`;
export const parentOf = ({ key, site }: SiteCampaign): string => `${key}-${site}`;

/** A campaign at a site. */
export interface SiteCampaign {
  readonly key: string;
  readonly site: string;
}

/** What cells of a campaign need that not every worker of a site may have. */
export interface Route {
  readonly nodes: number;
  /** The name of a graph; null without. */
  readonly dataset: string | null;
}

export const siteSchema = z.string().regex(PATH_NAME, PATH_NAME_RULE);
const keySchema = z.string().regex(/^[0-9a-f]{16}$/);
const seconds = ({ least, most }: { readonly least: number; readonly most: number }) => z.number().min(least).max(most);
const textSchema = z.string().min(1).max(400);

/** What a worker needs to plan a campaign's cells by itself, and what people see of it. */
export const orderSchema = z.strictObject({
  schema: z.literal(1),
  /** Names the campaign on the server. */
  key: keySchema,
  site: siteSchema,
  name: textSchema,
  owner: textSchema,
  createdAt: z.iso.datetime(),
  sweep: sweepSchema,
  workload: workloadSchema,
  /** Of its cells, where the sweep names none. */
  ranksPerNode: z.int().positive(),
  /** Further repetitions of planned cells, which the owner asks for once these are measured. */
  repetitions: z.array(z.strictObject({ of: keySchema, rep: z.int().positive() })).optional(),
  leaseS: seconds(TIMES['--lease']),
  cellTimeoutS: seconds(TIMES['--cell-timeout']),
  cancelled: z.boolean().optional(),
});
export type Order = z.infer<typeof orderSchema>;

/** What a worker says of itself from time to time. */
export const workerSchema = z.strictObject({
  id: siteSchema,
  site: siteSchema,
  /** Who runs it, and where. */
  controller: textSchema,
  at: z.iso.datetime(),
  hosts: z.int().positive(),
  ranksPerNode: z.int().positive(),
  cluster: siteSchema,
  launcher: launcherSchema,
  lineRateBps: z.number().positive(),
  /** Of a host, bytes; null where the inventory does not say it. */
  memoryPerNode: z.number().positive().nullable(),
  /** What it has, known by the hash of what a workload says of it. */
  datasets: z.array(z.strictObject({ name: siteSchema, hash: keySchema })),
  slots: z.int().positive().nullable(),
  /** The key of the campaign that it measures. */
  doing: keySchema.nullable(),
  /** Campaigns that it does not measure, by key; `isFinal`: until it is started anew. */
  cannot: z.record(keySchema, z.strictObject({ reason: z.string(), isFinal: z.boolean() })),
});
export type FleetWorker = z.infer<typeof workerSchema>;

/** Whether a worker said something lately. */
export function isAlive({ at }: FleetWorker): boolean {
  return Date.now() - Date.parse(at) < SILENT_MS;
}

/** Characters of why a try failed. */
export const MOST_REASON = 2000;

/** What a run's job says of it. */
export const runSchema = z.strictObject({
  worker: siteSchema,
  startedAt: z.iso.datetime(),
  /** Counts the tries of the cell by all workers, from 1. */
  attempt: z.int().positive(),
  /** Why the try before failed; null of the first one. */
  reason: z.string().max(MOST_REASON).nullable(),
});
export type FleetRun = z.infer<typeof runSchema>;

/** A cell that a worker has, and by what its archive is known. */
export const offerSchema = z.strictObject({
  worker: siteSchema,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type Offer = z.infer<typeof offerSchema>;

/** A cell that is asked of a worker once more. */
export const askSchema = z.strictObject({ key: keySchema, cell: keySchema });

/** What JSON text holds, as a schema has it; null for anything else. */
export function parsedAs<T>(schema: z.ZodType<T>, text: string | null | undefined): T | null {
  try {
    return schema.safeParse(JSON.parse(text ?? 'null')).data ?? null;
  } catch {
    return null;
  }
}
