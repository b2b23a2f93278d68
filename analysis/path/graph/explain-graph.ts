import { at } from '../../../base/lists.ts';
import { ACTIVITY_KINDS, type Activities, type Slice } from '../activities.ts';
import type { ActivityGraph } from './activity-graph.ts';
import { partOf } from './activity-path.ts';
import { participationOf, weightedParticipation } from './participation.ts';
import type { PathProfile } from './profile-path.ts';
import { NO_ROW, TRANSFER_EDGE, WAIT } from './segment.ts';
import { longestPaths, nearCritical, scaledNs, slackOf } from './vertex-times.ts';

/** An activity that could end a little later at most without delaying the end; times in ns. */
interface NearActivity extends Slice {
  readonly worker: string;
  readonly key: string;
  readonly slackNs: number;
  /** Share of the longest paths that lead through it. */
  readonly participation: number;
  /** Share of the time of the longest paths that is spent in it. */
  readonly weight: number;
}

/** What is on the longest paths of a slice, or near them. */
export interface NearResult {
  /** How many paths are as long as the slice; null above 1e308. */
  readonly criticalPaths: number | null;
  readonly nearCritical: readonly NearActivity[];
  /** Of the time of the longest paths, in the keys of a slice; each adds up to 1, and is empty where there is no such path. */
  readonly participation: Readonly<Record<'byKind' | 'byOperator' | 'byWorker' | 'byPair', PathProfile['byKind']>>;
}

/** Activities whose slack is at most a share of the slice, least slack first. */
export function explainNear(activities: Activities, graph: ActivityGraph, share: number): NearResult {
  const { work, workers } = activities;
  const slack = slackOf(activities, graph);
  const participation = participationOf(activities, graph);
  const { work: weights, byKind, byName, byWorker, byPair } = weightedParticipation(activities, graph, participation);
  const owner = new Int32Array(work.startNs.length);
  for (const worker of workers.keys()) owner.fill(worker, at(work.first, worker), at(work.first, worker + 1));
  const { criticalPaths } = longestPaths(graph);
  return {
    criticalPaths: Number.isFinite(criticalPaths) ? criticalPaths : null,
    nearCritical: nearCritical(activities, slack, { graph, share, wait: WAIT }).map((row) => ({
      worker: at(workers, at(owner, row)),
      key: partOf(activities, row, false).key,
      startNs: at(work.startNs, row),
      endNs: at(work.endNs, row),
      slackNs: at(slack.work, row),
      participation: at(participation.work, row),
      weight: at(weights, row),
    })),
    participation: { byKind, byOperator: byName, byWorker, byPair },
  };
}

/** How long the slice would last if keys took so many times as long: names, kinds, or `transfer` for all that is on its way. */
export function lengthIf(
  activities: Activities,
  graph: ActivityGraph,
  changes: readonly { readonly key: string; readonly factor: number }[],
): { readonly lengthNs: number; readonly unknownKeys: readonly string[] } {
  const { names, transfers, work } = activities;
  const factors = new Map(changes.map(({ key, factor }) => [key, factor]));
  const met = new Set<string>();
  const of = (key: string): number | undefined => {
    const factor = factors.get(key);
    if (factor !== undefined) met.add(key);
    return factor;
  };
  const lengthNs = scaledNs(graph, (edge) => {
    const row = graph.edgeRow[edge] as number;
    const isTransfer = graph.edgeKind[edge] === TRANSFER_EDGE;
    const kind = isTransfer ? 'transfer' : (ACTIVITY_KINDS[graph.edgeKind[edge] as number] ?? '');
    const name = row === NO_ROW ? '' : (names[(isTransfer ? transfers : work).name[row] as number] ?? '');
    return of(name) ?? of(kind) ?? 1;
  });
  return { lengthNs, unknownKeys: changes.map(({ key }) => key).filter((key) => !met.has(key)) };
}
