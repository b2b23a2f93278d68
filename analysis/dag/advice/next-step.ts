import { compareCodePoints } from '../../../base/text.ts';
import { reachableFrom } from '../judge/graph.ts';
import type { DagHistory } from '../judge/judge.ts';
import { byId } from '../judge/judge-period.ts';
import { type Bottleneck, type DagSummary, meanByTime } from '../judge/summarise-job.ts';
import type { Holder } from './held-up-by.ts';

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
    busyInstances: byId(
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
