import { ascending } from '../../base/lists.ts';
import { addedNodes, type Campaign } from '../../experiments/store/campaign.ts';
import { hostFacts } from '../../experiments/store/programs.ts';
import { memoryOf } from '../../modeling/questions/measurements.ts';

/** What the campaign's file says. */
export type CampaignFacts = ReturnType<typeof campaignFacts>;

export function campaignFacts(campaign: Campaign) {
  const { inventory, workload, cells, sweep, addedSweeps } = campaign;
  const hosts = hostFacts(campaign);
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
    addedNodes: addedNodes(campaign),
  };
}

function rangeOf(values: readonly (number | undefined)[]): { min: number; max: number } | null {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? null : { min: Math.min(...known), max: Math.max(...known) };
}
