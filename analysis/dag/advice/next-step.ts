import { at, last } from '../../../base/lists.ts';
import { compareCodePoints } from '../../../base/text.ts';
import { isPipe, type WatchedJob } from '../job/watched-job.ts';
import { reachableFrom } from '../judge/graph.ts';
import type { DagHistory } from '../judge/judge.ts';
import { type Bottleneck, type DagSummary, DOMINANT, meanByTime } from '../judge/summarise-job.ts';

/** What to change for the next run (Battre et al., section VI), by the bottleneck that dominates this one. */
export type NextStep =
  | {
      readonly action: 'scale-out';
      readonly task: string;
      /**
       * `next`: one more, as the paper does. `level`: the least number at which the next busiest task limits as much, null in a job of
       * one task.
       */
      readonly instances: { readonly now: number; readonly next: number; readonly level: number | null };
      /** Mean number of busy instances of each task; null where none ever lived. */
      readonly busyInstances: Readonly<Record<string, number | null>>;
    }
  /** More instances of what is behind the edge would idle. */
  | { readonly action: 'stop'; readonly edge: string; readonly pointless: readonly string[] }
  /** Nothing dominates. */
  | { readonly action: 'observe' | 'none'; readonly candidates: readonly Bottleneck[] };

/** Of what is a whole number the last digits of a quotient must not make one more. */
const ROUNDING = 1e-9;

/** Advice from one run. `instances` by id of the task; `holder`: a task that limits though nothing dominates (`unnamedHolder`). */
export function nextStep(
  history: DagHistory,
  {
    summary: { dominant, shares },
    instances,
    holder = null,
  }: {
    readonly summary: DagSummary;
    readonly instances: ReadonlyMap<string, number>;
    readonly holder?: Holder | null;
  },
): NextStep {
  const { graph } = history;
  if (holder !== null) return moreOf(history, holder.id, instances);
  if (dominant === null) {
    const candidates = shares.map(({ kind, id }) => ({ kind, id }));
    return { action: candidates.length > 0 ? 'observe' : 'none', candidates };
  }
  if (dominant.kind === 'io') {
    const reader = graph.to[graph.edgeIds.indexOf(dominant.id)] as number;
    const pointless = [reader, ...reachableFrom(graph, reader)].map((place) => graph.vertexIds[place] ?? '');
    return { action: 'stop', edge: dominant.id, pointless: pointless.sort(compareCodePoints) };
  }
  return moreOf(history, dominant.id, instances);
}

function moreOf({ graph, periods }: DagHistory, task: string, instances: ReadonlyMap<string, number>): NextStep {
  const means = meanByTime(graph.vertexIds.length, periods, ({ pt }) => pt);
  const now = instances.get(task) ?? 1;
  const place = graph.vertexIds.indexOf(task);
  return {
    action: 'scale-out',
    task,
    instances: { now, next: now + 1, level: levelOf({ means, place, now }) },
    busyInstances: Object.fromEntries(
      graph.vertexIds.map((id, vertex) => {
        const mean = means[vertex] as number;
        return [id, Number.isNaN(mean) ? null : mean * (instances.get(id) ?? 1)];
      }),
    ),
  };
}

/** The least number of instances at which the next busiest task is as busy; one more where no other does anything, null where there is no other. */
function levelOf({
  means,
  place,
  now,
}: {
  readonly means: Float64Array;
  readonly place: number;
  readonly now: number;
}): number | null {
  if (means.length < 2) return null;
  let other = 0;
  for (const [vertex, mean] of means.entries()) if (vertex !== place && mean > other) other = mean;
  const level = other === 0 ? 0 : Math.ceil((now * (means[place] as number)) / other - ROUNDING);
  return Math.max(now + 1, level);
}

/** So much of the time samples of pipes and tasks may differ. */
const UNEXPLAINED = 0.1;

/** A task for which the tasks before it wait. */
export interface Holder {
  readonly id: string;
  /** Mean share of PROCESSING over the run. */
  readonly busy: number;
}

/**
 * The task that limits a job most where none is busy all the time (ours): tasks that hand on through small pipes take turns, so
 * that each waits for the others for a part of the time. From each source along the pipes for whose room tasks wait most; of the
 * tasks on the way the busiest. Null where a source waits for something else than room, the last task does not take from a full
 * pipe though it neither works nor waits for room, or no task works for half of the time: then the job waits for what is outside
 * it. Edges over a network end the way, because they limit by themselves.
 */
export function heldUpBy(job: WatchedJob): Holder | null {
  const { graph, periods } = job.judge;
  const busy = meanByTime(graph.vertexIds.length, periods, ({ pt }) => pt);
  const full = meanByTime(graph.edgeIds.length, periods, ({ st }) => st);
  const blocked = meanByTime(graph.edgeIds.length, periods, (_, index) => job.work[index]?.blocked);
  const edgesOf = (task: number, ends: Int32Array): number[] => [...ends.keys()].filter((edge) => ends[edge] === task);
  const shareOf = (shares: Float64Array, edge: number): number => shares[edge] || 0;
  const isSource = (task: number): boolean => !graph.to.includes(task);
  const waitsOutside = (task: number): boolean => {
    const hasInput = isSource(task) ? 1 : Math.max(...edgesOf(task, graph.to).map((edge) => shareOf(full, edge)));
    const forRoom = edgesOf(task, graph.from).reduce((sum, edge) => sum + shareOf(blocked, edge), 0);
    return !(hasInput - at(busy, task) - forRoom <= UNEXPLAINED);
  };
  const waitsFor = (task: number): number | undefined => {
    const [most] = edgesOf(task, graph.from).sort((a, b) => shareOf(blocked, b) - shareOf(blocked, a));
    if (most === undefined || shareOf(blocked, most) <= UNEXPLAINED) return undefined;
    return isPipe(job.edges[most], job) ? at(graph.to, most) : undefined;
  };
  const [busiest] = [...graph.vertexIds.keys()]
    .filter(isSource)
    .map((source) => wayFrom(source, waitsFor))
    .filter((way) => way.length > 1 && !waitsOutside(at(way, 0)) && !waitsOutside(last(way)))
    .flat()
    .sort((a, b) => at(busy, b) - at(busy, a));
  if (busiest === undefined || !(at(busy, busiest) >= DOMINANT)) return null;
  return { id: at(graph.vertexIds, busiest), busy: at(busy, busiest) };
}

function wayFrom(source: number, waitsFor: (task: number) => number | undefined): number[] {
  const way = [source];
  for (let next = waitsFor(source); next !== undefined; next = waitsFor(next)) way.push(next);
  return way;
}

/** The same where it says more than the method: no task is the bottleneck for half of the time, and no edge over a network. */
export function unnamedHolder(job: WatchedJob, { dominant }: DagSummary): Holder | null {
  const isNamed = dominant !== null && !isPipe(dominantEdge(job, dominant), job);
  return isNamed ? null : heldUpBy(job);
}

function dominantEdge({ edges }: WatchedJob, { kind, id }: NonNullable<DagSummary['dominant']>) {
  return kind === 'io' ? edges.find((edge) => edge.id === id) : undefined;
}
