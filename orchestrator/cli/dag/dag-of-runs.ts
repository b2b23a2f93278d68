import { explainJobs, resultsOf } from '../../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../../analysis/dag/explain/explained.ts';
import { dagFindings } from '../../../analysis/dag/explain/job-words.ts';
import { type ReadJob, readWatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import { renderDagTrace } from '../../../analysis/export/dag-trace.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { last } from '../../../base/lists.ts';
import { isCampaign } from '../../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { given } from '../flags.ts';
import { note, printJson } from '../print.ts';
import {
  type DagFlags,
  parseRateTarget,
  parseSaturation,
  parseSize,
  type WorkAmount,
  wholeThresholds,
} from './dag-flags.ts';
import { printRuns } from './print-runs.ts';

/** Watched runs of one job: what limits it, what it needs, and pages of it. */
export async function dagOfRuns(folders: readonly string[], flags: DagFlags): Promise<void> {
  const [target, size] = [given(flags.target, parseRateTarget) ?? null, given(flags.size, parseSize) ?? null];
  const options = {
    level: given(flags.interval, (text) => parseNumber(text, '--interval')) ?? 0.9,
    target: target?.amount ?? null,
    size: size?.amount ?? null,
    price: given(flags.price, (text) => parseNumber(text, '--price')) ?? null,
  };
  const judged = { thresholds: wholeThresholds(flags), saturation: parseSaturation(flags.saturation) };
  const reads = [];
  for (const folder of await runFolders(folders)) reads.push(await readWatchedJob(folder, judged));
  const explained = explainJobs(reads, options);
  refuseOtherUnit(explained, { '--target': target, '--size': size });
  const { job } = last(reads);
  if (flags.trace !== undefined) {
    await writeFileWhole(flags.trace, renderDagTrace(job));
    note(`predict: ${flags.trace}: open it in https://ui.perfetto.dev.`);
  }
  if (flags.out !== undefined) {
    const { renderDag } = await import('../../../report/page/render-dag.ts');
    const generatedAt = new Date().toISOString();
    await writeFileWhole(flags.out, renderDag({ job, explained, generatedAt }));
  }
  tellJobs(reads, explained, flags);
  if (flags.out !== undefined && !flags.json) note(`Report: ${flags.out}`);
}

/** What runs of a job say. */
export function tellJobs(
  reads: readonly ReadJob[],
  explained: ExplainedJobs,
  { json, out }: Pick<DagFlags, 'json' | 'out'>,
): void {
  const { job } = last(reads);
  if (!json) {
    printRuns({ explained, job });
    return;
  }
  const findings = dagFindings(explained, job.labelOf);
  printJson({ ...explained, findings, results: resultsOf(reads), report: out ?? null });
}

/** Folders of runs as they are; of a campaign those of its good cells. */
export async function runFolders(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    if (!isCampaign(folder)) {
      found.push(folder);
      continue;
    }
    const watched = (await openCampaign(folder)).watched();
    if (watched.length === 0) {
      throw badInput(`${folder} is a campaign without watched runs: sweep a workload of kind 'pipeline'.`);
    }
    found.push(...watched.map((one) => one.folder));
  }
  return found;
}

/** A target in records is none for a job whose bytes alone were counted, and the other way round. */
function refuseOtherUnit({ unit }: ExplainedJobs, asked: Readonly<Record<string, WorkAmount | null>>): void {
  for (const [flag, amount] of Object.entries(asked)) {
    if (amount === null || amount.unit === unit) continue;
    if (unit === null) throw badInput(`${flag}: these runs counted neither records nor bytes, so no rate is known.`);
    throw badInput(
      `${flag}: these runs counted ${unit}: give the amount in ${unit}, such as ${unit === 'bytes' ? '20MB' : '500'}.`,
    );
  }
}
