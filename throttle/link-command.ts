import type { BitsPerSecond, Seconds } from '../base/units.ts';

/** Where on a host the data network is attached: an interface, or the one that has an address in a network. */
export interface DataLink {
  readonly interface: string | undefined;
  readonly network: string | undefined;
  readonly sshPort: number;
  /** How flows wait behind the rate: `fair`, `fq_codel` or the longest wait in one queue for all, such as `5ms`. */
  readonly queue: string;
}

/** What a link is brought to. */
export interface LinkLevel {
  readonly rateBps: BitsPerSecond;
  /** Added to what is sent, one way; 0 for none. */
  readonly latencyMs: number;
}

/** A throttle's term: keepers on the host restore the link when it has passed without a renewal. */
export interface Lease {
  readonly seconds: Seconds;
  /** Who asks, for `throttle show` and for refusals. */
  readonly owner: string;
}

/** Exit codes of `predict-agent link`. */
export const LINK_EXIT = {
  noInterface: 20,
  foreign: 21,
  failed: 22,
  busy: 23,
  noPrivilege: 24,
  noTool: 25,
  noNetem: 26,
} as const;

/**
 * The arguments of predict-agent, run as root, per verb. Each is one round trip: the agent finds the interface, does its
 * work and prints what is on the link afterwards (`readState` reads that).
 */
export function showCommand(link: DataLink): readonly string[] {
  return ['link', 'show', ...linkArguments(link)];
}

/** The same, and whether the kernel has netem, which adds latency. */
export function netemCommand(link: DataLink): readonly string[] {
  return [...showCommand(link), '--netem'];
}

/** Sets the rate in both directions and the latency of what is sent, whatever the level before. */
export function setCommand(
  link: DataLink,
  { rateBps, latencyMs }: LinkLevel,
  { seconds, owner }: Lease,
): readonly string[] {
  const level = ['--rate', Math.round(rateBps), '--burst', burstBytes(rateBps), '--ssh-port', link.sshPort].map(String);
  const latency = latencyMs === 0 ? [] : ['--latency', String(latencyMs)];
  const rest = ['--queue', link.queue, ...latency, ...term(seconds), '--owner', owner];
  return ['link', 'set', ...linkArguments(link), ...level, ...rest];
}

/** Moves the lease's end; it does not bring back a throttle whose lease has run out. */
export function renewCommand(link: DataLink, { seconds }: Lease): readonly string[] {
  return ['link', 'renew', ...linkArguments(link), ...term(seconds)];
}

/** Restores the link and ends the lease. Does nothing to a link that is not throttled by us. */
export function clearCommand(link: DataLink): readonly string[] {
  return ['link', 'clear', ...linkArguments(link)];
}

/** How the agent is told which link is the data link. */
export function linkArguments({
  interface: name,
  network,
}: Pick<DataLink, 'interface' | 'network'>): readonly string[] {
  return [
    ...(name === undefined ? [] : ['--interface', name]),
    ...(network === undefined ? [] : ['--network', network]),
  ];
}

function term(seconds: Seconds): readonly string[] {
  return ['--lease', String(Math.ceil(seconds))];
}

/**
 * The burst of a token bucket (htb) at a rate, in bytes: what it lets pass unshaped after a pause, so it is kept short. 4 ms
 * at the rate up to 128 KiB (two GSO packets), 1 ms where that is more, and never less than a dozen packets.
 */
export function burstBytes(rateBps: BitsPerSecond): number {
  const bytesIn = (seconds: number): number => Math.round((rateBps / 8) * seconds);
  return Math.max(bytesIn(0.001), Math.min(131_072, bytesIn(0.004)), 18_168);
}
