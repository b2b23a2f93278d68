import { at } from '../../../base/lists.ts';
import type { RankStep } from './follow-back.ts';
import type { RankPhases } from './rank-phases.ts';

/** How much of a transfer its bytes account for. */
export interface TransferParts {
  /** Bytes over the rate that the throttle allowed, at most the whole. */
  readonly onLinkNs: number;
  /** The rest: latency, protocol, queues, and partners that were late in handing their bytes over. */
  readonly delayNs: number;
}

/**
 * Divides the time of a transfer step. Of a recorded message its own bytes count; else what the rank receives comes from its group, each member's bytes in even parts, and after a
 * hop the partner has its own bytes to send; the longer of the two over the link's rate is the time that the bytes need at least. Null
 * for steps that are no transfer, and where bytes or the rate are not known.
 */
export function transferParts(
  phases: RankPhases,
  { key, rank, phase, hop, startNs, endNs, bytes: sent }: RankStep,
  { rateBps, hostOf }: { readonly rateBps: number; readonly hostOf: (rank: number) => string },
): TransferParts | null {
  if (phase < 0 || !key.endsWith(TRANSFER)) return null;
  const divided = (most: number): TransferParts => {
    const onLinkNs = Math.min(endNs - startNs, (most * 8e9) / rateBps);
    return { onLinkNs, delayNs: endNs - startNs - onLinkNs };
  };
  if (sent !== undefined && !Number.isNaN(sent)) {
    const sender = hop < 0 ? rank : at(phases.rank, hop);
    return divided(hop >= 0 && hostOf(sender) === hostOf(rank) ? 0 : sent);
  }
  const { kind, groups, partners, meeting, ranks, bytes } = phases;
  const members = groups[at(kind, phase)]?.[rank];
  if (members === undefined) return null;
  const others = Math.max(1, members.length - 1);
  let received = 0;
  for (const other of members) {
    const partner = at(partners, at(meeting, phase) * ranks + other);
    // What stays on a host crosses no link.
    if (partner >= 0 && other !== rank && hostOf(other) !== hostOf(rank)) received += at(bytes, partner) / others;
  }
  const most = Math.max(received, at(bytes, hop < 0 ? phase : hop));
  if (Number.isNaN(most)) return null;
  return divided(most);
}

/** How the keys of the parts of a phase end; work without an exchange has the name of its phase. */
export const TRANSFER = ' transfer';
export const WORK = ' work';
export const IDLE = ' idle';
