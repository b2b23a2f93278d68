// The six definitions of Graphalytics, word by word, for graphs of a few hundred vertices.
import type { AlgorithmName, Values } from './run-graphalytics.ts';

interface PlainGraph {
  readonly vertices: readonly bigint[];
  /** `from to` to weight. */
  readonly edges: ReadonlyMap<string, number>;
  readonly directed: boolean;
  readonly source: string;
  readonly iterations: number;
  readonly damping: number;
}

interface Arc {
  readonly from: string;
  readonly to: string;
  readonly weight: number;
}

export function plainValues(algorithm: AlgorithmName, graph: PlainGraph): Values {
  const arcs = [...graph.edges].flatMap(([ends, weight]) => {
    const [from = '', to = ''] = ends.split(' ');
    return graph.directed
      ? [{ from, to, weight }]
      : [
          { from, to, weight },
          { from: to, to: from, weight },
        ];
  });
  const ids = graph.vertices.map(String);
  return { bfs, pr, wcc, cdlp, lcc, sssp }[algorithm](ids, arcs, graph);
}

type Definition = (ids: readonly string[], arcs: readonly Arc[], graph: PlainGraph) => Values;

const sssp: Definition = (ids, arcs, { source }) =>
  strings(
    relaxed(ids, arcs, source, (arc) => arc.weight),
    'infinity',
  );

const bfs: Definition = (ids, arcs, { source }) =>
  strings(
    relaxed(ids, arcs, source, () => 1),
    '9223372036854775807',
  );

/** Bellman and Ford's: every arc, until nothing falls. */
function relaxed(ids: readonly string[], arcs: readonly Arc[], source: string, length: (arc: Arc) => number) {
  const distance = new Map(ids.map((id) => [id, id === source ? 0 : Number.POSITIVE_INFINITY]));
  for (let falls = true; falls; ) {
    falls = false;
    for (const arc of arcs) {
      const through = of(distance, arc.from) + length(arc);
      if (through >= of(distance, arc.to)) continue;
      distance.set(arc.to, through);
      falls = true;
    }
  }
  return distance;
}

const pr: Definition = (ids, arcs, { iterations, damping }) => {
  const degree = new Map<string, number>();
  for (const { from } of arcs) degree.set(from, (degree.get(from) ?? 0) + 1);
  let rank = new Map(ids.map((id) => [id, 1 / ids.length]));
  for (let i = 0; i < iterations; i++) {
    const dangling = ids.filter((id) => !degree.has(id)).reduce((sum, id) => sum + of(rank, id), 0);
    const next = new Map(ids.map((id) => [id, (1 - damping + damping * dangling) / ids.length]));
    for (const { from, to } of arcs) next.set(to, of(next, to) + (damping * of(rank, from)) / of(degree, from));
    rank = next;
  }
  return strings(rank, '');
};

const wcc: Definition = (ids, arcs) => {
  const component = new Map(ids.map((id, place) => [id, place]));
  for (let falls = true; falls; ) {
    falls = false;
    for (const { from, to } of arcs) {
      const least = Math.min(of(component, from), of(component, to));
      falls ||= of(component, from) + of(component, to) > 2 * least;
      component.set(from, least).set(to, least);
    }
  }
  return new Map(ids.map((id) => [id, ids[of(component, id)] ?? '']));
};

const cdlp: Definition = (ids, arcs, { directed, iterations }) => {
  let label = new Map(ids.map((id) => [id, id]));
  for (let i = 0; i < iterations; i++) {
    const seen = new Map<string, Map<string, number>>(ids.map((id) => [id, new Map()]));
    const count = (at: string, from: string): void => {
      const [tally, one] = [seen.get(at), label.get(from) ?? ''];
      tally?.set(one, (tally.get(one) ?? 0) + 1);
    };
    for (const { from, to } of arcs) {
      count(to, from);
      if (directed) count(from, to);
    }
    label = new Map(ids.map((id) => [id, mostFrequent(seen.get(id) ?? new Map()) ?? label.get(id) ?? '']));
  }
  return label;
};

function mostFrequent(tally: ReadonlyMap<string, number>): string | undefined {
  const most = Math.max(...tally.values());
  const best = [...tally].filter(([, count]) => count === most).map(([label]) => BigInt(label));
  return best.sort((a, b) => (a < b ? -1 : 1))[0]?.toString();
}

const lcc: Definition = (ids, arcs) => {
  const joined = new Set(arcs.map(({ from, to }) => `${from} ${to}`));
  const near = new Map(ids.map((id) => [id, new Set<string>()]));
  for (const { from, to } of arcs) {
    near.get(from)?.add(to);
    near.get(to)?.add(from);
  }
  const share = (around: readonly string[]): number => {
    const pairs = around.flatMap((u) => around.filter((w) => joined.has(`${u} ${w}`)));
    return around.length < 2 ? 0 : pairs.length / (around.length * (around.length - 1));
  };
  return new Map(ids.map((id) => [id, `${share([...(near.get(id) ?? [])])}`]));
};

function of(values: ReadonlyMap<string, number>, id: string): number {
  return values.get(id) ?? Number.NaN;
}

function strings(values: ReadonlyMap<string, number>, infinite: string): Values {
  return new Map([...values].map(([id, value]) => [id, Number.isFinite(value) ? `${value}` : infinite]));
}
