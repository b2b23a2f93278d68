import { at } from '../../../base/lists.ts';
import { ACTIVITY_KINDS, type Activities, type Slice } from '../activities.ts';
import type { Grouped } from '../arrange.ts';
import { type ActivityGraph, edgeNs, isWait } from './activity-graph.ts';
import { partOf } from './activity-path.ts';
import { type PathProfile, ProfileSums } from './profile-path.ts';
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

// Critical participation (SnailTrail: Hoffmann et al., NSDI 2018): how many of the longest paths lead through an activity, and how
// much of their time it is.

/** Shares of the longest paths, from 0 to 1. All 0 where no path reaches from the first instant to the last. */
interface Participation {
  /** By edge of the graph. */
  readonly edges: Float64Array;
  /** By row. Paths join and leave an activity where it is cut: the piece that most of them take counts. */
  readonly work: Float64Array;
  readonly transfers: Float64Array;
}

/** Paths before an edge times paths behind it over all paths. Counts are kept as logarithms: they double at every choice. */
export function participationOf({ work, transfers }: Activities, graph: ActivityGraph): Participation {
  const { incoming, outgoing, order } = graph;
  const share = {
    edges: new Float64Array(graph.edgeTo.length),
    work: new Float64Array(work.startNs.length),
    transfers: new Float64Array(transfers.startNs.length),
  };
  const before = logCounts(graph, { edges: incoming, ends: graph.edgeFrom, order, borderNs: graph.firstNs });
  const back = order.slice().reverse();
  const behind = logCounts(graph, { edges: outgoing, ends: graph.edgeTo, order: back, borderNs: graph.lastNs });
  let all = Number.NEGATIVE_INFINITY;
  for (let vertex = 0; vertex < before.length; vertex += 1) {
    if (graph.vertexNs[vertex] === graph.lastNs) all = logSum(all, before[vertex] as number);
  }
  if (all === Number.NEGATIVE_INFINITY) return share;
  for (let edge = 0; edge < graph.edgeTo.length; edge += 1) {
    if (isWait(graph, edge)) continue;
    const through =
      (before[graph.edgeFrom[edge] as number] as number) + (behind[graph.edgeTo[edge] as number] as number);
    const own = Math.min(1, Math.exp(through - all));
    share.edges[edge] = own;
    const row = graph.edgeRow[edge] as number;
    if (row === NO_ROW) continue;
    const column = graph.edgeKind[edge] === TRANSFER_EDGE ? share.transfers : share.work;
    column[row] = Math.max(column[row] as number, own);
  }
  return share;
}

/** Of the time of all longest paths together, which are equally long; from 0 to 1, each profile adds up to 1. */
interface WeightedParticipation extends PathProfile {
  /** By row: duration times share of the paths, over the length of a path. */
  readonly work: Float64Array;
}

/** Participation weighted by length: what share of their time the longest paths spend in each activity, and by key. */
function weightedParticipation(
  activities: Activities,
  graph: ActivityGraph,
  { edges }: Participation,
): WeightedParticipation {
  const { workers, work, transfers } = activities;
  const weights = new Float64Array(work.startNs.length);
  const sums = new ProfileSums(workers);
  for (let edge = 0; edge < edges.length; edge += 1) {
    if (edges[edge] === 0) continue;
    const weight = ((edges[edge] as number) * edgeNs(graph, edge)) / (graph.lastNs - graph.firstNs);
    const row = graph.edgeRow[edge] as number;
    const isTransfer = graph.edgeKind[edge] === TRANSFER_EDGE;
    const from = graph.edgeFrom[edge] as number;
    const worker = isTransfer ? (transfers.from[row] as number) : (graph.vertexWorker[from] as number);
    sums.add({ worker, ...partOf(activities, row, isTransfer) }, weight);
    if (!isTransfer && row !== NO_ROW) weights[row] = (weights[row] as number) + weight;
  }
  return { work: weights, ...sums.profile() };
}

/** Logarithm of the number of paths between a vertex and those at the border. */
function logCounts(
  graph: ActivityGraph,
  {
    edges,
    ends,
    order,
    borderNs,
  }: {
    readonly edges: Grouped;
    readonly ends: Int32Array;
    readonly order: Int32Array;
    readonly borderNs: number;
  },
): Float64Array {
  const counts = new Float64Array(graph.vertexNs.length).fill(Number.NEGATIVE_INFINITY);
  for (const vertex of order) {
    let count = graph.vertexNs[vertex] === borderNs ? 0 : Number.NEGATIVE_INFINITY;
    for (let slot = edges.first[vertex] as number; slot < (edges.first[vertex + 1] as number); slot += 1) {
      const edge = edges.order[slot] as number;
      if (!isWait(graph, edge)) count = logSum(count, counts[ends[edge] as number] as number);
    }
    counts[vertex] = count;
  }
  return counts;
}

/** log(e^a + e^b). */
function logSum(a: number, b: number): number {
  const [large, small] = a > b ? [a, b] : [b, a];
  return small === Number.NEGATIVE_INFINITY ? large : large + Math.log1p(Math.exp(small - large));
}
