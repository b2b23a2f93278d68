import type { Partition } from './partition.ts';

/** Which ends of the edges between two ranks are copied, and which rank works on each edge. */
export interface Cover {
  /** Copies by owner * ranks + peer. */
  readonly counts: Uint32Array;
  /** Ends of edges by rank: of each edge both, where it is worked on. */
  readonly ends: Float64Array;
}

/** Edges between ranks: those of a pair begin at `offsets[lower * ranks + higher]`. */
interface Cut {
  readonly offsets: Uint32Array;
  /** Ends on the lower rank, and on the higher one. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/** What is known of vertices as ends in the pair in progress; zero between pairs. */
interface Ends {
  readonly edges: Uint32Array;
  readonly states: Uint8Array;
}

const [COPIED, SPARE, STAYS] = [1, 2, 4] as const;

/** `cover_cut` of agents/graphalytics/cover.c: a small vertex cover of the edges between each pair of ranks. */
export function coverCut(partition: Partition): Cover {
  const { graph, ranks } = partition;
  const { offsets, low, high } = listCut(partition);
  const of: Ends = { edges: new Uint32Array(graph.vertices), states: new Uint8Array(graph.vertices) };
  const counts = new Uint32Array(ranks * ranks);
  const ends = partition.ends.slice();
  for (let lower = 0; lower < ranks; lower += 1) {
    for (let higher = lower + 1; higher < ranks; higher += 1) {
      const pair = lower * ranks + higher;
      const [first, end] = [offsets[pair] ?? 0, offsets[pair + 1] ?? 0];
      const sides = { low: low.subarray(first, end), high: high.subarray(first, end) };
      coverPair(of, sides);
      // Of a half-edge at each rank, a whole one at one.
      const shift = 2 * workOfLower(of, sides) - (end - first);
      ends[lower] = (ends[lower] ?? 0) + shift;
      ends[higher] = (ends[higher] ?? 0) - shift;
      counts[pair] = takeCopies(of, sides.low);
      counts[higher * ranks + lower] = takeCopies(of, sides.high);
    }
  }
  return { counts, ends };
}

type Sides = Pick<Cut, 'low' | 'high'>;

function listCut(partition: Partition): Cut {
  const { ranks } = partition;
  const offsets = new Uint32Array(ranks * ranks + 1);
  forCut(partition, (pair) => {
    offsets[pair + 1] = (offsets[pair + 1] ?? 0) + 1;
  });
  offsets.forEach((count, pair) => {
    offsets[pair] = count + (offsets[pair - 1] ?? 0);
  });
  const next = offsets.slice();
  const [low, high] = [new Uint32Array(offsets.at(-1) ?? 0), new Uint32Array(offsets.at(-1) ?? 0)];
  forCut(partition, (pair, a, b) => {
    const at = next[pair] ?? 0;
    next[pair] = at + 1;
    low[at] = a;
    high[at] = b;
  });
  return { offsets, low, high };
}

/** Each edge between ranks once, with its pair of ranks and its ends, that of the lower rank first. */
function forCut({ graph, owners, ranks }: Partition, on: (pair: number, low: number, high: number) => void): void {
  const { offsets, targets } = graph.out;
  for (let from = 0; from < graph.vertices; from += 1) {
    const end = offsets[from + 1] ?? 0;
    for (let edge = offsets[from] ?? 0; edge < end; edge += 1) {
      const to = targets[edge] ?? 0;
      const [a, b] = [owners[from] ?? 0, owners[to] ?? 0];
      if (a < b) on(a * ranks + b, from, to);
      else if (a > b && graph.directed) on(b * ranks + a, to, from);
    }
  }
}

/** The end with more edges in the pair is copied, of equals the lower rank's; but no end whose neighbours all are. */
function coverPair({ edges, states }: Ends, { low, high }: Sides): void {
  const stateOf = (vertex: number): number => states[vertex] ?? 0;
  const eachEdge = (on: (a: number, b: number) => void): void => {
    for (let edge = 0; edge < low.length; edge += 1) on(low[edge] ?? 0, high[edge] ?? 0);
  };
  for (const side of [low, high]) for (const vertex of side) edges[vertex] = (edges[vertex] ?? 0) + 1;
  eachEdge((a, b) => {
    states[lowLeads(edges, a, b) ? a : b] = COPIED | SPARE;
  });
  eachEdge((a, b) => {
    if (stateOf(b) === 0) states[a] = stateOf(a) & ~SPARE;
    if (stateOf(a) === 0) states[b] = stateOf(b) & ~SPARE;
  });
  eachEdge((a, b) => {
    if (stateOf(a) & stateOf(b) & SPARE) states[a] = stateOf(a) | STAYS;
  });
  for (const side of [low, high]) {
    for (const vertex of side) if ((stateOf(vertex) & (SPARE | STAYS)) === SPARE) states[vertex] = 0;
  }
}

function lowLeads(edges: Uint32Array, low: number, high: number): boolean {
  return (edges[low] ?? 0) >= (edges[high] ?? 0);
}

/** Edges of the pair that the lower rank works on: it has a copy of the higher rank's end. */
function workOfLower({ edges, states }: Ends, { low, high }: Sides): number {
  let work = 0;
  low.forEach((a, edge) => {
    const b = high[edge] ?? 0;
    if (lowLeads(edges, a, b) ? states[a] === 0 : states[b] !== 0) work += 1;
  });
  return work;
}

/** Counts the copies of one side, and forgets the pair. */
function takeCopies({ edges, states }: Ends, side: Uint32Array): number {
  let copies = 0;
  for (const vertex of side) {
    if (states[vertex] !== 0) copies += 1;
    states[vertex] = edges[vertex] = 0;
  }
  return copies;
}
