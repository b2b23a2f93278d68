// Links of hosts as token buckets that messages go through in the order in which they were handed over, each way on its own.
import { at, WIRE_BYTES } from '../../../base/index.ts';

/** What the shortest message takes: a packet that carries the 40 bytes by which MPI describes it. */
const LEAST_BYTES = 66 + 40;

export interface LinkRate {
  /** ns that a byte takes. */
  readonly nsPerByte: number;
  /** What passes at once after a pause, in ns at that rate. */
  readonly burstNs: number;
}

export interface LinkQueues {
  /** Hands a message over, and returns when it is there: when both links have passed it and all that was handed over before. */
  readonly hand: (message: {
    readonly from: number;
    readonly to: number;
    readonly bytes: number;
    readonly ns: number;
  }) => number;
  /** When two hosts' links will have passed all that was handed over so far. */
  readonly passed: (from: number, to: number) => number;
}

/** Empty links of so many hosts. A message within a host takes no time. */
export function linkQueues(hosts: number, { nsPerByte, burstNs }: LinkRate): LinkQueues {
  // When the link would be through with its bytes had it no burst: the "theoretical arrival time" of ITU-T I.371's GCRA.
  const idle = (): Float64Array => new Float64Array(hosts).fill(Number.NEGATIVE_INFINITY);
  const [out, into] = [idle(), idle()];
  const passed = (from: number, to: number): number =>
    from === to ? Number.NEGATIVE_INFINITY : Math.max(at(out, from), at(into, to)) - burstNs;
  return {
    passed,
    hand: ({ from, to, bytes, ns }) => {
      if (from === to) return ns;
      const takes = (LEAST_BYTES + (bytes || 0) * WIRE_BYTES) * nsPerByte;
      out[from] = Math.max(at(out, from), ns) + takes;
      into[to] = Math.max(at(into, to), ns) + takes;
      return Math.max(ns, passed(from, to));
    },
  };
}
