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
  edgeLabel,
  type LabelOf,
  nextStep,
  type Ranged,
  rangedText,
  rateText,
  type SetUpRow,
  summaryOfHistory,
  verdictOf,
  type WatchedJob,
  wholePercent,
} from '../../../analysis/dag/index.ts';
import { at, capital, formatBytes, formatSeconds, last, trimNumber } from '../../../base/index.ts';
import { type Column, left, print, printTable, right } from '../print.ts';

interface PrintRunsOptions {
  readonly explained: ExplainedJobs;
  readonly job: WatchedJob;
  readonly price: number | null;
}

/** Runs of a job in words: the verdict of the last one, its tasks and edges, how it scales, and what to know of all that. */
export function printRuns({ explained, job, price }: PrintRunsOptions): void {
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
  printTasks(explained);
  print('');
  printEdges(explained);
  printTimeline(run.summary.timeline, labelOf);
  if (runs.length > 1) printComparison(explained, labelOf);
  printSteps(explained, { job, price });
  printTarget(explained, job);
  print('Notes:');
  for (const text of [...run.cautions, ...explained.notes]) print(`- ${text}`);
}

/** A case in words: of each task and edge how much of the time it was the bottleneck. */
export function printCase({ shape, thresholds, periods }: DagCase): void {
  const judge = new DagJudge(shape, thresholds);
  for (const period of periods) judge.add(period);
  const tasks = new Map(shape.vertices.map(({ id, label }) => [id, label]));
  const taskLabel = (id: string): string => tasks.get(id) ?? id;
  const edges = new Map(shape.edges.map((edge) => [edge.id, edgeLabel(edge, shape.edges, taskLabel)]));
  const labelOf: LabelOf = (id, kind) => (kind === 'cpu' ? tasks : edges).get(id) ?? id;
  const summary = summaryOfHistory(judge);
  const instances = new Map(shape.vertices.map((one) => [one.id, one.instances]));
  print(verdictOf(judge, { summary, labelOf }));
  print(`${adviceWords(nextStep(judge, { summary, instances }), labelOf)}\n`);
  printTable(summary.shares, [
    left('task or edge', (one) => bottleneckName(one, labelOf)),
    right('bottleneck', ({ share }) => wholePercent(share)),
  ]);
  printTimeline(summary.timeline, labelOf);
  for (const caution of cautionsOf(judge, labelOf)) print(`- ${caution}`);
}

function printTasks({ tasks, unit }: ExplainedJobs): void {
  printTable(tasks, [
    left('task', ({ label }) => label),
    right('instances', ({ instances }) => instances),
    right('busy', ({ busy }) => shareOf(busy)),
    right('waits', ({ busy }) => shareOf(busy === null ? null : 1 - busy)),
    right('busiest', ({ busy, imbalance }) => shareOf(busy === null ? null : busy + (imbalance ?? 0))),
    ...(tasks.some(({ disk }) => disk !== null)
      ? [right('disk', ({ disk }: (typeof tasks)[number]) => shareOf(disk))]
      : []),
    right('bottleneck', ({ share }) => wholePercent(share)),
    right(unit === 'bytes' ? 'CPU per MB' : 'CPU per record', ({ busyS }) => {
      return busyS === null ? '?' : formatSeconds(busyS.value * (unit === 'bytes' ? 1e6 : 1));
    }),
    right('limits to', ({ limit }) => rangedRate(limit, unit)),
  ]);
}

function printEdges({ edges, unit }: ExplainedJobs): void {
  const anyLink = edges.some(({ crossingBw }) => crossingBw !== null);
  printTable(edges, [
    left('edge', ({ label }) => label),
    right('full', ({ full }) => shareOf(full)),
    right('bottleneck', ({ share }) => wholePercent(share)),
    right('carries', ({ bytesPerS }) => (bytesPerS === null ? '?' : `${formatBytes(bytesPerS)}/s`)),
    right('limits to', ({ limit, basis }) => `${rangedRate(limit, unit)}${basis === 'link' ? ' (by its link)' : ''}`),
    ...(anyLink
      ? [
          right('crossover below', ({ crossingBw }: (typeof edges)[number]) =>
            rangedText(crossingBw, (value) => `${trimNumber(value)} %`),
          ),
        ]
      : []),
  ]);
}

function printComparison(explained: ExplainedJobs, labelOf: LabelOf): void {
  const { runs, unit } = explained;
  print('Runs, and their rates predicted from the first one:');
  printTable(runs, [
    left('run', ({ folder }) => folder),
    right('instances', ({ instances }) => instances.join(' ')),
    right('bandwidth', ({ bw }) => (bw === null ? '?' : `${trimNumber(bw)} %`)),
    right('rate', ({ rate }) => (rate === null ? '?' : rateText(rate, unit))),
    right('predicted', ({ predicted }) => (predicted === null ? '' : rangedRate(predicted, unit))),
    left('limited by', ({ summary: { dominant } }) =>
      dominant === null ? 'no dominant one' : bottleneckName(dominant, labelOf),
    ),
    right('of the time', ({ summary: { dominant } }) => shareOf(dominant?.share)),
  ]);
  for (const text of crossingWords(explained.edges)) print(text);
  print('');
}

function printSteps(
  { steps, unit, size, tellsMachines }: ExplainedJobs,
  { job, price }: { job: WatchedJob; price: number | null },
): void {
  if (steps.length === 0 || size === null) return;
  const labelOf: LabelOf = (id, kind) => job.labelOf(id, kind);
  const end = last(steps);
  print(
    end.by.kind === 'io'
      ? `Steps until ${bottleneckName(end.by, labelOf).replace('Edge', 'the edge')} limits the job; whole job: ${amountText(size, unit)}.`
      : `Steps (no limit of an edge is known); whole job: ${amountText(size, unit)}.`,
  );
  printTable(steps, [
    left('more of', ({ raised }) => (raised === null ? '(current)' : labelOf(raised, 'cpu'))),
    right('instances', ({ instances }) => instances.join(' ')),
    ...(tellsMachines ? [right('machines', ({ machines }: SetUpRow) => machines)] : []),
    ...setUpColumns(unit, price, labelOf),
  ]);
  print(
    `Instances are those of ${job.vertices.map(({ label }) => label).join(', ')}${tellsMachines ? '; each added one has its own machine' : ''}.`,
  );
  print('');
}

function setUpColumns(unit: ExplainedJobs['unit'], price: number | null, labelOf: LabelOf): Column<SetUpRow>[] {
  return [
    right('rate', ({ rate }) => rangedRate(rate, unit)),
    right('whole job', ({ seconds }) => formatSeconds(seconds)),
    ...(price === null ? [] : [right('price', (row: SetUpRow) => (row.price ?? 0).toFixed(2))]),
    left('then limits', ({ by }) => bottleneckName(by, labelOf)),
  ];
}

function printTarget({ target, tasks, unit, tellsMachines }: ExplainedJobs, job: WatchedJob): void {
  if (target === null) return;
  const { setUp, safeInstances, endsAt, rate } = target;
  const named = (counts: readonly number[]): string =>
    tasks.map(({ label }, place) => `${at(counts, place)} of '${label}'`).join(', ');
  print(
    endsAt === null
      ? `For ${rateText(rate, unit)}: ${named(setUp.instances)}${tellsMachines ? `, ${setUp.machines} machines` : ''}, the whole job in ${formatSeconds(setUp.seconds)}.`
      : `${capital(rateText(rate, unit))} cannot be reached: the edge ${job.labelOf(endsAt, 'io')} limits the job to ${rangedRate(setUp.rate, unit)}, however many instances there are.`,
  );
  if (endsAt === null && safeInstances.some((count, place) => count !== setUp.instances[place])) {
    print(`With the upper ends of the intervals: ${named(safeInstances)}.`);
  }
  print('');
}

function rangedRate(value: Ranged | null, unit: ExplainedJobs['unit']): string {
  return rangedText(value, (rate) => rateText(rate, unit));
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

/** A share of the time, or a sign that nobody knows it. */
function shareOf(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? '?' : wholePercent(value);
}
