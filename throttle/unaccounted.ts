import { formatBytes } from '../base/units.ts';
import type { BothWays, LinkState } from './state.ts';

/** Of what a host moved in a run, the share that may have gone past the throttled class. */
const MOST_PAST = 0.05;
/**
 * What a link moves without any run: neighbour discovery, time synchronisation, monitoring. Bytes of each way, and more per
 * second. It keeps runs of a few bytes valid.
 */
const NOISE = { bytes: 65_536, bytesPerS: 12_500 } as const;
/** Ethernet pads short packets to 60 bytes, and some drivers count its 4 bytes of checksum. A class counts neither. */
const FRAME_BYTES = 10;
/** The most that the kernel hands on, and drops, as one packet. */
const MOST_OF_PACKET = 65_536;
/** Headers of a packet of the controller's, and of its acknowledgement (TCP over IPv6 over Ethernet, with time stamps). */
const HEADER_BYTES = 90;
/** Links below count the headers of each packet on the wire; those above may count them once for many packets. */
const HEADERS_BELOW = 1.06;

/** The counters of a host's links around a run. */
interface Readings {
  readonly host: string;
  readonly before: LinkState;
  readonly after: LinkState;
  /** Names of interfaces that may carry other traffic, such as that of storage. */
  readonly beside: readonly string[];
}

/**
 * What a host moved in a run past the throttled class, or past the data interface where links are free: a sentence without an
 * end, null where the class and the controller's own connections account for 95 % of it, each way.
 *
 * The controller's bytes are known, but not which interface they took: what they explain on the data interface, they do not
 * explain on another one too.
 */
export function findUnaccounted({ host, before, after, beside }: Readings): string | null {
  const seconds = Math.max(after.uptimeS - before.uptimeS, 0);
  const noise = NOISE.bytes + NOISE.bytesPerS * seconds;
  const known = controllerBytes(before, after);
  for (const way of ['out', 'in'] as const) {
    const whole = growth(before.interfaceBytes, after.interfaceBytes, way);
    const { past, moved } = pastClass(before, after, { way, whole });
    const explained = Math.min(known[way], past);
    if (past - explained - noise > MOST_PAST * moved) {
      return `${host} moved ${percent(past - explained, moved)} of its ${formatBytes(moved)} (${way}) on ${after.interface} past the throttled class: over the SSH port, or with addresses outside of the data network`;
    }
    const others = otherLinks(before, after, { way, moved, beside });
    const elsewhere = others.reduce((sum, { bytes }) => sum + Math.max(bytes - noise, 0), 0);
    const [most] = others.sort((a, b) => b.bytes - a.bytes);
    const unexplained = elsewhere - (known[way] - explained);
    if (most && unexplained > MOST_PAST * (moved + elsewhere)) {
      return `${host} moved ${formatBytes(most.bytes)} (${way}) on ${most.name} beside the ${formatBytes(moved)} on ${after.interface}, which alone is measured. If that is storage or the like, name ${most.name} under network.beside in the inventory`;
    }
  }
  return null;
}

interface Way {
  readonly way: keyof BothWays;
  /** What the interface counted, bytes. */
  readonly whole: number;
}

/**
 * Two readings of what did not pass the throttled class: what the free class counted, and what the interface counted beyond the
 * class, which is all that is seen of packets that no class got. On free links there is no class to pass.
 */
function pastClass(before: LinkState, after: LinkState, { way, whole }: Way): { past: number; moved: number } {
  const [first, last] = [before.classes?.[way], after.classes?.[way]];
  if (!first || !last) return { past: 0, moved: whole };
  const bytes = Math.max(last.bytes - first.bytes, 0);
  const frames = FRAME_BYTES * Math.max(last.packets - first.packets, 0);
  // What arrives is counted by the interface before the class: some of it is dropped by the class, or still waits there.
  const waits = last.backlogBytes - first.backlogBytes;
  const held = way === 'in' ? waits + MOST_OF_PACKET * Math.max(last.drops - first.drops, 0) : 0;
  const free = growth(before.freeBytes, after.freeBytes, way);
  return { past: Math.max(free, whole - bytes - frames - held, 0), moved: Math.max(whole, bytes + free) };
}

/** What interfaces moved that nobody has named, and what links below the data interface moved beyond its bytes. */
function otherLinks(
  before: LinkState,
  after: LinkState,
  { way, moved, beside }: { readonly way: keyof BothWays; readonly moved: number; readonly beside: readonly string[] },
): { name: string; bytes: number }[] {
  const grown = (now: LinkState['otherBytes'], then: LinkState['otherBytes']) =>
    [...now]
      .filter(([name]) => !beside.includes(name))
      // An interface that appeared during the run began to count at 0.
      .map(([name, bytes]) => ({ name, bytes: growth(then.get(name) ?? { out: 0, in: 0 }, bytes, way) }));
  const below = grown(after.belowBytes, before.belowBytes).sort((a, b) => b.bytes - a.bytes);
  const beyond = below.reduce((sum, { bytes }) => sum + bytes, 0) - HEADERS_BELOW * moved;
  const [most] = below;
  return [
    ...grown(after.otherBytes, before.otherBytes),
    ...(most && beyond > 0 ? [{ name: most.name, bytes: beyond }] : []),
  ];
}

/** What the host's connections with the controller took of its links, each way, at most. */
function controllerBytes({ controller: first }: LinkState, { controller: last }: LinkState): BothWays {
  if (!first || !last) return { out: 0, in: 0 };
  const headers = HEADER_BYTES * (last.answered.packets - first.asked.packets);
  return {
    out: last.answered.receivedBytes - first.asked.receivedBytes + headers,
    in: last.answered.sentBytes - first.asked.sentBytes + headers,
  };
}

/** By how much a counter grew; one that began anew did not. */
function growth(first: BothWays | null, last: BothWays | null, way: keyof BothWays): number {
  return first && last ? Math.max(last[way] - first[way], 0) : 0;
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}
