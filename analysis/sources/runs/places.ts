import type { CellRecord, CellTrace } from '../../../experiments/index.ts';

/** The host of each rank: where its process was seen, else as launchers fill hosts, block by block. */
export function placesOf({ cell, hosts }: CellRecord, { counters }: CellTrace): (rank: number) => string {
  const seen = new Map(counters.flatMap(({ host, rank }) => (rank === null ? [] : [[rank, host] as const])));
  const perHost = cell.ranks / cell.nodes;
  return (rank) => seen.get(rank) ?? hosts[Math.floor(rank / perHost)] ?? '';
}
