import { groupBy, own, sumBy } from '../../base/lists.ts';
import type { TimedPart } from '../../experiments/mpi-trace/timed-part.ts';
import type { Cell } from '../../experiments/records.ts';
import type { Problem } from '../problems.ts';
import type { Slice } from './activities.ts';
import type { Cause } from './mpi/find-causes.ts';
import type { PhaseKind } from './phases/rank-phases.ts';
import { IDLE, type RankStep, type RunGraph, type SearchPath, WORK } from './run-graph.ts';

/** By what the time of a path is divided. */
export const WAYS = ['phase', 'rank', 'host', 'link'] as const;
export type Way = (typeof WAYS)[number];

/** How much of a transfer its bytes account for. */
export interface TransferParts {
  /** What links need for them at the rate of the throttle, behind what was handed over before; at most the whole. */
  readonly onLinkNs: number;
  /** The rest: latency, protocol, and partners that were late in handing their bytes over. */
  readonly delayNs: number;
}

/** Time on a path by key and by rank, ns; each adds up to the length. Keys ascending. */
export interface SearchSummary {
  readonly lengthNs: number;
  readonly profileNs: Readonly<Record<string, number>>;
  readonly ranksNs: Readonly<Record<string, number>>;
}

/** What paths of a run come to, of one search or of many. */
interface PathSums {
  readonly searches: readonly (SearchPath & SearchSummary)[];
  /** Means over searches, ns: `length`, then by key. */
  readonly meanNs: Readonly<Record<string, number>>;
  /** Means over searches, ns, of each key that is a transfer whose bytes are known. */
  readonly transfersNs: Readonly<Record<string, TransferParts>>;
  readonly hops: number;
  /** Hops to a rank that entered later, or sent a message earlier, by less than clocks can tell. */
  readonly doubtfulHops: number;
}

/** How far paths that were inferred from phases are from those through recorded messages, over all searches of a run. */
export interface InferenceError {
  /** Of the path, the share that the inferred profile has under another key. */
  readonly offShare: number;
  /** Of the path's time, the share in which both are on one rank. */
  readonly onRankShare: number;
  readonly hops: { readonly inferred: number; readonly recorded: number };
}

/** The critical paths of one measured run, whether its program traced itself or its MPI calls were recorded. */
export interface RunPaths extends PathSums {
  readonly cell: Cell;
  readonly graphs: readonly RunGraph[];
  readonly hostOf: (rank: number) => string;
  readonly kinds: readonly PhaseKind[];
  /** How far the rules for phases alone are from the recorded messages; null where only one of them is there. */
  readonly inference: InferenceError | null;
  /** Of a run whose MPI calls were recorded: why it takes so long, the gravest first. */
  readonly causes: readonly Cause[];
  /** Of such a run: what of it is explained. */
  readonly part?: TimedPart;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Adds paths up. `apartNs`: by how much the clocks of two ranks may be apart. */
export function pathSums(paths: readonly SearchPath[], apartNs: (a: number, b: number) => number): PathSums {
  const searches = paths.map((search) => ({ ...search, ...searchSummary(search) }));
  const steps = searches.flatMap(({ path }) => path);
  const doubtful = steps.filter(({ from, rank, startNs, endNs, arrival }) => {
    if (from < 0) return false;
    // Of an exchange without messages it is the entries that tell.
    const ns = arrival?.entries ? arrival.startNs - arrival.sinceNs : endNs - startNs;
    return ns < apartNs(rank, from);
  });
  const divided = steps.flatMap(({ key, startNs, endNs, arrival }) => {
    if (arrival === null || Number.isNaN(arrival.onLinkNs)) return [];
    const onLinkNs = Math.min(endNs - startNs, arrival.onLinkNs);
    return [{ key, onLinkNs, delayNs: endNs - startNs - onLinkNs }];
  });
  const each = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / searches.length;
  const transfers = groupBy(divided, ({ key }) => key).map((same) => [
    same[0]?.key ?? '',
    { onLinkNs: each(same.map((one) => one.onLinkNs)), delayNs: each(same.map((one) => one.delayNs)) },
  ]);
  return {
    ...{ searches, meanNs: meanProfile(searches), transfersNs: Object.fromEntries(transfers) },
    ...{ hops: searches.reduce((sum, { hops }) => sum + hops, 0), doubtfulHops: doubtful.length },
  };
}

function durationOf({ startNs, endNs }: Slice): number {
  return endNs - startNs;
}

export function searchSummary({ path }: Pick<SearchPath, 'path'>): SearchSummary {
  const profile = sumBy(path, ({ key }) => key, durationOf);
  const ranks = sumBy(path, ({ rank }) => String(rank), durationOf);
  return {
    lengthNs: path.reduce((sum, step) => sum + durationOf(step), 0),
    profileNs: Object.fromEntries([...profile].sort(([a], [b]) => (a < b ? -1 : 1))),
    ranksNs: Object.fromEntries([...ranks].sort(([a], [b]) => Number(a) - Number(b))),
  };
}

/** Means over searches, ns: `length`, then every key that is on some path; a search without it counts as 0. */
export function meanProfile(searches: readonly SearchSummary[]): Readonly<Record<string, number>> {
  const keys = [...new Set(searches.flatMap(({ profileNs }) => Object.keys(profileNs)))].sort();
  const mean = (of: (one: SearchSummary) => number): number =>
    searches.reduce((sum, one) => sum + of(one) / searches.length, 0);
  return {
    length: mean(({ lengthNs }) => lengthNs),
    ...Object.fromEntries(keys.map((key) => [key, mean(({ profileNs }) => own(profileNs, key) ?? 0)])),
  };
}

/** From which host to which a step came; null for what stayed on its host. */
export function hostsOfTransfer(
  { rank, from }: Pick<RankStep, 'rank' | 'from'>,
  hostOf: (rank: number) => string,
): readonly [from: string, to: string] | null {
  return from < 0 || hostOf(from) === hostOf(rank) ? null : [hostOf(from), hostOf(rank)];
}

/**
 * Mean time per search by key, rank, host, or link that a transfer came over, ns, the most first; the parts of each way add up to the
 * mean length.
 */
export function dividedBy(
  { searches, hostOf }: { readonly searches: readonly Pick<SearchPath, 'path'>[]; readonly hostOf: RunPaths['hostOf'] },
  way: Way,
): readonly [name: string, ns: number][] {
  const nameOf = (step: RankStep): string => {
    if (way === 'phase') return step.key;
    if (way === 'rank') return `rank ${step.rank}`;
    return way === 'host' ? hostOf(step.rank) : (hostsOfTransfer(step, hostOf)?.join(' -> ') ?? 'no link');
  };
  const steps = searches.flatMap(({ path }) => path);
  const sums = sumBy(steps, nameOf, (step) => durationOf(step) / searches.length);
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/** A key of the path in two runs: mean time per search, ns. */
export interface PathDifference {
  readonly key: string;
  readonly beforeNs: number;
  readonly afterNs: number;
  readonly changeNs: number;
}

/** The length, then every key on either path, what changed most first. */
export function pathDifferences(
  before: Pick<RunPaths, 'meanNs'>,
  after: Pick<RunPaths, 'meanNs'>,
): readonly PathDifference[] {
  const differenceOf = (key: string): PathDifference => {
    const [beforeNs, afterNs] = [own(before.meanNs, key) ?? 0, own(after.meanNs, key) ?? 0];
    return { key, beforeNs, afterNs, changeNs: afterNs - beforeNs };
  };
  const keys = new Set([...Object.keys(before.meanNs), ...Object.keys(after.meanNs)]);
  keys.delete('length');
  const parts = [...keys].map(differenceOf).sort((a, b) => Math.abs(b.changeNs) - Math.abs(a.changeNs));
  return [differenceOf('length'), ...parts];
}

/** The key of the work for which a rank had no processor: `fold idle` is of `fold work`, `compute idle` of `compute`; others as they are. */
function workKey(key: string, kinds: readonly Pick<PhaseKind, 'name' | 'group'>[]): string {
  const kind = kinds.find(({ name }) => key === name + IDLE);
  if (kind === undefined) return key;
  return kind.group === null ? kind.name : kind.name + WORK;
}

/** Times by key, where what a rank had no processor for counts as the work that it was. */
export function asWork(
  times: Readonly<Record<string, number>>,
  kinds: readonly Pick<PhaseKind, 'name' | 'group'>[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    sumBy(
      Object.entries(times),
      ([key]) => workKey(key, kinds),
      ([, time]) => time,
    ),
  );
}

/** Of times by key, what ranks had no processor for. */
export function idleOf(times: Readonly<Record<string, number>>): number {
  return Object.entries(times).reduce((sum, [key, time]) => sum + (key.endsWith(IDLE) ? time : 0), 0);
}
