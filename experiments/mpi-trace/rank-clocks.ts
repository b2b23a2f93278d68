import type { CellRecord } from '../records.ts';
import type { Counter } from '../store/read-traces.ts';

// On which host a rank ran, and what its stamps are on one clock.

/** The host of each rank: where its process was seen, else as launchers fill hosts, block by block. */
export function placesOf(
  { cell, hosts }: Pick<CellRecord, 'cell' | 'hosts'>,
  { counters }: { readonly counters: readonly Pick<Counter, 'host' | 'worker'>[] },
): (rank: number) => string {
  const seen = new Map(counters.flatMap(({ host, worker }) => (worker === null ? [] : [[worker, host] as const])));
  const perHost = cell.ranks / cell.nodes;
  return (rank) => seen.get(rank) ?? hosts[Math.floor(rank / perHost)] ?? '';
}

/** Stamps of a run's hosts on the first host's clock. */
export interface Clocks {
  /** A host's time stamp on the first host's clock, ns. */
  readonly correct: (host: string, ns: number) => number;
  /** Hosts whose clocks are further apart from the first one's than some ns. */
  readonly apart: (ns: number) => readonly string[];
  /** How far a corrected stamp of the host may be off, ns: the bound of its measured offset. */
  readonly boundNs: (host: string) => number;
}

/** By the measured offset of each host; only differences larger than the bounds of their own measurement are corrected. */
export function clocksOf({ clocks, hosts }: Pick<CellRecord, 'clocks' | 'hosts'>): Clocks {
  const base = clocks.find(({ host }) => host === hosts[0]);
  const offsets = new Map(
    clocks.map(({ host, offsetNs, errorNs }) => {
      const offset = offsetNs - (base?.offsetNs ?? 0);
      return [host, Math.abs(offset) > errorNs + (base?.errorNs ?? 0) ? offset : 0];
    }),
  );
  const bounds = new Map(clocks.map(({ host, errorNs }) => [host, errorNs]));
  return {
    correct: (host, ns) => Math.round(ns - (offsets.get(host) ?? 0)),
    apart: (ns) => [...offsets].filter(([, offset]) => Math.abs(offset) > ns).map(([host]) => host),
    boundNs: (host) => bounds.get(host) ?? Number.POSITIVE_INFINITY,
  };
}
