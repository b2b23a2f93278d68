import { basename, resolve } from 'node:path';
import { median } from 'simple-statistics';
import { buildHostPrograms, type HostPrograms } from '../agents/index.ts';
import { messageOf, PredictError, type Seconds } from '../base/index.ts';
import {
  type Campaign,
  type Cell,
  type CellOutput,
  type CellRecord,
  contentHash,
  createOrOpenCampaign,
  doneCells,
  plan,
  readRecord,
  type Sweep,
  type SweepEvent,
  type SweepNews,
  type Workload,
  writeAttempt,
  writeCell,
} from '../experiments/index.ts';
import type { Host, Inventory } from '../inventory/index.ts';
import { announcer } from './announce.ts';
import { LinkKeeper } from './cell/link-keeper.ts';
import { faultOutput, runCell } from './cell/run-cell.ts';
import { Cluster } from './hosts/cluster.ts';
import { controllerName, lockHosts } from './hosts/controller-lock.ts';
import { AGENT, deployPrograms } from './hosts/deployment.ts';
import type { OpenExecutor } from './hosts/executor.ts';
import { type ProbedHost, probeHosts } from './hosts/facts.ts';
import { clearLinks, requireOwnLinks } from './hosts/throttle-hosts.ts';
import { runQueue } from './queue/run-queue.ts';

export interface SweepOptions {
  readonly sweep: Sweep;
  readonly workload: Workload;
  readonly inventory: Inventory;
  /** The campaign's folder. */
  readonly out: string;
  readonly redis?: string | undefined;
  /** How long links stay throttled after this controller has vanished. */
  readonly leaseS: Seconds;
  /** Longest run of one cell. */
  readonly cellTimeoutS: Seconds;
  readonly signal: AbortSignal;
  /** Told everything that happens, as it goes into the campaign's events.jsonl. */
  readonly onEvent: (event: SweepEvent) => void;
  /** The way to a host; an SSH session by default. */
  readonly open?: OpenExecutor | undefined;
  /** What is put on the hosts; built from the sources by default. */
  readonly programs?: HostPrograms | undefined;
}

export interface SweepResult {
  readonly campaign: Campaign;
  readonly out: string;
  readonly planned: number;
  readonly done: number;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  readonly unmeasured: readonly { readonly id: string; readonly reason: string }[];
}

/** The cells of a sweep on this inventory; bad node counts are refused here, before anything is touched. */
export function planSweep({
  sweep,
  workload,
  inventory,
}: Pick<SweepOptions, 'sweep' | 'workload' | 'inventory'>): Cell[] {
  return plan(sweep, { workload, ranksPerNode: inventory.ranksPerNode, hosts: inventory.hosts.length });
}

/** Measures every cell that has no record yet. Links are released and hosts unlocked however it ends. */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const out = resolve(options.out);
  const cells = planSweep(options);
  const tell = announcer(out, options.onEvent);
  try {
    const result = await onLockedHosts({ ...options, out, cells, tell });
    const missing = result.planned - result.done;
    const reason = `${missing} cells could not be measured: ${result.unmeasured[0]?.reason ?? 'they were not tried'}`;
    tell({
      kind: 'sweep-ended',
      ...(missing === 0 ? { how: 'complete', reason: null } : { how: 'incomplete', reason }),
    });
    return result;
  } catch (error) {
    const interrupted = error instanceof PredictError && error.kind === 'interrupted';
    tell({ kind: 'sweep-ended', how: interrupted ? 'interrupted' : 'failed', reason: messageOf(error) });
    throw error;
  }
}

interface Job extends SweepOptions {
  readonly cells: readonly Cell[];
  readonly tell: (news: SweepNews) => void;
}

async function onLockedHosts(job: Job): Promise<SweepResult> {
  const { sweep, workload, inventory } = job;
  const hosts = inventory.hosts.slice(0, Math.max(...sweep.nodes));
  const cluster = new Cluster(inventory, job.open);
  const removeCache = async (): Promise<void> => {
    if (workload.cacheFolder !== null) await cluster.remove(hosts, workload.cacheFolder);
  };
  const owner = controllerName(`sweep ${basename(job.out)}`);
  try {
    const programs = job.programs ?? (await buildHostPrograms());
    const everyone = [...hosts, ...(inventory.mpi.head ? [inventory.mpi.head] : [])];
    await deployPrograms(cluster, everyone, { programs, wanted: workload.programs });
    const locks = await lockHosts(cluster, everyone, owner);
    const links = new LinkKeeper(cluster, {
      lease: { agent: cluster.remotePath(AGENT), seconds: job.leaseS, owner },
    });
    try {
      return await measureCells(job, { cluster, hosts, links, removeCache });
    } finally {
      // Where a host is out of reach now, its keeper restores the link when the lease runs out.
      await links.release().finally(removeCache).finally(locks.release);
    }
  } finally {
    cluster.close();
  }
}

async function measureCells(
  job: Job,
  {
    cluster,
    hosts,
    links,
    removeCache,
  }: {
    readonly cluster: Cluster;
    readonly hosts: readonly Host[];
    readonly links: LinkKeeper;
    readonly removeCache: () => Promise<void>;
  },
): Promise<SweepResult> {
  const { sweep, workload, inventory, out, cells, signal, tell } = job;
  const ids = cells.map(({ id }) => id);
  const probed = await prepareLinks(cluster, hosts);
  const campaign = await createOrOpenCampaign(out, {
    name: basename(out),
    createdAt: new Date().toISOString(),
    sweep,
    workload: workload.definition,
    inventory: summary(inventory, probed),
    cells: [...cells],
  });
  const finished = await doneCells(out);
  tell({ kind: 'sweep-begun', planned: ids, done: ids.filter((id) => finished.has(id)) });
  const context = {
    cluster,
    workload,
    seed: sweep.seed,
    links,
    probed: new Map(probed.map((host) => [host.host, host])),
    timeoutMs: job.cellTimeoutS * 1000,
    signal,
  };
  let group = '';
  const { unmeasured } = await runQueue({
    redis: job.redis,
    // Only controllers of the same cells share a queue: what another sweep of the campaign queued is not in this plan.
    name: `predict-${inventory.cluster}-${campaign.createdAt.replaceAll(':', '')}-${contentHash(ids)}`,
    plan: cells,
    done: finished,
    signal,
    isDone: async ({ id }) => (await doneCells(out, { only: id })).has(id),
    run: async (cell, attempt) => {
      tell({ kind: 'cell-started', id: cell.id, attempt });
      // Graphs are large: only those of the group at work stay on the hosts.
      const next = groupOf(cell);
      if (next !== group) await removeCache();
      group = next;
      try {
        const { record, ...output } = await runCell(cell, context);
        await store(out, record, output);
        tell(finishedNews(record));
      } catch (error) {
        const fault = faultOutput(error);
        const kept = error instanceof PredictError && error.kind === 'unwritable';
        if (!signal.aborted && !kept) await writeAttempt(out, { cell, at: new Date().toISOString(), ...fault });
        throw error;
      }
    },
    onRetry: ({ id }, attempt, reason) => tell({ kind: 'cell-retried', id, attempt, reason }),
    onGivenUp: ({ id }, reason) => tell({ kind: 'cell-given-up', id, reason }),
    onUnknown: (id) =>
      tell({
        kind: 'note',
        text: `the queue held ${JSON.stringify(id.slice(0, 40))}, which this sweep does not plan: it was dropped.`,
      }),
  });
  return await outcome({
    campaign,
    out,
    cells,
    unmeasured: unmeasured.map(({ cell, reason }) => ({ id: cell.id, reason })),
  });
}

/** Cells that share what their workload keeps between runs. */
function groupOf({ nodes, scale, params }: Cell): string {
  return JSON.stringify([nodes, scale, params]);
}

function finishedNews({ cell: { id }, status, reason, timing, runs }: CellRecord): SweepNews {
  const medianS = runs.length === 0 ? null : median(runs.map(({ ct }) => ct));
  return { kind: 'cell-finished', id, status, reason, timing, runs: runs.length, medianS };
}

/** A store that cannot be written will not get better by measuring again. */
async function store(out: string, record: CellRecord, output: CellOutput): Promise<void> {
  try {
    await writeCell(out, record, output);
  } catch (error) {
    throw new PredictError(`The sweep stops: ${messageOf(error)}`, { kind: 'unwritable', cause: error });
  }
}

/** Reads every link first (somebody else's qdisc refuses the sweep), then restores what a killed controller left. */
async function prepareLinks(cluster: Cluster, hosts: readonly Host[]): Promise<ProbedHost[]> {
  const probed = await probeHosts(cluster, hosts);
  const states = await requireOwnLinks(cluster, hosts);
  const left = hosts.filter(({ name }) => states.get(name)?.state === 'throttled');
  if (left.length > 0) await clearLinks(cluster, left);
  return probed;
}

function summary(inventory: Inventory, probed: readonly ProbedHost[]): Campaign['inventory'] {
  return {
    cluster: inventory.cluster,
    hosts: probed.map(({ host, facts }) => {
      const { kernel, cores, memoryBytes, dataInterface, cpuQuota = null } = facts;
      return { name: host, facts: { kernel, cores, memoryBytes, dataInterface, cpuQuota } };
    }),
    lineRateBps: inventory.lineRate,
    ranksPerNode: inventory.ranksPerNode,
    launcher: inventory.mpi.launcher,
    ...(inventory.costPerNodeHour === undefined ? {} : { costPerNodeHour: inventory.costPerNodeHour }),
    ...(inventory.memoryPerNode === undefined ? {} : { memoryPerNode: inventory.memoryPerNode }),
  };
}

async function outcome({
  out,
  cells,
  ...rest
}: Pick<SweepResult, 'campaign' | 'out' | 'unmeasured'> & { readonly cells: readonly Cell[] }): Promise<SweepResult> {
  const states = await doneCells(out);
  const ids = cells.map(({ id }) => id);
  const failed = ids.filter((id) => states.get(id) === 'failed');
  return {
    ...rest,
    out,
    planned: ids.length,
    done: ids.filter((id) => states.has(id)).length,
    failed: await Promise.all(failed.map(async (id) => ({ id, reason: (await readRecord(out, id)).reason ?? '' }))),
  };
}
