import { badInput } from '../../../base/errors.ts';
import type { Traffic } from './exchange-traffic.ts';

const WIDTH = 8;

/**
 * What agents/graphalytics/sssp.c sends: delta-stepping, where ranks go on with own vertices of a bin until none is left, then send the
 * distances that fell. Vertices that wait in vain are met in another order there, so supersteps may differ. Returns supersteps and
 * edges relaxed.
 */
export function countPaths(
  traffic: Traffic,
  source: number,
): { readonly supersteps: number; readonly edgesRead: number } {
  const { graph, owners, ranks, position } = traffic.partition;
  const { offsets, targets, weights } = graph.out;
  if (weights === null) throw badInput('SSSP needs weights, but the graph has none.');
  const width = binWidth(weights, graph.vertices, ranks);
  const distance = new Float64Array(graph.vertices).fill(Infinity);
  const relaxed = new Float64Array(graph.vertices).fill(Infinity);
  const bins = new Map<number, number[]>();
  const put = (vertex: number): void => {
    const bin = Math.floor((distance[vertex] ?? 0) / width);
    const waiting = bins.get(bin);
    if (waiting) waiting.push(vertex);
    else bins.set(bin, [vertex]);
  };
  let edgesRead = 0;
  const relax = (vertex: number, from: number, isOwn: boolean): void => {
    const end = offsets[vertex + 1] ?? 0;
    for (let edge = offsets[vertex] ?? 0; edge < end; edge += 1) {
      const next = targets[edge] ?? 0;
      if ((owners[next] === owners[vertex]) !== isOwn) continue;
      edgesRead += 1;
      const length = from + (weights[edge] ?? 0);
      if (length >= (distance[next] ?? 0)) continue;
      distance[next] = length;
      put(next);
    }
  };
  distance[source] = 0;
  put(source);
  let supersteps = 0;
  for (let bin = 0; Number.isFinite(bin); bin = least(bins.keys())) {
    const settled = new Set<number>();
    for (let waiting = bins.get(bin); waiting; waiting = bins.get(bin)) {
      bins.delete(bin);
      for (const vertex of waiting) {
        const from = distance[vertex] ?? 0;
        if ((relaxed[vertex] ?? 0) <= from) continue;
        relaxed[vertex] = from;
        relax(vertex, from, true);
        settled.add(vertex);
      }
    }
    traffic.spread(settled, WIDTH);
    const reports = [...settled].sort((a, b) => (position[a] ?? 0) - (position[b] ?? 0));
    const sent = reports.map((vertex) => distance[vertex] ?? 0);
    reports.forEach((vertex, index) => {
      relax(vertex, sent[index] ?? 0, false);
    });
    traffic.reduce(1);
    supersteps += 2;
  }
  return { supersteps, edgesRead };
}

function least(numbers: Iterable<number>): number {
  let found = Infinity;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}

/** `bin_width` of sssp.c: twice as wide between ranks. */
function binWidth(weights: Float64Array, vertices: number, ranks: number): number {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = weights.length > 0 ? sum / weights.length : 0;
  const width = (mean / Math.max(1, weights.length / vertices)) * (ranks > 1 ? 2 : 1);
  return width > 1e-300 && Number.isFinite(width) ? width : 1;
}
