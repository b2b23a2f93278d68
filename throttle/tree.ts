import type { BitsPerSecond } from '../base/index.ts';
import { burstBytes } from './burst.ts';

/**
 * The qdisc tree that throttles one device, as lines for `tc -batch`. Root htb under our own handle; class 1 (default)
 * is not throttled, class 2 is; ssh stays in class 1, the data network's addresses go to class 2.
 */
export interface Tree {
  readonly device: string;
  /** `dst` on the way out, `src` on the way in. */
  readonly side: 'dst' | 'src';
  /** The data network; all IPv4 when null. */
  readonly network: string | null;
  readonly sshPort: number;
  readonly rateBps: BitsPerSecond;
}

/** Root handle that marks a qdisc as ours; nothing with another handle is ever changed. */
export const HANDLE = '7077:';
/** Names of the devices (ifb) behind which we shape what arrives begin so. */
export const IFB_PREFIX = 'predict';
/** Handle of the queue under the throttled class. */
const QUEUE_HANDLE = '7078:';
const OPEN_CLASS = `${HANDLE}1`;
export const THROTTLED_CLASS = `${HANDLE}2`;
const OPEN_RATE = '100gbit';

export function addTree({ device, side, network, sshPort, rateBps }: Tree): readonly string[] {
  const filter = `filter add dev ${device} parent ${HANDLE} protocol ip`;
  const target = network === null ? 'u32 0 0' : `ip ${side} ${network}`;
  return [
    `qdisc add dev ${device} root handle ${HANDLE} htb default 1`,
    `class add dev ${device} parent ${HANDLE} classid ${OPEN_CLASS} htb rate ${OPEN_RATE} quantum 60000`,
    `class add dev ${device} parent ${HANDLE} ${rateClass(THROTTLED_CLASS, rateBps)}`,
    `qdisc add dev ${device} parent ${THROTTLED_CLASS} handle ${QUEUE_HANDLE} pfifo limit 1000`,
    ...['sport', 'dport'].map(
      (port) => `${filter} prio 1 u32 match ip protocol 6 0xff match ip ${port} ${sshPort} 0xffff flowid ${OPEN_CLASS}`,
    ),
    `${filter} prio 2 u32 match ${target} flowid ${THROTTLED_CLASS}`,
  ];
}

/** The next level on a device that carries the tree: never a moment without it. */
export function changeTree({ device, rateBps }: Pick<Tree, 'device' | 'rateBps'>): readonly string[] {
  return [`class change dev ${device} parent ${HANDLE} ${rateClass(THROTTLED_CLASS, rateBps)}`];
}

/** Sends what arrives on `device` through the tree of `back` (an ifb). Attached last, removed first. */
export function redirectIngress(device: string, back: string): readonly string[] {
  return [
    `qdisc add dev ${device} ingress`,
    `filter add dev ${device} parent ffff: protocol all prio 1 u32 match u32 0 0 action mirred egress redirect dev ${back}`,
  ];
}

/** A class that is held at a rate. */
export function rateClass(classId: string, rateBps: BitsPerSecond): string {
  const [rate, burst] = [Math.round(rateBps), burstBytes(rateBps)];
  return `classid ${classId} htb rate ${rate}bit ceil ${rate}bit burst ${burst} cburst ${burst} quantum 60000`;
}
