import { ascending } from '../../base/index.ts';
import {
  addedNodes,
  type Campaign,
  hostFacts,
  type OpenCampaign,
  observationsOf,
  ofProgram,
  programOf,
  workloadOf,
} from '../../experiments/index.ts';
import { edgeFactorOf, memoryOf, steadyRecords } from '../../modeling/index.ts';
import type { ReportInput } from './build-report.ts';
import { callStacksOf } from './call-stacks.ts';
import { dagOf } from './dag.ts';
import { pathOf } from './path.ts';
import { whyOf } from './why.ts';

/** Everything that the page tells of one program. Errors are those of the store: `badInput`, naming the file. */
export async function readReportInput(
  open: OpenCampaign,
  { generatedAt, program }: { readonly generatedAt: string; readonly program?: string | undefined },
): Promise<ReportInput> {
  const { campaign, dir } = open;
  const records = ofProgram(open.records, open, program);
  const input = reportInput({ campaign, records, generatedAt });
  const steady = ofProgram(steadyRecords(campaign, open.records).records, open, program);
  const told = records[0] === undefined ? program : programOf(campaign, records[0].cell);
  const why = await whyOf(open, { program });
  const path = await pathOf(open, { program });
  return {
    ...input,
    // The machines' drift is that of all programs.
    ...{ dir, program, rows: observationsOf(steady) },
    traffic: await open.traffic(records),
    dag: await dagOf(open, records),
    ...{ why, path },
    callStacks: await callStacksOf(open, { program: told, noun: input.noun, why, path }),
  };
}

/** What `buildReport` needs of a campaign and its records. */
export function reportInput({
  campaign,
  ...rest
}: Pick<ReportInput, 'records' | 'generatedAt'> & { readonly campaign: Campaign }): ReportInput {
  const workload = workloadOf(campaign.workload);
  const { ranksPerNode } = campaign.inventory;
  return {
    ...rest,
    rows: observationsOf(steadyRecords(campaign, rest.records).records),
    campaign: factsOf(campaign),
    planned: campaign,
    noun: workload.noun,
    edgeFactor: edgeFactorOf(campaign, rest.records),
    isAdmissible: (nodes) => workload.admissible(nodes * ranksPerNode),
  };
}

/** What the campaign's file says. */
export type CampaignFacts = ReturnType<typeof factsOf>;

function factsOf(campaign: Campaign) {
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
