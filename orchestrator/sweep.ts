import { basename, resolve } from 'node:path';
import { buildHostPrograms } from '../agents/index.ts';
import { messageOf, PredictError } from '../base/index.ts';
import {
  type Campaign,
  type Cell,
  type CellOutput,
  type CellRecord,
  createOrOpenCampaign,
  doneCells,
  plan,
  readRecord,
  type Sweep,
  type Workload,
  writeAttempt,
  writeCell,
} from '../experiments/index.ts';
import type { Host, Inventory } from '../inventory/index.ts';
import { LinkKeeper } from './cell/link-keeper.ts';
import { faultOutput, runCell } from './cell/run-cell.ts';
import { Cluster } from './hosts/cluster.ts';
import { controllerName, lockHosts } from './hosts/controller-lock.ts';
import { AGENT, deployPrograms } from './hosts/deployment.ts';
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
  readonly leaseS: number;
  /** Longest run of one cell. */
  readonly cellTimeoutS: number;
  readonly signal: AbortSignal;
  readonly progress: SweepProgress;
}

/** What happens during a sweep, for whoever shows it. */
export interface SweepProgress {
  /** `done`: cells that an earlier run of the same sweep has measured. */
  begin(cells: readonly Cell[], done: readonly Cell[]): void;
  start(cell: Cell): void;
  finish(record: CellRecord): void;
  retry(cell: Cell, attempt: number, reason: string): void;
  end(): void;
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
  const { sweep, workload, inventory, signal, progress } = options;
  const out = resolve(options.out);
  const cells = planSweep(options);
  const hosts = inventory.hosts.slice(0, Math.max(...sweep.nodes));
  const cluster = new Cluster(inventory);
  const removeCache = async (): Promise<void> => {
    if (workload.cacheFolder !== null) await cluster.remove(hosts, workload.cacheFolder);
  };
  const programs = await buildHostPrograms();
  const owner = controllerName(`sweep ${basename(out)}`);
  try {
    const everyone = [...hosts, ...(inventory.mpi.head ? [inventory.mpi.head] : [])];
    await deployPrograms(cluster, everyone, { programs, wanted: workload.programs });
    const locks = await lockHosts(cluster, everyone, owner);
    const links = new LinkKeeper(cluster, { agent: cluster.remotePath(AGENT), seconds: options.leaseS, owner });
    try {
      const probed = await prepareLinks(cluster, hosts);
      const campaign = await createOrOpenCampaign(out, {
        name: basename(out),
        createdAt: new Date().toISOString(),
        sweep,
        workload: workload.definition,
        inventory: summary(inventory, probed),
        cells,
      });
      const finished = await doneCells(out);
      progress.begin(
        cells,
        cells.filter(({ id }) => finished.has(id)),
      );
      const context = {
        cluster,
        workload,
        seed: sweep.seed,
        links,
        probed: new Map(probed.map((host) => [host.host, host])),
        timeoutMs: options.cellTimeoutS * 1000,
        signal,
      };
      let group = '';
      const { unmeasured } = await runQueue({
        redis: options.redis,
        name: `predict-${inventory.cluster}-${campaign.createdAt.replaceAll(':', '')}`,
        cells: cells.filter(({ id }) => !finished.has(id)),
        signal,
        run: async (cell) => {
          progress.start(cell);
          // Graphs are large: only those of the group at work stay on the hosts.
          const next = groupOf(cell);
          if (next !== group) await removeCache();
          group = next;
          try {
            const { record, ...output } = await runCell(cell, context);
            await store(out, record, output);
            progress.finish(record);
          } catch (error) {
            const fault = faultOutput(error);
            const kept = error instanceof PredictError && error.kind === 'unwritable';
            if (!signal.aborted && !kept) await writeAttempt(out, { cell, at: new Date().toISOString(), ...fault });
            throw error;
          }
        },
        onRetry: progress.retry.bind(progress),
      });
      return await outcome({
        campaign,
        out,
        cells,
        unmeasured: unmeasured.map(({ cell, reason }) => ({ id: cell.id, reason })),
      });
    } finally {
      progress.end();
      // Where a host is out of reach now, its keeper restores the link when the lease runs out.
      await links.release().finally(removeCache).finally(locks.release);
    }
  } finally {
    cluster.close();
  }
}

/** Cells that share what their workload keeps between runs. */
function groupOf({ nodes, scale, params }: Cell): string {
  return JSON.stringify([nodes, scale, params]);
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
