import type { Adjacency } from '../adjacency.ts';
import type { Traffic } from './exchange-traffic.ts';
import type { Partition } from './partition.ts';

/** Bytes of what agents/graphalytics/wcc.c shuffles: a label that was given up for another, a question, its reply. */
const [BETTER, QUESTION, REPLY] = [16, 4, 8];
const LABEL = 8;

/**
 * What agents/graphalytics/wcc.c sends: parts of each rank by union and find, whose labels fall until no rank has a better one. A label
 * is the smallest vertex that a part has heard of. Returns the supersteps.
 */
export function countLabels(traffic: Traffic): number {
  const { owners, graph, ranks } = traffic.partition;
  if (ranks === 1) return 1;
  const parts = new Parts(traffic.partition);
  const { label, partOf, roots } = parts;
  const reported = new Int32Array(graph.vertices).fill(-1);
  const rankOf = (part: number): number => owners[part] ?? 0;
  let falls = 0;
  const fall = (part: number, to: number): void => {
    if (to >= (label[part] ?? 0)) return;
    label[part] = to;
    falls += 1;
  };
  let superstep = 0;
  do {
    falls = 0;
    const before = label.slice();
    const changed = parts.busy.filter((vertex) => reported[vertex] !== label[partOf[vertex] ?? 0]);
    for (const vertex of changed) reported[vertex] = label[partOf[vertex] ?? 0] ?? 0;
    traffic.spread(changed, LABEL);
    // What is heard lowers the part that the copy is in, on its rank.
    for (const vertex of changed) parts.forCopies(vertex, (part) => fall(part, reported[vertex] ?? 0));
    traffic.shuffle({ counted: true });
    const hooked = [...roots].filter((part) => label[part] !== before[part]);
    const better = hooked.map((part) => ({ from: part, to: before[part] ?? 0, label: label[part] ?? 0 }));
    for (const one of better) {
      traffic.send(rankOf(one.from), rankOf(one.to), BETTER);
      fall(partOf[one.to] ?? 0, one.label);
    }
    traffic.shuffle({ counted: true });
    traffic.shuffle({ counted: false });
    const asked = [...roots].filter((part) => rankOf(label[part] ?? 0) !== rankOf(part));
    const replies = asked.map((part) => label[partOf[label[part] ?? 0] ?? 0] ?? 0);
    asked.forEach((part, index) => {
      const owner = rankOf(label[part] ?? 0);
      traffic.send(rankOf(part), owner, QUESTION);
      traffic.send(owner, rankOf(part), REPLY);
      fall(part, replies[index] ?? 0);
    });
    traffic.reduce(1);
    superstep += 1;
  } while (falls > 0);
  return superstep + 1;
}

/** What the edges of a rank join: each own vertex and copy is in a part, named by an own vertex of it. */
class Parts {
  /** Of own vertices. */
  readonly partOf: Uint32Array;
  readonly roots: Uint32Array;
  readonly label: Uint32Array;
  /** Vertices with an edge. */
  readonly busy: Uint32Array;
  readonly #partition: Partition;

  constructor(partition: Partition) {
    const { graph, owners } = partition;
    this.#partition = partition;
    const above = Uint32Array.from({ length: graph.vertices }, (_, vertex) => vertex);
    const find = (vertex: number): number => {
      let at = vertex;
      while (above[at] !== at) {
        above[at] = above[above[at] ?? 0] ?? 0;
        at = above[at] ?? 0;
      }
      return at;
    };
    const join = (a: number, b: number): void => {
      const [one, other] = [find(a), find(b)];
      above[Math.max(one, other)] = Math.min(one, other);
    };
    /** By rank, the own neighbour that was met first: a copy joins all of them. */
    const met = new Int32Array(partition.ranks);
    for (let vertex = 0; vertex < graph.vertices; vertex += 1) {
      met.fill(-1);
      met[owners[vertex] ?? 0] = vertex;
      this.#forNeighbours(vertex, (neighbour) => {
        const rank = owners[neighbour] ?? 0;
        if ((met[rank] ?? -1) < 0) met[rank] = neighbour;
        else join(met[rank] ?? 0, neighbour);
      });
    }
    this.partOf = above.map((_, vertex) => find(vertex));
    // The root of a tree is its smallest vertex, so it is the first label too.
    this.label = this.partOf.slice();
    this.roots = this.partOf.filter((root, vertex) => root === vertex);
    this.busy = partition.order.filter((vertex) => (partition.degrees[vertex] ?? 0) > 0);
  }

  /** The part of each copy of a vertex, once or more. */
  forCopies(vertex: number, on: (part: number) => void): void {
    const { owners } = this.#partition;
    this.#forNeighbours(vertex, (neighbour) => {
      if (owners[neighbour] !== owners[vertex]) on(this.partOf[neighbour] ?? 0);
    });
  }

  #forNeighbours(vertex: number, on: (neighbour: number) => void): void {
    const { out, in: incoming } = this.#partition.graph;
    const along = ({ offsets, targets }: Adjacency): void => {
      const end = offsets[vertex + 1] ?? 0;
      for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) on(targets[edge] ?? 0);
    };
    along(out);
    if (incoming !== out) along(incoming);
  }
}
