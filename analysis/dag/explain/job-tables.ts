import { at } from '../../../base/lists.ts';
import { capital, shortened } from '../../../base/text.ts';
import { formatBytes, formatSeconds, trimNumber } from '../../../base/units.ts';
import type { Ranged } from '../advice/throughput.ts';
import type { EdgeRow, ExplainedJobs, RunRow, SetUpRow, TaskRow } from './explained.ts';
import { bottleneckName, formatShare, type LabelOf, rangedText, rateText, wholePercent } from './job-words.ts';

/** A column of a table about jobs, for a terminal and for a page. */
export interface JobColumn<Row> {
  readonly head: string;
  /** Names, on the left; all else are numbers. */
  readonly isName?: boolean;
  readonly text: (row: Row) => string;
}

/** What each task did per record, and the rate of the whole job that it would allow by itself. */
export function taskColumns({ tasks, unit }: ExplainedJobs): readonly JobColumn<TaskRow>[] {
  const perWork = unit === 'bytes' ? { words: 'MB', amount: 1e6 } : { words: 'record', amount: 1 };
  return [
    { head: 'task', isName: true, text: ({ label }) => label },
    { head: 'instances', text: ({ instances }) => String(instances) },
    { head: 'busy', text: ({ busy }) => formatShare(busy) },
    { head: 'waits', text: ({ busy }) => formatShare(busy === null ? null : 1 - busy) },
    { head: 'busiest', text: ({ busy, imbalance }) => formatShare(busy === null ? null : busy + (imbalance ?? 0)) },
    ...only<TaskRow>(
      tasks.some(({ cpu }) => cpu !== null),
      { head: 'on a CPU', text: ({ cpu }) => formatShare(cpu) },
    ),
    ...only<TaskRow>(
      tasks.some(({ disk }) => disk !== null),
      { head: 'disk', text: ({ disk }) => formatShare(disk) },
    ),
    { head: 'bottleneck', text: ({ share }) => wholePercent(share) },
    {
      head: `CPU per ${perWork.words}`,
      text: ({ busyS }) => (busyS === null ? '?' : formatSeconds(busyS.value * perWork.amount)),
    },
    {
      head: 'limits to',
      text: ({ limit, basis }) =>
        `${basis === 'at most' && limit !== null ? 'at least ' : ''}${rangedRate(limit, unit)}`,
    },
  ];
}

/** The same of edges. */
export function edgeColumns({ edges, unit }: ExplainedJobs): readonly JobColumn<EdgeRow>[] {
  return [
    { head: 'edge', isName: true, text: ({ label }) => label },
    { head: 'full', text: ({ full }) => formatShare(full) },
    { head: 'bottleneck', text: ({ share }) => wholePercent(share) },
    { head: 'carries', text: ({ bytesPerS }) => (bytesPerS === null ? '?' : `${formatBytes(bytesPerS)}/s`) },
    {
      head: 'limits to',
      text: ({ limit, basis }) => `${rangedRate(limit, unit)}${basis === 'link' ? ' (by its link)' : ''}`,
    },
    ...only<EdgeRow>(
      edges.some(({ crossingBw }) => crossingBw !== null),
      { head: 'crossover below', text: ({ crossingBw }) => rangedText(crossingBw, (bw) => `${trimNumber(bw)} %`) },
    ),
  ];
}

/** Runs, and their rates predicted from the first one. */
export function runColumns({ unit }: ExplainedJobs, labelOf: LabelOf): readonly JobColumn<RunRow>[] {
  return [
    { head: 'run', isName: true, text: ({ folder }) => folder },
    { head: 'instances', text: ({ instances }) => instances.join(' ') },
    { head: 'bandwidth', text: ({ bw }) => (bw === null ? '?' : `${trimNumber(bw)} %`) },
    { head: 'rate', text: ({ rate }) => (rate === null ? '?' : rateText(rate, unit)) },
    { head: 'predicted', text: ({ predicted }) => (predicted === null ? '' : rangedRate(predicted, unit)) },
    {
      head: 'limited by',
      isName: true,
      text: ({ summary: { dominant }, holder }) => {
        if (holder !== null) return bottleneckName({ kind: 'cpu', id: holder.id }, labelOf);
        return dominant === null ? 'no dominant one' : bottleneckName(dominant, labelOf);
      },
    },
    { head: 'of the time', text: ({ summary: { dominant }, holder }) => formatShare(holder?.busy ?? dominant?.share) },
  ];
}

/** Set-ups with ever more instances, of the tasks that get more. */
export function stepColumns(
  { unit, steps, tasks, tellsMachines }: ExplainedJobs,
  labelOf: LabelOf,
): readonly JobColumn<SetUpRow>[] {
  const count = (step: SetUpRow, place: number): string => String(step.instances[place] ?? '?');
  return [
    { head: 'more of', isName: true, text: ({ raised }) => (raised === null ? '(current)' : labelOf(raised, 'cpu')) },
    ...tasks.flatMap(({ label }, place) =>
      only<SetUpRow>(new Set(steps.map((step) => count(step, place))).size > 1, {
        head: `'${shortened(label, 20)}'`,
        text: (step) => count(step, place),
      }),
    ),
    ...only<SetUpRow>(tellsMachines, { head: 'machines', text: ({ machines }) => String(machines) }),
    { head: 'rate', text: ({ rate }) => rangedRate(rate, unit) },
    { head: 'whole job', text: ({ seconds }) => formatSeconds(seconds) },
    ...only<SetUpRow>(
      steps.some(({ price }) => price !== null),
      { head: 'price', text: ({ price }) => (price ?? 0).toFixed(2) },
    ),
    { head: 'then limits', isName: true, text: ({ by }) => bottleneckName(by, labelOf) },
  ];
}

/** What it takes to reach a rate that was asked for; nothing where none was. */
export function targetWords(
  { target, tasks, unit, tellsMachines }: ExplainedJobs,
  labelOf: LabelOf,
): readonly string[] {
  if (target === null) return [];
  const { setUp, safeInstances, endsAt, rate } = target;
  if (endsAt !== null) {
    return [
      `${capital(rateText(rate, unit))} cannot be reached: the edge ${labelOf(endsAt, 'io')} limits the job to ${rangedRate(setUp.rate, unit)}, however many instances there are.`,
    ];
  }
  const named = (counts: readonly number[]): string =>
    tasks.map(({ label }, place) => `${at(counts, place)} of '${label}'`).join(', ');
  const machines = tellsMachines ? `, ${setUp.machines} machines` : '';
  const isSafe = safeInstances.every((count, place) => count === setUp.instances[place]);
  return [
    `For ${rateText(rate, unit)}: ${named(setUp.instances)}${machines}, the whole job in ${formatSeconds(setUp.seconds)}.`,
    ...(isSafe ? [] : [`With the upper ends of the intervals: ${named(safeInstances)}.`]),
  ];
}

function rangedRate(value: Ranged | null, unit: ExplainedJobs['unit']): string {
  return rangedText(value, (rate) => rateText(rate, unit));
}

function only<Row>(isShown: boolean, column: JobColumn<Row>): readonly JobColumn<Row>[] {
  return isShown ? [column] : [];
}
