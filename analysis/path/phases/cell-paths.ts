import { at, groupBy } from '../../../base/lists.ts';
import { asBitsPerSecond, asPercent, rateOf } from '../../../base/units.ts';
import { type Cell, type CellRecord, cellLink } from '../../../experiments/records.ts';
import type { OpenCampaign } from '../../../experiments/store/open-campaign.ts';
import type { Platform } from '../../platform/platform.ts';
import { addedUp, linkName, type TransferEnds, type Way } from '../ways.ts';
import { type RankStep, type SearchPath, searchPaths } from './follow-back.ts';
import { recordedPaths } from './follow-messages.ts';
import { type CellPhases, cellPhases } from './from-cell.ts';
import { type InferenceError, inferenceError } from './inference-error.ts';
import { TRANSFER, type TransferParts, transferParts } from './least-transfer.ts';
import { linkQueues } from './link-queues.ts';
import { meanProfile, type SearchSummary, searchSummary } from './summarise-search.ts';

/** The critical paths of one measured run. */
export interface CellPaths extends CellPhases {
  readonly cell: Cell;
  readonly searches: readonly (SearchPath & SearchSummary)[];
  /** Means over searches, ns: `length`, then by key. */
  readonly meanNs: Readonly<Record<string, number>>;
  /** Means over searches, ns, of each key that is a transfer whose bytes are known. */
  readonly transfersNs: Readonly<Record<string, TransferParts>>;
  readonly hops: number;
  /** Hops to a rank that entered later, or sent a recorded message earlier, by less than clocks can tell. */
  readonly doubtfulHops: number;
  /** How far the rules for phases alone are from the recorded messages; null where none were recorded: then the paths are by those rules. */
  readonly inference: InferenceError | null;
}

/** Errors are those of `cellPhases`. `lineRateBps`: of the full link, bit/s. */
export async function cellPaths(
  open: Pick<OpenCampaign, 'spans'>,
  record: CellRecord,
  { platform, lineRateBps }: { readonly platform: Platform; readonly lineRateBps: number },
): Promise<CellPaths> {
  const found = await cellPhases(open, record, platform);
  const { phases, messages, hostOf, doubtNs } = found;
  const inferred = searchPaths(phases);
  const hosts = [...new Set(Array.from({ length: phases.ranks }, (_, rank) => hostOf(rank)))];
  const link = cellLink(record.cell.bw, lineRateBps);
  const recorded =
    messages &&
    recordedPaths(phases, messages, {
      hostOf: (rank) => hosts.indexOf(hostOf(rank)),
      links: () => linkQueues(hosts.length, link),
    });
  const searches = (recorded ?? inferred).map((search) => ({ ...search, ...searchSummary(search) }));
  const steps = searches.flatMap(({ path }) => path);
  const hops = steps.filter(({ hop }) => hop >= 0);
  const doubtful = hops.filter(({ phase, hop, rank, startNs, endNs, bytes }) => {
    const apart = bytes === undefined ? at(phases.startNs, hop) - at(phases.startNs, phase) : endNs - startNs;
    return apart < doubtNs(rank, at(phases.rank, hop));
  });
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
    meanNs: meanProfile(searches),
    transfersNs: Object.fromEntries(
      groupBy(divided, ({ key }) => key).map((same) => [
        at(same, 0).key,
        { onLinkNs: each(same.map((one) => one.onLinkNs)), delayNs: each(same.map((one) => one.delayNs)) },
      ]),
    ),
    hops: hops.length,
    doubtfulHops: doubtful.length,
    inference: recorded && inferenceError(inferred, recorded, phases.kinds),
  };
}

/** From which host to which a transfer came; null for what is none, or stayed on its host. */
export function hostsOfTransfer(
  { key, rank, hop }: RankStep,
  { hostOf, phases }: Pick<CellPaths, 'hostOf' | 'phases'>,
): TransferEnds {
  const [from, to] = [hop < 0 ? null : hostOf(at(phases.rank, hop)), hostOf(rank)];
  return from === null || from === to || !key.endsWith(TRANSFER) ? null : [from, to];
}

/**
 * Mean time per search by key, rank, host, or link that a transfer came over, ns, the most first; the parts of each way add up to the
 * mean length.
 */
export function dividedBy(
  { searches, hostOf, phases }: Pick<CellPaths, 'searches' | 'hostOf' | 'phases'>,
  way: Way,
): readonly [name: string, ns: number][] {
  const nameOf = (step: RankStep): string => {
    if (way === 'phase') return step.key;
    if (way === 'rank') return `rank ${step.rank}`;
    return way === 'host' ? hostOf(step.rank) : linkName(hostsOfTransfer(step, { hostOf, phases }));
  };
  return addedUp(
    searches.flatMap(({ path }) =>
      path.map((step) => [nameOf(step), (step.endNs - step.startNs) / searches.length] as const),
    ),
  );
}
