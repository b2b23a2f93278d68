import { resolve } from 'node:path';
import type { Finding } from '../../analysis/finding.ts';
import { ascending } from '../../base/ascending.ts';
import { addedNodes } from '../../experiments/added-nodes.ts';
import { canonicalJson } from '../../experiments/canonical-json.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { hostFacts } from '../../experiments/store/host-facts.ts';
import { observationsOf } from '../../experiments/store/observations.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram, programOf } from '../../experiments/store/programs.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { edgeFactorOf, memoryOf } from '../../modeling/questions/measurements.ts';
import { steadyRecords } from '../../modeling/questions/steady.ts';
import { answersOf } from '../answers/answers.ts';
import type { Answers } from '../answers/answers-schema.ts';
import { type AnswerBasis, basisOf } from '../answers/basis.ts';
import type { ReportInput } from './build-report.ts';
import { callStacksOf } from './call-stacks.ts';
import { dagOf } from './dag-content.ts';
import { pathOf } from './path-content.ts';
import { type WitnessChoice, whyOf } from './why-content.ts';

/** Of which program; default: of the only one. */
interface Asked {
  readonly program?: string | undefined;
}

/** Everything that the page tells of one program. Errors are those of the store: `badInput`, naming the file. */
export async function readReportInput(
  open: OpenCampaign,
  { generatedAt, ...asked }: Asked & { readonly generatedAt: string },
): Promise<ReportInput> {
  const input = await readMeasured(open, asked);
  const dag = await dagOf(open, input.records);
  return { ...input, generatedAt, ...(await readWitnesses(open, asked, input)), dag };
}

/** One program of a campaign: what it rests on, and the answers, the same as those of its page; null where nothing was measured. */
export async function readAnswers(
  open: OpenCampaign,
  asked: Asked,
): Promise<{ readonly basis: AnswerBasis; readonly answers: Answers | null }> {
  const input = await readMeasured(open, asked);
  const basis = basisOf(input);
  if (basis.setting === null) return { basis, answers: null };
  const witnesses = await readWitnesses(open, { ...asked, at: basis.setting }, input);
  return { basis, answers: answersOf(basis, { ...input, ...witnesses }) };
}

/** What all analyses find in measured runs, in no order; forecasts are none of it. */
export async function readFindings(open: OpenCampaign, asked: Asked): Promise<readonly Finding[]> {
  const { why, path, callStacks } = await readWitnesses(open, asked, await readMeasured(open, asked));
  return [why, path, callStacks]
    .flatMap((one) => one?.findings ?? [])
    .filter(({ kind, percent }) => percent !== null && !kind.endsWith('/forecast'));
}

/** The answers, made once for as long as nothing of the campaign changes. */
export async function keptAnswers(open: OpenCampaign, asked: Asked): Promise<Answers | null> {
  const settings = canonicalJson({ dir: resolve(open.dir), ...asked });
  return await open.kept({ kind: 'answers', settings, make: async () => (await readAnswers(open, asked)).answers });
}

async function readMeasured(open: OpenCampaign, { program }: Asked): Promise<ReportInput> {
  const { campaign, dir } = open;
  const records = ofProgram(open.records, open, program);
  // The machines' drift is that of all programs.
  const steady = ofProgram(steadyRecords(campaign, open.records).records, open, program);
  const traffic = await open.traffic(records);
  return {
    ...reportInput({ campaign, records, generatedAt: '' }),
    ...{ dir, program, traffic, rows: observationsOf(steady) },
  };
}

/** What the analyses say of its runs. */
async function readWitnesses(open: OpenCampaign, asked: WitnessChoice, { noun, records: [first] }: ReportInput) {
  const [why, path] = [await whyOf(open, asked), await pathOf(open, asked)];
  const program = first === undefined ? asked.program : programOf(open.campaign, first.cell);
  return { why, path, callStacks: await callStacksOf(open, { program, noun, why, path }) };
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
