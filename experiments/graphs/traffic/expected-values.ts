/** Values per rank where owners are random: vertices by their number of neighbours. */
export function expectedValues(degrees: ReadonlyMap<number, number>, ranks: number): number {
  let sum = 0;
  for (const [degree, vertices] of degrees) sum += vertices * (1 - (1 - 1 / ranks) ** degree);
  return ((ranks - 1) / ranks) * sum;
}

/**
 * Values that a rank sends in an iteration of PageRank, from degrees alone. `degrees`: how many vertices have so many neighbours. Owners
 * are random, and who is joined to whom depends on degrees only as in the configuration model; in Graph500 graphs, where hubs are joined
 * to leaves more often, it is 4 to 7 % too much.
 *
 * An end with k edges to a rank has copies there as `coverCut` says. A neighbour's edges j are as many as a random edge finds.
 */
export function expectedCoveredValues(degrees: ReadonlyMap<number, number>, ranks: number): number {
  const { ends, neighbours } = countEdges(degrees, ranks);
  const { leads, others } = chances(neighbours);
  let copied = 0;
  let below = 0;
  let belowCopied = 0;
  ends.forEach((count, k) => {
    const at = neighbours[k] ?? 0;
    const byOthers = others[k] ?? 0;
    // That a neighbour is copied too: it leads, or leads another one.
    const neighbour = 1 - below - at + (at / 2) * (1 + byOthers) + belowCopied;
    const none = (1 - (leads[k] ?? 0)) ** k;
    copied += count * (1 - none - Math.max(0, neighbour ** k - none));
    below += at;
    belowCopied += at * byOthers;
  });
  return (2 * (ranks - 1) * copied) / ranks;
}

/** By number of edges to another rank: vertices, and the share of edges whose end has so many. */
function countEdges(
  degrees: ReadonlyMap<number, number>,
  ranks: number,
): { ends: Float64Array; neighbours: Float64Array } {
  let [most, total] = [0, 0];
  for (const [degree, vertices] of degrees) {
    most = Math.max(most, degree);
    total += degree * vertices;
  }
  const [ends, neighbours] = [new Float64Array(most + 1), new Float64Array(most + 1)];
  for (const [degree, vertices] of degrees) {
    forBinomial(degree, 1 / ranks, (k, chance) => {
      ends[k] = (ends[k] ?? 0) + vertices * chance;
    });
    // The edge itself, and those of the others.
    forBinomial(degree - 1, 1 / ranks, (k, chance) => {
      neighbours[k + 1] = (neighbours[k + 1] ?? 0) + (degree * vertices * chance) / total;
    });
  }
  return { ends, neighbours };
}

/** For an end with k edges: that it leads a neighbour, and that it leads one of k - 1. */
function chances(neighbours: Float64Array): { leads: Float64Array; others: Float64Array } {
  let below = 0;
  const leads = neighbours.map((at) => {
    below += at;
    return below - at / 2;
  });
  return { leads, others: leads.map((lead, k) => (k === 0 ? 0 : 1 - (1 - lead) ** (k - 1))) };
}

/** Chances of k of n, but for those below 1e-12 of the largest; each is a known multiple of the next. */
function forBinomial(n: number, chance: number, on: (k: number, chance: number) => void): void {
  if (n < 0) return;
  const mode = Math.min(n, Math.floor((n + 1) * chance));
  const odds = chance / (1 - chance);
  const walk = (to: number, step: 1 | -1): readonly number[] => {
    const found: number[] = [];
    let last = 1;
    for (let k = mode; k !== to && last > 1e-12; k += step) {
      last *= step === 1 ? ((n - k) / (k + 1)) * odds : k / (n - k + 1) / odds;
      found.push(last);
    }
    return found;
  };
  const [up, down] = [walk(n, 1), walk(0, -1)];
  const sum = [...up, ...down].reduce((total, one) => total + one, 1);
  on(mode, 1 / sum);
  up.forEach((one, place) => {
    on(mode + 1 + place, one / sum);
  });
  down.forEach((one, place) => {
    on(mode - 1 - place, one / sum);
  });
}
