import { asBitsPerSecond, asPercent, at, groupBy, rateOf } from '../../../base/index.ts';
import type { Cell, CellRecord } from '../../../experiments/index.ts';
import type { Platform } from '../../platform/index.ts';
import { type SearchPath, searchPaths } from './follow-back.ts';
import { type CellPhases, cellPhases } from './from-cell.ts';
import { type TransferParts, transferParts } from './least-transfer.ts';
import { meansOf, type SearchSummary, summaryOf } from './summary.ts';

/** The critical paths of one measured run. */
export interface CellPaths extends CellPhases {
  readonly cell: Cell;
  readonly searches: readonly (SearchPath & SearchSummary)[];
  /** Means over searches, ns: `length`, then by key. */
  readonly meanNs: Readonly<Record<string, number>>;
  /** Means over searches, ns, of each key that is a transfer whose bytes are known. */
  readonly transfersNs: Readonly<Record<string, TransferParts>>;
  readonly hops: number;
  /** Hops to a rank that entered later by less than clocks can tell. */
  readonly doubtfulHops: number;
}

/** Errors are those of `cellPhases`. `lineRateBps`: of the full link, bit/s. */
export async function cellPaths(
  dir: string,
  record: CellRecord,
  { platform, lineRateBps }: { readonly platform: Platform; readonly lineRateBps: number },
): Promise<CellPaths> {
  const found = await cellPhases(dir, record, platform);
  const { phases, hostOf, doubtNs } = found;
  const searches = searchPaths(phases).map((search) => ({ ...search, ...summaryOf(search) }));
  const steps = searches.flatMap(({ path }) => path);
  const hops = steps.filter(({ hop }) => hop >= 0);
  const doubtful = hops.filter(
    ({ phase, hop, rank }) => at(phases.startNs, hop) - at(phases.startNs, phase) < doubtNs(rank, at(phases.rank, hop)),
  );
  const rateBps = rateOf(asBitsPerSecond(lineRateBps), asPercent(record.cell.bw));
  const divided = steps.flatMap((step) => {
    const parts = transferParts(phases, step, { rateBps, hostOf });
    return parts === null ? [] : [{ key: step.key, ...parts }];
  });
  const each = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / searches.length;
  return {
    ...found,
    cell: record.cell,
    searches,
    meanNs: meansOf(searches),
    transfersNs: Object.fromEntries(
      groupBy(divided, ({ key }) => key).map((same) => [
        at(same, 0).key,
        { onLinkNs: each(same.map((one) => one.onLinkNs)), delayNs: each(same.map((one) => one.delayNs)) },
      ]),
    ),
    hops: hops.length,
    doubtfulHops: doubtful.length,
  };
}

export const WAYS = ['phase', 'rank', 'host'] as const;
export type Way = (typeof WAYS)[number];

/** Mean time per search by key, rank or host, ns, the most first; the parts of each way add up to the mean length. */
export function dividedBy(
  { searches, hostOf }: Pick<CellPaths, 'searches' | 'hostOf'>,
  way: Way,
): readonly [name: string, ns: number][] {
  const parts = new Map<string, number>();
  for (const { path } of searches) {
    for (const { key, rank, startNs, endNs } of path) {
      const name = { phase: key, rank: `rank ${rank}`, host: hostOf(rank) }[way];
      parts.set(name, (parts.get(name) ?? 0) + (endNs - startNs) / searches.length);
    }
  }
  return [...parts].sort((a, b) => b[1] - a[1]);
}
