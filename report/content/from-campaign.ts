import { resolve } from 'node:path';
import type { Finding } from '../../analysis/finding.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram, programOf } from '../../experiments/store/programs.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { edgeFactorOf } from '../../modeling/questions/measurements.ts';
import { steadyRecords } from '../../modeling/questions/steady.ts';
import { answerAll } from '../answers/answers.ts';
import type { Answers } from '../answers/answers-schema.ts';
import { type AnswerBasis, fitBasis } from '../answers/basis.ts';
import { readCallStacks } from './call-stacks.ts';
import { campaignFacts, readDagData } from './campaign-facts.ts';
import type { ReportInput } from './page-facts.ts';
import { readPathData } from './path-content.ts';
import { readWhy, type WitnessChoice } from './why-content.ts';

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
  const dag = await readDagData(open, input.records);
  return { ...input, generatedAt, ...(await readWitnesses(open, asked, input)), dag };
}

/** One program of a campaign: what it rests on, and the answers, the same as those of its page; null where nothing was measured. */
export async function readAnswers(
  open: OpenCampaign,
  asked: Asked,
): Promise<{ readonly basis: AnswerBasis; readonly answers: Answers | null }> {
  const input = await readMeasured(open, asked);
  const basis = fitBasis(input);
  if (basis.setting === null) return { basis, answers: null };
  const witnesses = await readWitnesses(open, { ...asked, at: basis.setting }, input);
  return { basis, answers: answerAll(basis, { ...input, ...witnesses }) };
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
    ...{ dir, program, traffic, rows: listObservations(steady) },
  };
}

/** What the analyses say of its runs. */
async function readWitnesses(open: OpenCampaign, asked: WitnessChoice, { noun, records: [first] }: ReportInput) {
  const [why, path] = [await readWhy(open, asked), await readPathData(open, asked)];
  const program = first === undefined ? asked.program : programOf(open.campaign, first.cell);
  return { why, path, callStacks: await readCallStacks(open, { program, noun, why, path }) };
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
    rows: listObservations(steadyRecords(campaign, rest.records).records),
    campaign: campaignFacts(campaign),
    planned: campaign,
    noun: workload.noun,
    edgeFactor: edgeFactorOf(campaign, rest.records),
    isAdmissible: (nodes) => workload.admissible(nodes * ranksPerNode),
  };
}
