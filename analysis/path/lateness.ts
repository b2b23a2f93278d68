/** A rank's look at a message: since when it waited, when it saw it, and when the message should have been there, ns. */
interface Look {
  readonly begunNs: number;
  readonly seenNs: number;
  /** When the links had passed it, their latency and what clocks are apart included. */
  readonly passedNs: number;
}

/**
 * Whether a message had only to be read: it should have been there longer before the wait than the wait was. Then that time is
 * the reader's own, not the message's. It is the one rule for paths and what-ifs, of recorded calls and of our own programs.
 */
export function hadOnlyToBeRead({ begunNs, seenNs, passedNs }: Look): boolean {
  return begunNs - passedNs > seenNs - begunNs;
}
