import type { Partition } from './partition.ts';

/** Which ends of the edges between two ranks are copied, and which rank works on each edge. */
export interface Cover {
  /** Copies by owner * ranks + peer. */
  readonly counts: Uint32Array;
  /** Ends of edges by rank: of each edge both, where it is worked on. */
  readonly ends: Float64Array;
}

/** Edges between ranks: those of a pair begin at `offsets[first * ranks + second]`. */
interface Cut {
  readonly offsets: Uint32Array;
  /** Ends on the rank that comes first, and on the second one. */
  readonly firsts: Uint32Array;
  readonly seconds: Uint32Array;
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
  const { offsets, firsts, seconds } = listCut(partition);
  const of: Ends = { edges: new Uint32Array(graph.vertices), states: new Uint8Array(graph.vertices) };
  const counts = new Uint32Array(ranks * ranks);
  const ends = partition.ends.slice();
  for (let pair = 0; pair < counts.length; pair += 1) {
    const [begin, end] = [offsets[pair] ?? 0, offsets[pair + 1] ?? 0];
    if (begin === end) continue;
    const [first, second] = [Math.floor(pair / ranks), pair % ranks];
    const sides = { firsts: firsts.subarray(begin, end), seconds: seconds.subarray(begin, end) };
    coverPair(of, sides);
    // The partition has one end at each rank; both are worked on at one.
    const shift = 2 * workOfFirst(of, sides) - (end - begin);
    ends[first] = (ends[first] ?? 0) + shift;
    ends[second] = (ends[second] ?? 0) - shift;
    counts[pair] = takeCopies(of, sides.firsts);
    counts[second * ranks + first] = takeCopies(of, sides.seconds);
  }
  return { counts, ends };
}

type Sides = Pick<Cut, 'firsts' | 'seconds'>;

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
  const [firsts, seconds] = [new Uint32Array(offsets.at(-1) ?? 0), new Uint32Array(offsets.at(-1) ?? 0)];
  forCut(partition, (pair, a, b) => {
    const at = next[pair] ?? 0;
    next[pair] = at + 1;
    firsts[at] = a;
    seconds[at] = b;
  });
  return { offsets, firsts, seconds };
}

/** Each edge between ranks once, with its pair of ranks and its ends, that of the first rank first. */
function forCut({ graph, owners, ranks }: Partition, on: (pair: number, first: number, second: number) => void): void {
  const { offsets, targets } = graph.out;
  for (let from = 0; from < graph.vertices; from += 1) {
    const end = offsets[from + 1] ?? 0;
    for (let edge = offsets[from] ?? 0; edge < end; edge += 1) {
      const to = targets[edge] ?? 0;
      const [a, b] = [owners[from] ?? 0, owners[to] ?? 0];
      if (a === b) continue;
      if (comesFirst(a, b)) on(a * ranks + b, from, to);
      else if (graph.directed) on(b * ranks + a, to, from);
    }
  }
}

function comesFirst(rank: number, peer: number): boolean {
  return rank < peer === ((rank + peer) % 2 === 0);
}

/** The end with more edges in the pair is copied, of equals the first rank's; but no end whose neighbours all are. */
function coverPair({ edges, states }: Ends, sides: Sides): void {
  const { firsts, seconds } = sides;
  const stateOf = (vertex: number): number => states[vertex] ?? 0;
  const eachEdge = (on: (a: number, b: number) => void): void => {
    firsts.forEach((a, edge) => {
      on(a, seconds[edge] ?? 0);
    });
  };
  for (const side of [firsts, seconds]) for (const vertex of side) edges[vertex] = (edges[vertex] ?? 0) + 1;
  eachEdge((a, b) => {
    states[firstLeads(edges, a, b) ? a : b] = COPIED | SPARE;
  });
  eachEdge((a, b) => {
    if (stateOf(b) === 0) states[a] = stateOf(a) & ~SPARE;
    if (stateOf(a) === 0) states[b] = stateOf(b) & ~SPARE;
  });
  eachEdge((a, b) => {
    if (stateOf(a) & stateOf(b) & SPARE) states[a] = stateOf(a) | STAYS;
  });
  for (const side of [firsts, seconds]) {
    for (const vertex of side) if ((stateOf(vertex) & (SPARE | STAYS)) === SPARE) states[vertex] = 0;
  }
  limit(states, sides);
}

/** No more copies than ends on the first rank. */
function limit(states: Uint8Array, { firsts, seconds }: Sides): void {
  const first = new Set(firsts);
  const copied = [...first, ...new Set(seconds)].filter((vertex) => states[vertex] !== 0).length;
  if (copied <= first.size) return;
  for (const vertex of firsts) states[vertex] = COPIED;
  for (const vertex of seconds) states[vertex] = 0;
}

function firstLeads(edges: Uint32Array, first: number, second: number): boolean {
  return (edges[first] ?? 0) >= (edges[second] ?? 0);
}

/** Edges of the pair that the first rank works on: it has a copy of the second one's end. */
function workOfFirst({ edges, states }: Ends, { firsts, seconds }: Sides): number {
  let work = 0;
  firsts.forEach((a, edge) => {
    const b = seconds[edge] ?? 0;
    if (firstLeads(edges, a, b) ? states[a] === 0 : states[b] !== 0) work += 1;
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
