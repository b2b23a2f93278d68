import { explainJobs, resultsOf } from '../../../analysis/dag/explain/explain-jobs.ts';
import type { ExplainedJobs } from '../../../analysis/dag/explain/explained.ts';
import {
  edgeColumns,
  type JobColumn,
  runColumns,
  stepColumns,
  targetWords,
  taskColumns,
} from '../../../analysis/dag/explain/job-tables.ts';
import {
  adviceWords,
  amountText,
  bottleneckName,
  crossingWords,
  dagFindings,
  type LabelOf,
  rateText,
} from '../../../analysis/dag/explain/job-words.ts';
import { type ReadJob, readWatchedJob, type WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import type { BottleneckStretch } from '../../../analysis/dag/judge/summarise-job.ts';
import { renderDagTrace } from '../../../analysis/export/dag-trace.ts';
import { parseNumber } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { last } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { isCampaign } from '../../../experiments/store/campaign-folders.ts';
import { openCampaign } from '../../../experiments/store/open-campaign.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import { given } from '../flags.ts';
import { left, note, print, printJson, printTable, right } from '../print.ts';
import {
  type DagFlags,
  parseRateTarget,
  parseSaturation,
  parseSize,
  type WorkAmount,
  wholeThresholds,
} from './dag-flags.ts';

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

interface PrintRunsOptions {
  readonly explained: ExplainedJobs;
  readonly job: WatchedJob;
}

/** Runs of a job in words: the verdict of the last one, its tasks and edges, how it scales, and what to know of all that. */
function printRuns({ explained, job }: PrintRunsOptions): void {
  const { labelOf } = job;
  const { runs, unit } = explained;
  const run = last(runs);
  const rate = run.rate === null ? '' : `, ${rateText(run.rate, unit)}`;
  print(
    `${run.folder}: ${formatSeconds(run.seconds)} in ${job.judge.periods.length} periods, watched by ${run.source}${rate}`,
  );
  print(run.verdict);
  print(adviceWords(run.advice, labelOf));
  print('');
  printRows(explained.tasks, taskColumns(explained));
  print('');
  printRows(explained.edges, edgeColumns(explained));
  printTimeline(run.summary.timeline, labelOf);
  if (runs.length > 1) {
    print('Runs, and their rates predicted from the first one:');
    printRows(runs, runColumns(explained, labelOf));
    for (const text of crossingWords(explained.edges)) print(text);
    print('');
  }
  printSteps(explained, labelOf);
  const target = targetWords(explained, labelOf);
  for (const text of target) print(text);
  if (target.length > 0) print('');
  print('Notes:');
  for (const text of [...run.cautions, ...explained.notes]) print(`- ${text}`);
}

function printRows<Row>(rows: readonly Row[], columns: readonly JobColumn<Row>[]): void {
  printTable(
    rows,
    columns.map(({ head, isName = false, text }) => (isName ? left(head, text) : right(head, text))),
  );
}

function printSteps(explained: ExplainedJobs, labelOf: LabelOf): void {
  const { steps, unit, size, tellsMachines } = explained;
  if (steps.length === 0 || size === null) return;
  const end = last(steps);
  print(
    end.by.kind === 'io'
      ? `Steps until ${bottleneckName(end.by, labelOf).replace('Edge', 'the edge')} limits the job; whole job: ${amountText(size, unit)}.`
      : `Steps (no limit of an edge is known); whole job: ${amountText(size, unit)}.`,
  );
  printRows(steps, stepColumns(explained, labelOf));
  if (tellsMachines) print('Each added instance has its own machine.');
  print('');
}

/** More lines of a timeline are not printed; `--json` has them all. */
const MOST_STRETCHES = 20;

/** When what was the bottleneck. */
function printTimeline(timeline: readonly BottleneckStretch[], labelOf: LabelOf): void {
  if (timeline.length === 0) return;
  const ordered = [...timeline].sort((a, b) => a.startNs - b.startNs);
  print('');
  for (const stretch of ordered.slice(0, MOST_STRETCHES)) {
    const [from, to] = [stretch.startNs, stretch.endNs].map((ns) => (ns === 0 ? '0 s' : formatSeconds(ns / 1e9)));
    print(`${from} to ${to}: ${bottleneckName(stretch, labelOf)}`);
  }
  const more = ordered.length - MOST_STRETCHES;
  if (more > 0) print(`... and ${more} more (--json has all)`);
  print('');
}
