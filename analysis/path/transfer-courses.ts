// What the transfers of a run were made of, as measured: what links took, what goes with their rate besides, and the rest.
import { median } from 'simple-statistics';
import { at } from '../../base/lists.ts';
import { firstWhere } from './arrange.ts';
import { targetOf } from './graph/activity-path.ts';
import type { LinkQueues } from './link-queues.ts';
import { type Arrival, type RunGraph, rankOf } from './run-graph.ts';

/** What the time of a transfer is made of, ns: a share of what links take for the message behind others, what goes with their rate besides, and the rest. */
export interface TransferCourse {
  readonly message: { readonly from: number; readonly to: number; readonly bytes: number } | null;
  readonly share: number;
  readonly linkNs: number;
  readonly restNs: number;
}

/** A message of which links need less than this share of its time is short. */
const SHORT = 0.1;

/** What is left of a transfer beyond links and latency goes with the link: headers, what is sent again, and what short messages queue behind. */
export function divided(leftNs: number, latencyNs: number): Pick<TransferCourse, 'linkNs' | 'restNs'> {
  const restNs = Math.min(leftNs, latencyNs);
  return { linkNs: leftNs - restNs, restNs };
}

/** Of a collective operation, or of a rank's wait for its own message. */
export function collectiveCourse(
  { startNs, endNs, onLinkNs }: Arrival,
  latencyNs: number,
): Pick<TransferCourse, 'linkNs' | 'restNs'> {
  const onLink = Math.min(endNs - startNs, onLinkNs || 0);
  const { linkNs, restNs } = divided(endNs - startNs - onLink, latencyNs);
  return { linkNs: onLink + linkNs, restNs };
}

interface Dividing {
  /** In the order of their sending. */
  readonly rows: readonly number[];
  /** As of `arrivalsByEnd`. */
  readonly arrivalOf: (rank: number, endNs: number, name: string) => Arrival | null;
  readonly hostOf: (rank: number) => number;
  /** Empty, as they were. */
  readonly links: LinkQueues;
}

/** What links took of each transfer as it was measured, by row, and what short messages take beyond that. */
export function coursesOf({ activities }: RunGraph, { rows, arrivalOf, hostOf, links }: Dividing) {
  const { transfers, names } = activities;
  const given = new GivenToLinks();
  const all = rows.map((row) => {
    const [startNs, endNs] = [at(transfers.startNs, row), at(transfers.endNs, row)];
    const [sender, rank] = [rankOf(activities, at(transfers.from, row)), rankOf(activities, targetOf(activities, row))];
    const arrival = arrivalOf(rank, endNs, at(names, at(transfers.name, row)));
    // A sender's wait for its own message puts nothing on links that its receiver's does not.
    const isOwn = arrival !== null && (arrival.entries !== null || arrival.isRelease);
    const [from, to] = [hostOf(arrival?.from ?? sender), hostOf(rank)];
    const message = isOwn ? null : { from, to, bytes: at(transfers.bytes, row) };
    const onLinkNs = message === null ? (arrival?.onLinkNs ?? 0) : links.hand({ ...message, ns: startNs }) - startNs;
    const afterNs = message === null ? null : given.add({ from, to, ns: startNs }, links);
    return { row, message, arrival, endNs, onLinkNs, lengthNs: endNs - startNs, afterNs };
  });
  const measured = all.map((one) => {
    const left = Math.max(0, one.lengthNs - one.onLinkNs);
    const { message, afterNs, endNs } = one;
    const behindNs = message === null || afterNs === null ? 0 : given.since(message, { afterNs, endNs });
    return { ...one, behindNs: Math.min(left, behindNs) };
  });
  const short = measured.flatMap(({ arrival, onLinkNs, behindNs, lengthNs }) =>
    arrival !== null && onLinkNs + behindNs < SHORT * lengthNs ? [lengthNs - onLinkNs - behindNs] : [],
  );
  const latencyNs = short.length === 0 ? 0 : median(short);
  const courses = new Map<number, TransferCourse>();
  for (const { row, message, arrival, onLinkNs, behindNs, lengthNs } of measured) {
    if (arrival !== null && message === null) {
      courses.set(row, { message, share: 0, ...collectiveCourse(arrival, latencyNs) });
      continue;
    }
    const share = onLinkNs > lengthNs ? lengthNs / onLinkNs : 1;
    // Of one that ended no wait it is not known when it was there, only that it was.
    const beyond = arrival === null ? 0 : Math.max(0, lengthNs - onLinkNs - behindNs);
    const { linkNs, restNs } = divided(beyond, latencyNs);
    courses.set(row, { message, share, linkNs: linkNs + (arrival === null ? 0 : behindNs), restNs });
  }
  return { courses, latencyNs };
}

/** What links of hosts had been given by when, each way: messages mix with what is handed over after them. */
class GivenToLinks {
  readonly #given = new Map<string, { readonly ns: number; readonly sumNs: number }[]>();

  /** Takes down what links have been given; returns both sums. */
  add({ from, to, ns }: { readonly from: number; readonly to: number; readonly ns: number }, links: LinkQueues) {
    const sums = [links.out(from), links.into(to)] as const;
    for (const [index, way] of [`out ${from}`, `into ${to}`].entries()) {
      const given = this.#given.get(way) ?? [];
      this.#given.set(way, given);
      given.push({ ns, sumNs: at(sums, index) });
    }
    return sums;
  }

  /** What one of its links needs for what it was given after a message, until that was there. */
  since(
    { from, to }: { readonly from: number; readonly to: number },
    { afterNs: [out, into], endNs }: { readonly afterNs: readonly [number, number]; readonly endNs: number },
  ): number {
    const until = (way: string): number => {
      const given = this.#given.get(way) ?? [];
      return given[firstWhere(given, ({ ns }) => ns >= endNs) - 1]?.sumNs ?? 0;
    };
    return Math.max(0, until(`out ${from}`) - out, until(`into ${to}`) - into);
  }
}
