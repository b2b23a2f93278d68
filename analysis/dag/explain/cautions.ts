import { joinWords } from '../../../base/text.ts';
import type { WatchedJob, WorkUnit } from '../job/watched-job.ts';
import { type DagHistory, equalsThreshold } from '../judge/judge.ts';
import { bottlenecksOf, DOMINANT } from '../judge/summarise-job.ts';
import type { RunRow, TaskRow } from './explained.ts';
import { countChanges, type LabelOf, rateText, wholePercent } from './job-words.ts';

/** An instance this much busier than the mean of its task is told. */
const UNEVEN = 0.2;
/** Changes of the verdict per period from which on its periods are too short to tell. */
const OFTEN = 0.2;

/** What the method cannot see, as far as it matters for this run; a sentence each (Battre et al., sections III and IV). */
export function describeCautions(history: DagHistory, labelOf: LabelOf): string[] {
  const { graph, periods, thresholds } = history;
  const cautions: string[] = [];
  const hidden = periods.filter(({ ioChecked }) => !ioChecked).length;
  if (hidden > 0) {
    cautions.push(
      `In ${hidden} of ${periods.length} periods a busy task hides full edges, even in other branches. Edges are judged only when no task is a bottleneck.`,
    );
  }
  const equal = periods.filter(({ pt, st }) => equals(pt, thresholds.alpha) || equals(st, thresholds.beta)).length;
  if (equal > 0)
    cautions.push(
      `In ${equal} of ${periods.length} periods a value equals its threshold. Only values above the threshold count as a bottleneck.`,
    );
  const silent = graph.vertexIds.flatMap((id, place) => {
    const count = periods.filter(({ pt }) => Number.isNaN(pt[place] ?? Number.NaN)).length;
    return count > 0 ? [`'${labelOf(id, 'cpu')}' in ${count}`] : [];
  });
  if (silent.length > 0) {
    cautions.push(
      `No instance with a known state, so not reported as a bottleneck: ${silent.join(', ')} of ${periods.length} periods.`,
    );
  }
  cautions.push(...unevenTasks(history, labelOf));
  if (periods.some((period) => bottlenecksOf(graph, period).length > 1)) {
    cautions.push('Simultaneous bottlenecks are in different branches: none of them feeds another.');
  }
  const changes = countChanges(graph, periods);
  if (changes > OFTEN * periods.length) {
    cautions.push(
      `The verdict changes ${changes === 1 ? 'once' : `${changes} times`} in ${periods.length} periods. Records that arrive in blocks cause this: use longer periods, or rely on the shares over the whole run.`,
    );
  }
  cautions.push('Look at the named bottleneck first. If others are close behind it, a single change gains little.');
  return cautions;
}

/** What a watched job tells beside: how it was watched, what happened, what was not measured. */
export function describeNotes(job: WatchedJob): string[] {
  const unmeasured = [...job.unmeasured].map((id) => job.labelOf(id, 'io'));
  return [
    ...job.run.notes,
    ...job.events.map(({ atNs, text }) => `At ${(atNs / 1e9).toFixed(1)} s: ${text}`),
    ...(unmeasured.length > 0
      ? [
          `How full these edges were was not measured in every period, so they are not reported as bottlenecks there: ${unmeasured.join(', ')}.`,
        ]
      : []),
  ];
}

/** What a bottleneck does that hardly computes: it waits for its own files and output, or sleeps by a timer or a lock of its own. */
export function standstillNotes({ summary: { dominant } }: RunRow, tasks: readonly TaskRow[]): string[] {
  const task = dominant?.kind === 'cpu' ? tasks.find(({ id }) => id === dominant.id) : undefined;
  if (task === undefined || task.busy === null || task.cpu === null) return [];
  const disk = task.disk ?? 0;
  if (disk >= DOMINANT)
    return [
      `'${task.label}' waits in ${wholePercent(disk)} of the time for its own files, or for what it prints to be shown. If it prints much, send its output to a file.`,
    ];
  const asleep = task.busy - task.cpu - disk;
  return asleep < DOMINANT
    ? []
    : [
        `'${task.label}' sleeps in ${wholePercent(asleep)} of the time though no channel makes it wait: by a timer, a lock or a reply from outside. If it limits its own rate, raise that limit.`,
      ];
}

/** What is not measured of tasks, and so bounds what can be promised, or does not. */
export function unknownTaskNotes(tasks: readonly TaskRow[], unit: WorkUnit): string[] {
  return tasks.flatMap(({ label, busy, limit, basis }) => {
    if (basis === 'at most' && limit !== null)
      return [
        `How busy '${label}' was is not measured, only the most that it can have been. It allows at least ${rateText(limit.value, unit)}: larger rates are not promised without more instances of it.`,
      ];
    return basis === null && busy === null
      ? [
          `How busy '${label}' was is not measured: it is left out of the limits, and rates hold only if it allows them.`,
        ]
      : [];
  });
}

function equals(values: Float64Array, threshold: number): boolean {
  return values.some((value) => equalsThreshold(value, threshold));
}

function unevenTasks({ graph, periods }: DagHistory, labelOf: LabelOf): string[] {
  const uneven = graph.vertexIds.flatMap((id, place) => {
    const most = periods.reduce((largest, { imbalance }) => Math.max(largest, imbalance[place] || 0), 0);
    return most >= UNEVEN ? [`of '${labelOf(id, 'cpu')}' one by up to ${wholePercent(most)}`] : [];
  });
  return uneven.length === 0
    ? []
    : [`Load imbalance that the mean hides: ${joinWords(uneven)} of the time above the mean of its task.`];
}
