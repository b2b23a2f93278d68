import { compareCodePoints } from '../../../base/index.ts';
import { type Bottleneck, byId, type DagHistory, type DagSummary, meanByTime, reachableFrom } from '../judge/index.ts';

/** What to change for the next run (Battre et al., section VI), by the bottleneck that dominates this one. */
export type NextStep =
  | {
      readonly action: 'scale-out';
      readonly task: string;
      /** `next`: one more, as the paper does. `level`: the least number at which the next busiest task limits as much. */
      readonly instances: { readonly now: number; readonly next: number; readonly level: number };
      /** Mean number of busy instances of each task; null where none ever lived. */
      readonly busyInstances: Readonly<Record<string, number | null>>;
    }
  /** More instances of what is behind the edge would idle. */
  | { readonly action: 'stop'; readonly edge: string; readonly pointless: readonly string[] }
  /** Nothing dominates. */
  | { readonly action: 'observe' | 'none'; readonly candidates: readonly Bottleneck[] };

/** Of what is a whole number the last digits of a quotient must not make one more. */
const ROUNDING = 1e-9;

/** Advice from one run. `instances` by id of the task. */
export function nextStep(
  history: DagHistory,
  {
    summary: { dominant, shares },
    instances,
  }: { readonly summary: DagSummary; readonly instances: ReadonlyMap<string, number> },
): NextStep {
  const { graph } = history;
  if (dominant === null) {
    const candidates = shares.map(({ kind, id }) => ({ kind, id }));
    return { action: candidates.length > 0 ? 'observe' : 'none', candidates };
  }
  if (dominant.kind === 'io') {
    const reader = graph.to[graph.edgeIds.indexOf(dominant.id)] as number;
    const pointless = [reader, ...reachableFrom(graph, reader)].map((place) => graph.vertexIds[place] ?? '');
    return { action: 'stop', edge: dominant.id, pointless: pointless.sort(compareCodePoints) };
  }
  const means = meanByTime(graph.vertexIds.length, history.periods, ({ pt }) => pt);
  const now = instances.get(dominant.id) ?? 1;
  const place = graph.vertexIds.indexOf(dominant.id);
  return {
    action: 'scale-out',
    task: dominant.id,
    instances: { now, next: now + 1, level: levelOf({ means, place, now }) },
    busyInstances: byId(
      graph.vertexIds.map((id, vertex) => {
        const mean = means[vertex] as number;
        return [id, Number.isNaN(mean) ? null : mean * (instances.get(id) ?? 1)];
      }),
    ),
  };
}

/** The least number of instances at which the next busiest task is as busy; one more where no other task does anything. */
function levelOf({
  means,
  place,
  now,
}: {
  readonly means: Float64Array;
  readonly place: number;
  readonly now: number;
}): number {
  let other = 0;
  for (const [vertex, mean] of means.entries()) if (vertex !== place && mean > other) other = mean;
  const level = other === 0 ? 0 : Math.ceil((now * (means[place] as number)) / other - ROUNDING);
  return Math.max(now + 1, level);
}
