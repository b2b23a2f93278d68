// What a recorded run would have taken had some of it lasted longer or shorter: earliest times over its activity graph, messages
// again over the links of their hosts in the order in which they were handed over (as in Dimemas, Labarta et al., 1996).

import { median } from 'simple-statistics';
import { at } from '../../../base/at.ts';
import { badInput } from '../../../base/errors.ts';
import { joinWords } from '../../../base/join-words.ts';
import type { LinkRate } from '../../../experiments/cell-link.ts';
import type { Slice } from '../activities.ts';
import { edgeNs, isWait } from '../graph/activity-graph.ts';
import { explicitGraph } from '../graph/explain-graph.ts';
import { ON_THE_WIRE, TRANSFER_EDGE } from '../graph/segment.ts';
import { IDLE } from '../phases/least-transfer.ts';
import { type LinkQueues, linkQueues } from '../phases/link-queues.ts';
import type { Change } from '../phases/what-if-keys.ts';
import type { Arrival, MpiActivities } from './from-trace.ts';

/** A message of which links need less than this share of its time is short. */
const SHORT = 0.1;

interface Run extends Pick<MpiActivities, 'activities' | 'arrivals'> {
  readonly hostOf: (rank: number) => string;
  /** What is explained of it. */
  readonly stretches: readonly Slice[];
}

interface WhatIfCalls {
  readonly changes: readonly Change[];
  /** What a host's link passes each way when it is so many times as slow as it was. */
  readonly linkOf: (slower: number) => LinkRate;
}

/** What lasts how many times as long. */
interface Factors {
  readonly work: (row: number, worker: number) => number;
  readonly transfer: (row: number) => number;
  readonly link: number;
  readonly latency: number;
}

/**
 * What the time of a transfer is made of, ns: a share of what links take for it behind others, what goes with their rate besides (headers,
 * mixing with others, what is sent again), and the rest. As much as short messages take beyond links is latency, what is more is not.
 */
interface Transfer {
  readonly row: number;
  /** Of hosts, and bytes; null where it is not known what went over links. */
  readonly message: { readonly from: number; readonly to: number; readonly bytes: number } | null;
  readonly share: number;
  readonly onLinksNs: number;
  readonly restNs: number;
}

/**
 * How long the run would take, ns: keys are names on the path, `link` (half of it is twice the bandwidth), `latency` (what a message takes
 * beyond links), `transfer`, `idle`, a host, or `rank N` with all that it does. Without a change it is the measured time. A wait lasts as long as
 * it must. Errors: badInput for a key that the run has not.
 */
export function whatIfCalls(run: Run, { changes, linkOf }: WhatIfCalls): number {
  const factors = factorsOf(run, changes);
  return run.stretches.reduce((sum, stretch) => sum + lengthOf(run, { stretch, factors, linkOf }), 0);
}

function factorsOf({ activities, hostOf }: Run, changes: readonly Change[]): Factors {
  const { names, workers, work, transfers } = activities;
  const ranks = workers.map((worker) => Number.parseInt(worker, 10));
  const places = [...new Set(ranks.map(hostOf)), ...new Set(ranks.map((rank) => `rank ${rank}`))];
  const parts = ['link', 'latency', 'transfer', 'idle'];
  for (const { key } of changes) {
    if (names.includes(key) || places.includes(key) || parts.includes(key)) continue;
    const some = names.filter((name) => name !== '').slice(0, 5);
    throw badInput(
      `--what-if: the run has no '${key}': name one of ${joinWords([...some, ...parts, at(places, 0), 'rank 0'])}.`,
    );
  }
  const factor = (...keys: readonly string[]): number =>
    changes.reduce((product, { key, factor: own }) => (keys.includes(key) ? product * own : product), 1);
  const byName = names.map((name) => factor(name) * (name.endsWith(IDLE) ? factor('idle') : 1));
  const byWorker = ranks.map((rank) => factor(hostOf(rank), `rank ${rank}`));
  const moved = factor('transfer');
  return {
    work: (row, worker) => at(byName, at(work.name, row)) * at(byWorker, worker),
    transfer: (row) => at(byName, at(transfers.name, row)) * moved,
    link: factor('link'),
    latency: factor('latency'),
  };
}

function lengthOf(
  run: Run,
  {
    stretch,
    factors,
    linkOf,
  }: { readonly stretch: Slice; readonly factors: Factors; readonly linkOf: WhatIfCalls['linkOf'] },
): number {
  const { graph, topology } = explicitGraph(run.activities, stretch);
  const { incoming, outgoing, order } = topology;
  const { vertexNs, vertexWorker, edgeFrom, edgeTo, edgeKind, edgeRow } = graph;
  const hosts = [...new Set(run.activities.workers.map((worker) => run.hostOf(Number.parseInt(worker, 10))))];
  const transfers = new Map<number, Transfer>();
  const own: number[] = [];
  for (let edge = 0; edge < edgeKind.length; edge += 1) {
    // One that the border cuts lasts what is left of it.
    const isWhole =
      at(vertexWorker, at(edgeFrom, edge)) !== ON_THE_WIRE && at(vertexWorker, at(edgeTo, edge)) !== ON_THE_WIRE;
    if (edgeKind[edge] === TRANSFER_EDGE && isWhole) own.push(edge);
  }
  const divided = dividedTransfers(run, {
    rows: own.map((edge) => at(edgeRow, edge)),
    hosts,
    links: linkQueues(hosts.length, linkOf(1)),
  });
  for (const [place, edge] of own.entries()) transfers.set(edge, at(divided, place));

  const links = linkQueues(hosts.length, linkOf(factors.link));
  const earliest = Float64Array.from(vertexNs);
  const onLinkNs = new Map<number, number>();
  const weightOf = (edge: number): number => {
    if (isWait(graph, edge)) return 0;
    const row = at(edgeRow, edge);
    if (edgeKind[edge] !== TRANSFER_EDGE) {
      const worker = at(vertexWorker, at(edgeTo, edge));
      return edgeNs(graph, edge) * (row < 0 || worker < 0 ? 1 : factors.work(row, worker));
    }
    const transfer = transfers.get(edge);
    if (transfer === undefined) return edgeNs(graph, edge) * factors.transfer(row);
    const { share, onLinksNs, restNs } = transfer;
    const passes = share * (onLinkNs.get(edge) ?? 0);
    return (passes + onLinksNs * factors.link + restNs * factors.latency) * factors.transfer(row);
  };
  const place = new Int32Array(order.length);
  for (const [index, vertex] of order.entries()) place[vertex] = index;
  const inTime = Int32Array.from(order).sort(
    (a, b) => at(vertexNs, a) - at(vertexNs, b) || at(place, a) - at(place, b),
  );
  let endNs = graph.firstNs;
  for (const vertex of inTime) {
    const [from, to] = [at(incoming.first, vertex), at(incoming.first, vertex + 1)];
    let timeNs = from === to ? at(vertexNs, vertex) : graph.firstNs;
    for (let slot = from; slot < to; slot += 1) {
      const edge = at(incoming.order, slot);
      timeNs = Math.max(timeNs, at(earliest, at(edgeFrom, edge)) + weightOf(edge));
    }
    earliest[vertex] = timeNs;
    endNs = Math.max(endNs, timeNs);
    for (let slot = at(outgoing.first, vertex); slot < at(outgoing.first, vertex + 1); slot += 1) {
      const edge = at(outgoing.order, slot);
      const message = transfers.get(edge)?.message;
      if (message) onLinkNs.set(edge, links.hand({ ...message, ns: timeNs }) - timeNs);
    }
  }
  return endNs - graph.firstNs;
}

interface Dividing {
  readonly rows: readonly number[];
  readonly hosts: readonly string[];
  /** Empty, as they were. */
  readonly links: LinkQueues;
}

/** What links took of each transfer as it was measured, in the order of `rows`. */
function dividedTransfers(
  { activities, arrivals, hostOf }: Run,
  { rows, hosts, links }: Dividing,
): readonly Transfer[] {
  const { transfers, workers, names } = activities;
  const byEnd = new Map(arrivals.map((one) => [`${one.to} ${one.endNs} ${one.call}`, one]));
  const rankOf = (worker: number): number => Number.parseInt(at(workers, worker), 10);
  const placeOf = (rank: number): number => hosts.indexOf(hostOf(rank));
  const target = new Int32Array(transfers.startNs.length);
  for (const worker of workers.keys())
    target.fill(worker, at(transfers.first, worker), at(transfers.first, worker + 1));
  const found = rows.map((row) => {
    const to = rankOf(at(target, row));
    const name = at(names, at(transfers.name, row));
    const arrival = byEnd.get(`${to} ${at(transfers.endNs, row)} ${name.split(' ')[0]}`) ?? null;
    const from = arrival?.from ?? rankOf(at(transfers.from, row));
    return {
      row,
      arrival,
      message: messageOf(arrival, { from: placeOf(from), to: placeOf(to), bytes: at(transfers.bytes, row) }),
    };
  });
  const passed = new Float64Array(rows.length);
  const inTime = Array.from(found.keys()).sort(
    (a, b) => at(transfers.startNs, at(rows, a)) - at(transfers.startNs, at(rows, b)) || a - b,
  );
  for (const place of inTime) {
    const { row, message } = at(found, place);
    const startNs = at(transfers.startNs, row);
    if (message !== null) passed[place] = links.hand({ ...message, ns: startNs }) - startNs;
  }
  const measured = found.map(({ row, arrival, message }, place) => {
    const lengthNs = at(transfers.endNs, row) - at(transfers.startNs, row);
    const onLinkNs = arrival !== null && message === null ? Math.min(lengthNs, arrival.onLinkNs) : at(passed, place);
    return { row, message, isEnd: arrival !== null, lengthNs, onLinkNs };
  });
  const short = measured.filter(({ isEnd, onLinkNs, lengthNs }) => isEnd && onLinkNs < SHORT * lengthNs);
  const latencyNs = short.length === 0 ? 0 : median(short.map(({ lengthNs, onLinkNs }) => lengthNs - onLinkNs));
  return measured.map(({ row, message, isEnd, lengthNs, onLinkNs }): Transfer => {
    const share = onLinkNs > lengthNs ? lengthNs / onLinkNs : 1;
    // It ended no wait: when it was there is not known, only that it was.
    if (!isEnd) return { row, message, share, onLinksNs: 0, restNs: 0 };
    const left = Math.max(0, lengthNs - onLinkNs);
    const restNs = Math.min(left, latencyNs);
    return { row, message, share, onLinksNs: left - restNs + (message === null ? onLinkNs : 0), restNs };
  });
}

/** What a transfer put on links; null of collective calls, and of a sender's wait for its own message, which its receiver has too. */
function messageOf(arrival: Arrival | null, message: NonNullable<Transfer['message']>): Transfer['message'] {
  return arrival === null || (!arrival.isCollective && !arrival.isRelease) ? message : null;
}
