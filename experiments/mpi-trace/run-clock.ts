import { at } from '../../base/lists.ts';
import type { CellRecord } from '../records.ts';
import type { CellTrace, Counter } from '../store/read-traces.ts';

// On which host a rank ran, what its stamps are on one clock, and stretches of time there.

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

// Stretches of time of a run, one after the other, as if nothing lay between them.

/** A stretch of time, ns. */
export interface Stretch {
  readonly startNs: number;
  readonly endNs: number;
}

/** How long they are together, ns. */
export function totalNs(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
}

/** An instant where the stretches follow each other at once; what is outside of them is at their nearest end. */
export function withoutGaps(ns: number, stretches: readonly Stretch[]): number {
  let passedNs = at(stretches, 0).startNs;
  for (const { startNs, endNs } of stretches) passedNs += Math.min(Math.max(ns - startNs, 0), endNs - startNs);
  return passedNs;
}

/** Whether something is in one of them. */
export function isWithin({ startNs, endNs }: Stretch, stretches: readonly Stretch[]): boolean {
  return stretches.some((one) => startNs < one.endNs && endNs > one.startNs);
}

/** What of a trace tells where its calls are. */
export type CallSpans = Pick<CellTrace['spans'], 'worker' | 'phase' | 'startNs' | 'endNs' | 'keys'>;
/** A rank's time stamp on the clock of all ranks, ns. */
export type OnClock = (rank: number, ns: number) => number;

export const INIT = /^MPI_Init(_thread)?$/;

/** From the last rank's leaving MPI_Init to the last one's coming to MPI_Finalize; where a rank has neither, to its ends. */
export function wholeRun({ worker, phase, startNs, endNs }: CallSpans, onClock: OnClock): Stretch {
  let [begin, end, last, first] = [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
  ];
  for (const [row, name] of phase.entries()) {
    const rank = at(worker, row);
    const [from, to] = [onClock(rank, at(startNs, row)), onClock(rank, at(endNs, row))];
    [first, last] = [Math.min(first, from), Math.max(last, to)];
    if (INIT.test(name)) begin = Math.max(begin, to);
    if (name === 'MPI_Finalize') end = Math.max(end, from);
  }
  const from = Number.isFinite(begin) ? begin : first;
  return { startNs: from, endNs: end > from ? end : last };
}
