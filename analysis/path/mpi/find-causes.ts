// Why a recorded run takes as long as it does: ranks with more work or a slower host than others, a slower link, and messages.
import { median } from 'simple-statistics';
import { at, groupBy } from '../../../base/lists.ts';
import {
  isWithin,
  type OnClock,
  type Stretch,
  totalNs,
  withoutGaps,
} from '../../../experiments/mpi-trace/run-clock.ts';
import { COMPUTE } from '../../../experiments/mpi-trace/spans.ts';
import type { CellTrace } from '../../../experiments/store/read-traces.ts';
import { isBeyondChance, sumColumns } from '../phases/beyond-chance.ts';
import { type Arrival, IDLE, type RankPath, TRANSFER } from '../run-graph.ts';
import { computingShares } from './computing-shares.ts';
import type { MpiActivities } from './from-trace.ts';

/** What a run's time is lost to, in the field's words. */
type CauseKind =
  | 'load-imbalance'
  | 'serial-section'
  | 'slow-host'
  | 'slow-link'
  | 'latency-bound'
  | 'bandwidth-bound'
  | 'cpu-quota';

/** One cause of one run. Plain data. */
export interface Cause {
  readonly kind: CauseKind;
  /** Null where no rank, host or call is it. */
  readonly rank: number | null;
  readonly host: string | null;
  readonly call: string | null;
  /** Of the critical path: what would be saved were that rank, host or link like the others, else what it takes. */
  readonly ns: number;
  readonly percent: number;
  /** How many times as long as the others' (computing, messages); null where nothing is compared. */
  readonly ratio: number | null;
  /** Messages on the path, and the bytes of the one in the middle; null where no message is it. */
  readonly messages: { readonly count: number; readonly bytes: number } | null;
}

/** A recorded run with its path. */
interface Recorded extends MpiActivities {
  readonly path: RankPath & { readonly lengthNs: number };
  /** Of the part that is explained. */
  readonly stretches: readonly Stretch[];
  readonly trace: CellTrace;
  readonly onClock: OnClock;
  readonly hostOf: (rank: number) => string;
}

/**
 * What is smaller is no cause to speak of, of the path: for one host; for all ranks together; and for messages whose bytes are not the
 * reason, because ranks that share processors are also late with a few messages.
 */
const [MINOR, MAIN, MOST] = [0.05, 0.25, 0.5];
/** A host is named by chance in so many runs. */
const FALSE_ALARMS = 0.01;
/** So many times what the others have is more than they have. */
const TIMES = 1.4;
/** Others that compute less than this beside a rank do nothing meanwhile. */
const NOTHING = 0.1;
/** Of the time in calls what links need for its bytes: from so much on these are the reason, up to so much the messages are. */
const [BY_BYTES, BY_NUMBER] = [0.2, 0.1];

/** The causes of a run, the largest first; what all ranks lack a processor for comes last, for it hides the others. */
export function findCauses(run: Recorded): readonly Cause[] {
  const byMessages = messages(run);
  const causes = [...unequalComputing(run), ...slowLink(run), ...byMessages];
  return [...causes.sort((a, b) => b.ns - a.ns), ...processors(run, byMessages.length === 0)];
}

/** The host whose ranks compute longer than others between two meetings, again and again. */
function unequalComputing(run: Recorded): Cause[] {
  const { path, trace, hostOf } = run;
  // A trace has more rows than a call may have arguments.
  const ranks = trace.spans.worker.reduce((most, rank) => Math.max(most, rank), 0) + 1;
  const shares = computingShares(trace.spans, { ...run, ranks });
  const hosts = [...new Set(Array.from({ length: ranks }, (_, rank) => hostOf(rank)))];
  if (ranks < 3) return [];
  /** What the slowest rank of each share had beyond the typical one. */
  const led = shares.map(({ wallNs, busyNs }) => {
    const rank = wallNs.indexOf(Math.max(...wallNs));
    const others = (of: Float64Array): number => median([...of].filter((_, other) => hostOf(other) !== hostOf(rank)));
    return {
      ...{ rank, lostNs: at(wallNs, rank) - others(wallNs), wallNs: at(wallNs, rank), busyNs: at(busyNs, rank) },
      ...{ othersWallNs: others(wallNs), othersBusyNs: others(busyNs) },
    };
  });
  const rows = led.map(({ rank, lostNs }) => {
    const row = new Float64Array(hosts.length);
    row[hosts.indexOf(hostOf(rank))] = Math.max(0, lostNs);
    return row;
  });
  const [host] = sumColumns(rows, hosts);
  if (host === undefined || host.ns < MINOR * path.lengthNs || !isBeyondChance(rows, FALSE_ALARMS)) return [];
  const own = led.filter(({ rank }) => hostOf(rank) === host.name);
  // A vote for each share: the first one, in which ranks still begin, may be longer than all others.
  const [kind] = at(
    groupBy(own.map(kindOf), (one) => one).sort((a, b) => b.length - a.length),
    0,
  );
  if (kind === undefined) return [];
  const [wall, othersWall] = [sumOf(own, 'wallNs'), sumOf(own, 'othersWallNs')];
  const [most = null] = groupBy(own, ({ rank }) => String(rank)).sort((a, b) => b.length - a.length);
  return [
    {
      kind,
      ...{ rank: kind === 'slow-host' ? null : (most?.[0]?.rank ?? null), host: host.name, call: null, messages: null },
      ...{ ns: host.ns, percent: (100 * host.ns) / path.lengthNs, ratio: othersWall > 0 ? wall / othersWall : null },
    },
  ];
}

/** What the slowest rank of a share computed, and the typical rank on other hosts; ns. */
interface Led {
  readonly lostNs: number;
  readonly wallNs: number;
  readonly busyNs: number;
  readonly othersWallNs: number;
  readonly othersBusyNs: number;
}

/**
 * More work takes as much more processor time; on a slower host the same work waits longer for one. Standing still costs some
 * processor time too, so a third of the factor is enough.
 */
function kindOf({ wallNs, busyNs, othersWallNs, othersBusyNs }: Led): CauseKind {
  if (othersBusyNs < NOTHING * busyNs) return 'serial-section';
  const waits = (wallNs / Math.max(1, busyNs)) * (othersBusyNs / Math.max(1, othersWallNs));
  return waits > Math.cbrt(wallNs / Math.max(1, othersWallNs)) ? 'slow-host' : 'load-imbalance';
}

function sumOf(led: readonly Led[], of: keyof Led): number {
  return led.reduce((sum, one) => sum + one[of], 0);
}

/** The host whose messages, to it and from it, take longer than others of their size. */
function slowLink({ path, stretches, arrivals, hostOf }: Recorded): Cause[] {
  const sent = arrivals.filter(
    (one) => one.entries === null && hostOf(one.from) !== hostOf(one.to) && isWithin(one, stretches),
  );
  const hosts = [...new Set(sent.flatMap(({ from, to }) => [hostOf(from), hostOf(to)]))];
  if (hosts.length < 3) return [];
  const sizeOf = ({ bytes }: Arrival): string => String(Math.round(2 * Math.log2(Math.max(1, bytes))));
  const typical = new Map(
    groupBy(sent, sizeOf).map((same) => [
      sizeOf(at(same, 0)),
      median(same.map(({ startNs, endNs }) => endNs - startNs)),
    ]),
  );
  const excessOf = (one: Arrival): number => one.endNs - one.startNs - (typical.get(sizeOf(one)) ?? 0);
  const rows = Array.from({ length: 20 }, () => new Float64Array(hosts.length));
  for (const one of sent) {
    const passedNs = withoutGaps(one.endNs, stretches) - at(stretches, 0).startNs;
    const place = Math.min(rows.length - 1, Math.floor((rows.length * passedNs) / totalNs(stretches)));
    const row = rows[place];
    if (row === undefined) continue;
    for (const end of [one.from, one.to]) {
      const host = hosts.indexOf(hostOf(end));
      row[host] = at(row, host) + Math.max(0, excessOf(one));
    }
  }
  const [host] = sumColumns(rows, hosts);
  if (host === undefined || !isBeyondChance(rows, FALSE_ALARMS)) return [];
  const isIts = ({ from, to }: Arrival): boolean => hostOf(from) === host.name || hostOf(to) === host.name;
  const ratio = median(
    sent.filter(isIts).map((one) => (one.endNs - one.startNs) / Math.max(1, typical.get(sizeOf(one)) ?? 1)),
  );
  const onPath = new Set(path.path.map(({ arrival }) => arrival));
  const ns = sent
    .filter((one) => isIts(one) && onPath.has(one))
    .reduce((sum, one) => sum + Math.max(0, excessOf(one)), 0);
  if (ratio < TIMES || ns < MINOR * path.lengthNs) return [];
  const share = { ns, percent: (100 * ns) / path.lengthNs, ratio };
  return [{ kind: 'slow-link', rank: null, host: host.name, call: null, messages: null, ...share }];
}

/** Calls that take much of the path: for their bytes, or for being many one after another. */
function messages({ path }: Recorded): Cause[] {
  const calls = new Map<string, { ns: number; onLinkNs: number; bytes: number[] }>();
  for (const { key, startNs, endNs, arrival } of path.path) {
    const call = [TRANSFER, IDLE].reduce((name, end) => (name.endsWith(end) ? name.slice(0, -end.length) : name), key);
    if (!call.startsWith('MPI_')) continue;
    const own = calls.get(call) ?? { ns: 0, onLinkNs: 0, bytes: [] };
    calls.set(call, own);
    own.ns += endNs - startNs;
    if (arrival === null) continue;
    own.onLinkNs += Math.min(arrival.onLinkNs, endNs - startNs);
    own.bytes.push(arrival.bytes);
  }
  const sum = (of: (one: { ns: number; onLinkNs: number }) => number): number =>
    [...calls.values()].reduce((total, one) => total + of(one), 0);
  const [ns, onLinkNs] = [sum((one) => one.ns), sum((one) => one.onLinkNs)];
  const [most] = [...calls].sort(([, a], [, b]) => b.ns - a.ns);
  if (most === undefined || ns < MAIN * path.lengthNs) return [];
  const [call, own] = most;
  // The longest call may be one whose messages wait in others.
  const bytes = own.bytes.length > 0 ? own.bytes : [...calls.values()].flatMap((one) => one.bytes);
  const byBytes = onLinkNs / ns;
  if (byBytes > BY_NUMBER && byBytes < BY_BYTES) return [];
  const kind = byBytes >= BY_BYTES ? 'bandwidth-bound' : 'latency-bound';
  if (kind === 'latency-bound' && ns < MOST * path.lengthNs) return [];
  const count = bytes.length === 0 ? null : { count: bytes.length, bytes: median(bytes) };
  return [
    { kind, rank: null, host: null, call, ns, percent: (100 * ns) / path.lengthNs, ratio: null, messages: count },
  ];
}

/** What ranks lacked a processor for as they computed, and as they handled messages where these are no cause by themselves. */
function processors({ path }: Recorded, inCalls: boolean): Cause[] {
  let ns = 0;
  for (const { key, startNs, endNs } of path.path)
    if (inCalls ? key.endsWith(IDLE) : key === COMPUTE + IDLE) ns += endNs - startNs;
  if (ns < MAIN * path.lengthNs) return [];
  const share = { ns, percent: (100 * ns) / path.lengthNs, ratio: null };
  return [{ kind: 'cpu-quota', rank: null, host: null, call: null, messages: null, ...share }];
}
