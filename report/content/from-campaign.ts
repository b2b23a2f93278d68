import { resolve } from 'node:path';
import { explainJobs } from '../../analysis/dag/explain/explain-jobs.ts';
import { readWatchedJob } from '../../analysis/dag/job/watched-job.ts';
import { DEFAULT_THRESHOLDS } from '../../analysis/dag/judge/judge.ts';
import type { Finding } from '../../analysis/finding.ts';
import { PredictError } from '../../base/errors.ts';
import type { CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { canonicalJson } from '../../experiments/store/digest.ts';
import { listObservations } from '../../experiments/store/observations.ts';
import type { OpenCampaign } from '../../experiments/store/open-campaign.ts';
import { ofProgram, programOf } from '../../experiments/store/programs.ts';
import { workloadOf } from '../../experiments/workloads/adapters.ts';
import { edgeFactorOf } from '../../modeling/questions/measurements.ts';
import { steadyRecords } from '../../modeling/questions/steady.ts';
import { answerAll, type Witnesses } from '../answers/answers.ts';
import type { Answers } from '../answers/answers-schema.ts';
import { type AnswerBasis, fitBasis, type Measured } from '../answers/basis.ts';
import { readCallStacks } from './call-stacks.ts';
import type { DagData, ReportInput } from './page-facts.ts';
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
  return { basis, answers: answerAll(basis, witnesses) };
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

async function readMeasured(open: OpenCampaign, { program }: Asked): Promise<Measured> {
  const { campaign, dir } = open;
  const records = ofProgram(open.records, open, program);
  // The machines' drift is that of all programs.
  const steady = ofProgram(steadyRecords(campaign, open.records).records, open, program);
  const traffic = await open.traffic(records);
  const rows = listObservations(steady);
  return { ...measuredOf(campaign, records), ...{ rows, traffic, dir: resolve(dir), program: program ?? null } };
}

/** Records of one program, with what is known of it. */
export function measuredOf(planned: Campaign, records: readonly CellRecord[]): Measured {
  const { noun, admissible } = workloadOf(planned.workload);
  const { ranksPerNode } = planned.inventory;
  const isAdmissible = (nodes: number): boolean => admissible(nodes * ranksPerNode);
  return { planned, records, noun, edgeFactor: edgeFactorOf(planned, records), isAdmissible };
}

/** What the analyses say of its runs. */
async function readWitnesses(
  open: OpenCampaign,
  asked: WitnessChoice,
  { noun, records: [first] }: Measured,
): Promise<Witnesses> {
  const [why, path] = [await readWhy(open, asked), await readPathData(open, asked)];
  const program = first === undefined ? asked.program : programOf(open.campaign, first.cell);
  return { why, path, callStacks: await readCallStacks(open, { program, noun, why, path }) };
}

const OPTIONS = { level: 0.9, target: null, size: null, price: null };

/** Null where no run was watched. */
async function readDagData(open: OpenCampaign, records: readonly CellRecord[]): Promise<DagData | null> {
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
