import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../analysis/dag/explain/explained.ts';
import { readWatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge.ts';
import { PredictError } from '../../base/errors.ts';
import { ascending } from '../../base/lists.ts';
import type { CellRecord } from '../../experiments/records.ts';
import { type Campaign, findAddedNodes } from '../../experiments/store/campaign.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { parseHostFacts } from '../../experiments/store/programs.ts';
import { memoryOf } from '../../modeling/questions/measurements.ts';

/** What the campaign's file says. */
export function campaignFacts(campaign: Campaign) {
  const { inventory, workload, cells, sweep, addedSweeps } = campaign;
  const hosts = parseHostFacts(campaign);
  const sweeps = [sweep, ...addedSweeps];
  return {
    cluster: inventory.cluster,
    hosts: inventory.hosts.length,
    kernels: [...new Set(hosts.flatMap((host) => host.kernel ?? []))].sort(),
    cores: rangeOf(hosts.map((host) => host.cores)),
    // What a control group leaves of the cores, where there is a quota.
    cpuQuotaCores: rangeOf(hosts.map((host) => host.cpuQuota)),
    memoryBytes: rangeOf(memoryOf(campaign)),
    lineRateBps: inventory.lineRateBps,
    launcher: inventory.launcher,
    ranksPerNode: inventory.ranksPerNode,
    workload: workload.name,
    sweep: {
      nodes: ascending(cells.map((cell) => cell.nodes)),
      scales: ascending(cells.map((cell) => cell.scale)),
      bw: ascending(cells.map((cell) => cell.bw)),
      reps: Math.max(...sweeps.map((one) => one.reps)),
      roots: Math.max(...sweeps.map((one) => one.roots)),
    },
    // Profiled runs are no measurements, and in none of the records.
    plannedCells: cells.filter(({ role }) => role !== 'profile').length,
    addedNodes: findAddedNodes(campaign),
  };
}

function rangeOf(values: readonly (number | undefined)[]): { min: number; max: number } | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : { min: Math.min(...known), max: Math.max(...known) };
}

/** What the watched runs of a campaign say together, or why they say nothing together. */
export type DagData = { readonly explained: ExplainedJobs } | { readonly problem: string };

const OPTIONS = { level: 0.9, target: null, size: null, price: null };

/** Null where no run was watched. */
export async function readDagData(open: OpenCampaign, records: readonly CellRecord[]): Promise<DagData | null> {
  const ids = new Set(records.map(({ cell }) => cell.id));
  const cells = open.watched().filter(({ cell }) => ids.has(cell.id));
  if (cells.length === 0) return null;
  try {
    const reads = [];
    for (const { cell, folder } of cells) {
      const read = await readWatchedJob(folder, { thresholds: DEFAULT_THRESHOLDS });
      const hosts = `${cell.nodes} ${cell.nodes === 1 ? 'host' : 'hosts'}`;
      reads.push({ ...read, folder: cell.role === 'drift' ? `${hosts}, again` : hosts });
    }
    return { explained: explainJobs(reads, OPTIONS) };
  } catch (error) {
    // Commands that differ with the hosts are another job on each.
    if (error instanceof PredictError && error.kind === 'badInput') return { problem: error.message };
    throw error;
  }
}
