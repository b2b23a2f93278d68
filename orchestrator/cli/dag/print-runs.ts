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
  type LabelOf,
  rateText,
} from '../../../analysis/dag/explain/job-words.ts';
import type { WatchedJob } from '../../../analysis/dag/job/watched-job.ts';
import type { BottleneckStretch } from '../../../analysis/dag/judge/summarise-job.ts';
import { last } from '../../../base/lists.ts';
import { formatSeconds } from '../../../base/units.ts';
import { left, print, printTable, right } from '../print.ts';

interface PrintRunsOptions {
  readonly explained: ExplainedJobs;
  readonly job: WatchedJob;
}

/** Runs of a job in words: the verdict of the last one, its tasks and edges, how it scales, and what to know of all that. */
export function printRuns({ explained, job }: PrintRunsOptions): void {
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
