import { refuseMore } from '../../../base/bounds.ts';
import { ALGORITHMS, type Algorithm } from '../benchmark-terms.ts';
import type { Dataset } from '../dataset.ts';
import type { Graph } from '../load-graph.ts';
import { forNeighbours } from '../reference/neighbourhood.ts';
import { Traffic } from './exchange-traffic.ts';
import { expectedCoveredValues, expectedValues } from './expected-values.ts';
import { KERNEL_LAWS, type KernelLaw, type KernelRun } from './kernel-laws.ts';
import { type Copies, type HashedGraph, hashGraph, listCopies, type Partition, partition } from './partition.ts';

/** Of one kernel on so many ranks; bytes as the program counts them (`bytes_sent`). */
interface KernelTraffic extends Omit<KernelRun, 'ends'> {
  readonly ranks: number;
  readonly bytes: number;
  readonly bytesPerRank: number;
  /** Bytes of the rank that sends most, over the mean; 1 where nothing is sent. */
  readonly sendImbalance: number;
  /** Ends of edges of the rank that works on most, over the mean. */
  readonly edgeImbalance: number;
  /** Values of vertices, sent by all ranks. */
  readonly values: number;
  /** Point-to-point messages of all ranks, empty ones included. */
  readonly messages: number;
  readonly collectives: number;
}

/** How the vertices lie on so many ranks. */
interface RankBalance {
  readonly ranks: number;
  /** Values that a rank sends where it sends every vertex to its copies: the mean. */
  readonly valuesPerRank: number;
  /** The same from degrees alone: sum of (p - 1)(1 - (1 - 1/p)^degree) / p over the vertices. */
  readonly expectedValuesPerRank: number;
  /** Values of an iteration of PageRank per rank, about, from degrees alone. */
  readonly expectedCoveredValuesPerRank: number;
  /** Ends of edges of the rank that has most, over the mean. */
  readonly edgeBalance: number;
}

export interface TrafficPrediction {
  readonly balance: readonly RankBalance[];
  readonly kernels: readonly (Omit<KernelLaw, 'prepare'> & {
    readonly algorithm: Algorithm;
    readonly at: readonly KernelTraffic[];
    /** The least number of ranks from which a rank sends fewer bytes than one of two ranks; null: more than asked for. */
    readonly fallsBelowTwo: number | null;
  })[];
}

/** Pairs of ranks are kept in memory. */
const MOST_RANKS = 4096;

/** What each kernel sends on each number of ranks, before anything was run. Errors: `badInput` for too many ranks. */
export function predictTraffic(
  graph: Graph,
  {
    parameters,
    algorithms = ALGORITHMS,
    ranks,
  }: Pick<Dataset, 'parameters'> & { readonly algorithms?: readonly Algorithm[]; readonly ranks: readonly number[] },
): TrafficPrediction {
  const most = Math.max(...ranks);
  refuseMore(most, MOST_RANKS, { what: `${most} ranks are asked for`, help: 'name fewer nodes or ranks per node' });
  const hashed = hashGraph(graph);
  const kernels = algorithms.map((algorithm) => {
    const { prepare, ...law } = KERNEL_LAWS[algorithm];
    const count = prepare(hashed, parameters);
    const trafficOn = ({ split, copies }: Place): KernelTraffic => {
      const ownCopies = algorithm === 'sssp' && graph.directed ? listCopies(split, { heads: true }) : copies;
      const traffic = new Traffic(split, ownCopies);
      return summaryOf(traffic, count(traffic));
    };
    return { algorithm, law, trafficOn, at: [] as KernelTraffic[] };
  });
  const degrees = distinctNeighbours(graph);
  // Copies of one number of ranks at a time: they take more memory than the graph.
  const balance = ranks.map((one) => {
    const place = placeOn(hashed, one);
    for (const { at, trafficOn } of kernels) at.push(trafficOn(place));
    return balanceOf(place, degrees);
  });
  return {
    balance,
    kernels: kernels.map(({ algorithm, law, at, trafficOn }) => ({
      ...{ algorithm, ...law, at },
      fallsBelowTwo: fallsBelowTwo(at, (count) => trafficOn(placeOn(hashed, count))),
    })),
  };
}

interface Place {
  readonly split: Partition;
  readonly copies: Copies;
}

function placeOn(hashed: HashedGraph, ranks: number): Place {
  const split = partition(hashed, ranks);
  return { split, copies: listCopies(split, { heads: false }) };
}

function summaryOf(traffic: Traffic, { ends, ...run }: KernelRun): KernelTraffic {
  const { partition: split, values, messages, collectives } = traffic;
  const bytes = traffic.bytes.reduce((sum, one) => sum + one, 0);
  const imbalances = { sendImbalance: overMean(traffic.bytes), edgeImbalance: overMean(ends ?? split.ends) };
  const counted = { bytes, bytesPerRank: bytes / split.ranks, ...imbalances };
  return { ranks: split.ranks, ...counted, values, messages, collectives, ...run };
}

/** Between the last count that was above and the next one, by halves. */
function fallsBelowTwo(at: readonly KernelTraffic[], trafficAt: (ranks: number) => KernelTraffic): number | null {
  const limit = (at.find(({ ranks }) => ranks === 2) ?? trafficAt(2)).bytesPerRank;
  const larger = at.filter(({ ranks }) => ranks > 2).sort((a, b) => a.ranks - b.ranks);
  const above = larger.findLastIndex(({ bytesPerRank }) => bytesPerRank >= limit);
  let high = larger[above + 1]?.ranks;
  if (high === undefined) return null;
  let low = larger[above]?.ranks ?? 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (trafficAt(middle).bytesPerRank < limit) high = middle;
    else low = middle;
  }
  return high;
}

function balanceOf({ split, copies }: Place, degrees: ReadonlyMap<number, number>): RankBalance {
  const { ranks, ends } = split;
  return {
    ranks,
    valuesPerRank: copies.peers.length / ranks,
    expectedValuesPerRank: expectedValues(degrees, ranks),
    expectedCoveredValuesPerRank: expectedCoveredValues(degrees, ranks),
    edgeBalance: overMean(ends),
  };
}

/** How many vertices have so many neighbours, whatever the direction. */
function distinctNeighbours(graph: Graph): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (let vertex = 0; vertex < graph.vertices; vertex += 1) {
    let degree = 0;
    forNeighbours(graph, vertex, () => {
      degree += 1;
    });
    found.set(degree, (found.get(degree) ?? 0) + 1);
  }
  return found;
}

function overMean(numbers: Float64Array): number {
  const sum = numbers.reduce((total, one) => total + one, 0);
  return sum === 0 ? 1 : (numbers.reduce((most, one) => Math.max(most, one), 0) * numbers.length) / sum;
}
