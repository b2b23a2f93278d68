// Wait states of MPI calls: late sender, late receiver of a root's data, wait at an exchange of all (after Scalasca: Geimer et al., 2010).
import { groupBy } from '../../../../base/lists.ts';
import type { Problems } from '../../../problems.ts';
import type { Slice } from '../../activities.ts';
import type { Definitions } from './definitions.ts';
import type { Collective, Receive, Send } from './location.ts';

/** A location waits until a transfer arrives. */
export interface Wait extends Slice {
  readonly location: number;
}

interface Transfer extends Slice {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly bytes: number;
  readonly line: number;
}

interface Found {
  readonly waits: readonly Wait[];
  readonly transfers: readonly Transfer[];
}

/**
 * Messages, each receive with its send. A receiver waits for a message that was sent after its call began: until it is
 * complete, and in a call that completes several for the one sent last. A message sent before delays nobody by being late.
 */
export function joinMessages(sends: readonly Send[], receives: readonly Receive[], problems: Problems): Found {
  const queues = new Map(
    groupBy(sends, routeOf).map((queue) => [queue[0] === undefined ? '' : routeOf(queue[0]), queue]),
  );
  const next = new Map<string, number>();
  const transfers: (Transfer & Receive)[] = [];
  for (const receive of [...receives].sort((a, b) => a.to - b.to || a.posted - b.posted)) {
    const key = routeOf(receive);
    const place = next.get(key) ?? 0;
    const send = queues.get(key)?.[place];
    if (send === undefined) {
      problems.add('received message without a send', receive.line);
      continue;
    }
    next.set(key, place + 1);
    transfers.push({ ...receive, startNs: send.atNs, endNs: receive.atNs, name: 'message' });
  }
  for (const [key, queue] of queues) {
    for (const { line } of queue.slice(next.get(key) ?? 0)) problems.add('sent message without a receive', line);
  }
  const waits: Wait[] = [];
  for (const call of groupBy(transfers, ({ to, part }) => `${to} ${part}`)) {
    const late = call.filter(({ startNs, beganNs, endNs }) => startNs > beganNs && startNs <= endNs);
    const [awaited] = late.sort((a, b) => b.startNs - a.startNs || b.endNs - a.endNs);
    if (awaited !== undefined) waits.push({ location: awaited.to, startNs: awaited.beganNs, endNs: awaited.endNs });
  }
  return { waits, transfers };
}

function routeOf({ from, to, channel }: Send): string {
  return `${from} ${to} ${channel}`;
}

const FROM_ROOT = new Set(['BCAST', 'SCATTER', 'SCATTERV']);
const TO_ROOT = new Set(['REDUCE', 'GATHER', 'GATHERV']);
const FROM_LOWER = new Set(['SCAN', 'EXSCAN']);

/**
 * Collectives: the n-th of each member on a communicator belong together. A member waits until the one that it needs has
 * begun: the last of all, the root, on the root the last of all, in a scan the last lower rank.
 */
export function joinCollectives(all: readonly Collective[], definitions: Definitions, problems: Problems): Found {
  const count = new Map<string, number>();
  const instances = groupBy(all, ({ location, comm }) => {
    const key = `${location} ${comm}`;
    count.set(key, (count.get(key) ?? 0) + 1);
    return `${comm} ${count.get(key)}`;
  });
  const [waits, transfers]: [Wait[], Transfer[]] = [[], []];
  for (const members of instances) {
    const [first] = members;
    const ranks = first === undefined ? [] : definitions.membersOf(first.comm);
    if (first === undefined || ranks.length < 2) continue;
    if (members.length < ranks.length) problems.add('collective operation without all its ranks', first.line);
    const rankOf = new Map(ranks.map((location, rank) => [location, rank]));
    for (const own of members) {
      const needed = members.filter((other) => needs(own, other, rankOf));
      const [latest] = needed.sort((a, b) => b.beganNs - a.beganNs || a.location - b.location);
      if (latest === undefined || latest.beganNs <= own.beganNs) continue;
      if (latest.beganNs > own.endedNs) {
        problems.add('collective operation that ends on one rank before it begins on another', own.line);
        continue;
      }
      const endNs = latest.beganNs;
      waits.push({ location: own.location, startNs: own.beganNs, endNs });
      const { operation, bytes, line } = own;
      transfers.push({ from: latest.location, to: own.location, startNs: endNs, endNs, name: operation, bytes, line });
    }
  }
  return { waits, transfers };
}

function needs(own: Collective, other: Collective, rankOf: ReadonlyMap<number, number>): boolean {
  if (own === other) return false;
  if (FROM_ROOT.has(own.operation)) return other.location === own.root;
  if (TO_ROOT.has(own.operation)) return own.location === own.root;
  if (FROM_LOWER.has(own.operation)) return (rankOf.get(other.location) ?? 0) < (rankOf.get(own.location) ?? 0);
  return true;
}
