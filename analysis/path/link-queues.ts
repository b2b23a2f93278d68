// Links of hosts as token buckets that messages go through in the order in which they were handed over, each way on its own.
import { at } from '../../base/lists.ts';
import { WIRE_BYTES } from '../../base/units.ts';
import { cellLink, type LinkRate } from '../../experiments/records.ts';

/** What the shortest message takes: a packet that carries the 40 bytes by which MPI describes it. */
const LEAST_BYTES = 66 + 40;

export interface LinkQueues {
  /** Hands a message over, and returns when it is there: when both links have passed it and all that was handed over before. */
  readonly hand: (message: {
    readonly from: number;
    readonly to: number;
    readonly bytes: number;
    readonly ns: number;
  }) => number;
  /** What the link of a host needs for all that was handed over from it, and to it, so far; ns. */
  readonly out: (host: number) => number;
  readonly into: (host: number) => number;
}

/** Empty links of so many hosts. A message within a host takes no time. */
export function linkQueues(hosts: number, { nsPerByte, burstNs }: LinkRate): LinkQueues {
  // When the link would be through with its bytes had it no burst: the "theoretical arrival time" of ITU-T I.371's GCRA.
  const idle = (): Float64Array => new Float64Array(hosts).fill(Number.NEGATIVE_INFINITY);
  const [out, into] = [idle(), idle()];
  const [outNs, intoNs] = [new Float64Array(hosts), new Float64Array(hosts)];
  return {
    out: (host) => at(outNs, host),
    into: (host) => at(intoNs, host),
    hand: ({ from, to, bytes, ns }) => {
      if (from === to) return ns;
      const takes = (LEAST_BYTES + (bytes || 0) * WIRE_BYTES) * nsPerByte;
      out[from] = Math.max(out[from] as number, ns) + takes;
      into[to] = Math.max(into[to] as number, ns) + takes;
      outNs[from] = (outNs[from] as number) + takes;
      intoNs[to] = (intoNs[to] as number) + takes;
      return Math.max(ns, Math.max(out[from] as number, into[to] as number) - burstNs);
    },
  };
}

/** The links between the hosts of ranks. */
export interface Links {
  /** The number of each rank's host. */
  readonly hostOf: (rank: number) => number;
  /** Empty, at the rate that they had. */
  readonly queues: () => LinkQueues;
  /** What a link needs for so many bytes. */
  readonly needNs: (bytes: number) => number;
  /** By how much the clocks of two ranks may be apart. */
  readonly apartNs: (a: number, b: number) => number;
}

interface OfCell extends Pick<Links, 'apartNs'> {
  readonly bw: number;
  readonly lineRateBps: number;
}

/** The links between the hosts of ranks, at the rate of a cell; those of ranks on no known clock count as alike. */
export function linksOf(hostOf: readonly string[], { bw, lineRateBps, apartNs }: OfCell): Links {
  const hosts = [...new Set(hostOf)];
  const link = cellLink(bw, lineRateBps);
  return {
    hostOf: (rank) => hosts.indexOf(hostOf[rank] ?? ''),
    queues: () => linkQueues(hosts.length, link),
    needNs: (bytes) => bytes * WIRE_BYTES * link.nsPerByte,
    apartNs: (a, b) => (Number.isFinite(apartNs(a, b)) ? apartNs(a, b) : 0),
  };
}
