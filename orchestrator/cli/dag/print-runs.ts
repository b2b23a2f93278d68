import {
  adviceWords,
  amountText,
  type BottleneckStretch,
  bottleneckName,
  cautionsOf,
  crossingWords,
  type DagCase,
  DagJudge,
  type ExplainedJobs,
  edgeColumns,
  edgeLabel,
  type JobColumn,
  type LabelOf,
  meanByTime,
  nextStep,
  rateText,
  runColumns,
  shareOf,
  stepColumns,
  summaryOfHistory,
  targetWords,
  taskColumns,
  verdictOf,
  type WatchedJob,
  wholePercent,
} from '../../../analysis/dag/index.ts';
import { formatSeconds, last } from '../../../base/index.ts';
import { left, print, printTable, right } from '../print.ts';

interface PrintRunsOptions {
  readonly explained: ExplainedJobs;
  readonly job: WatchedJob;
}

/** Runs of a job in words: the verdict of the last one, its tasks and edges, how it scales, and what to know of all that. */
export function printRuns({ explained, job }: PrintRunsOptions): void {
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
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
  printSteps(explained, job);
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

function printSteps(explained: ExplainedJobs, job: WatchedJob): void {
  const { steps, unit, size, tellsMachines } = explained;
  if (steps.length === 0 || size === null) return;
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
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

/** A case in words. */
export function printCase({ shape, thresholds, periods }: DagCase): void {
  const judge = new DagJudge(shape, thresholds);
  for (const period of periods) judge.add(period);
  const tasks = new Map(shape.vertices.map(({ id, label }) => [id, label]));
  const taskLabel = (id: string): string => tasks.get(id) ?? id;
  const edges = new Map(shape.edges.map((edge) => [edge.id, edgeLabel(edge, shape.edges, taskLabel)]));
  const labelOf: LabelOf = (id, kind) => (kind === 'cpu' ? tasks : edges).get(id) ?? id;
  const summary = summaryOfHistory(judge);
  print(verdictOf(judge, { summary, labelOf }));
  const instances = new Map(shape.vertices.map((one) => [one.id, one.instances]));
  print(adviceWords(nextStep(judge, { summary, instances }), labelOf));
  const busy = meanByTime(shape.vertices.length, judge.periods, ({ pt }) => pt);
  const full = meanByTime(shape.edges.length, judge.periods, ({ st }) => st);
  const share = (kind: 'cpu' | 'io', id: string) =>
    summary.shares.find((one) => one.kind === kind && one.id === id)?.share ?? 0;
  print('');
  printTable(
    shape.vertices.map((vertex, place) => ({ ...vertex, busy: busy[place] })),
    [
      left('task', ({ label }) => label),
      right('instances', (row) => row.instances),
      right('busy', (row) => shareOf(row.busy)),
      right('bottleneck', ({ id }) => wholePercent(share('cpu', id))),
    ],
  );
  print('');
  printTable(
    shape.edges.map((edge, place) => ({ ...edge, full: full[place] })),
    [
      left('edge', ({ id }) => labelOf(id, 'io')),
      right('full', (row) => shareOf(row.full)),
      right('bottleneck', ({ id }) => wholePercent(share('io', id))),
    ],
  );
  printTimeline(summary.timeline, labelOf);
  for (const caution of cautionsOf(judge, labelOf)) print(`- ${caution}`);
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
