/** How long each part of a connection's work may take, ms. What takes longer costs the connection. */
export interface Bounds {
  /** From the first packet to the end of the login, for each host on the way. */
  readonly connectMs: number;
  /** Until the host says that it runs a command, or that files may be transferred. */
  readonly openMs: number;
  /** Between TERM and KILL of a command that is to end; longer than the guard's own grace. */
  readonly graceMs: number;
  /** Until a command that was killed, or whose connection is gone, is over. */
  readonly closeMs: number;
  /** One step of a file's transfer, at a few percent of a slow link. */
  readonly transferMs: number;
  /** Between two questions whether the other end lives; it is gone after four without an answer. */
  readonly aliveMs: number;
}

export const BOUNDS: Bounds = {
  connectMs: 20_000,
  openMs: 20_000,
  graceMs: 5_000,
  closeMs: 3_000,
  transferMs: 120_000,
  aliveMs: 5_000,
};
