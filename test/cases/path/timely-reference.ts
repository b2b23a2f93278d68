// Results in the words of the reference outputs of Timely traces, so that both can be compared key by key.
import { ACTIVITY_KINDS, type Activities, type Slice } from '../../../analysis/path/activities.ts';
import { activityGraph, edgeNs, graphEdges } from '../../../analysis/path/graph/activity-graph.ts';
import { type ActivityPath, pathSteps } from '../../../analysis/path/graph/activity-path.ts';
import { allWaiting, checkProperties } from '../../../analysis/path/graph/check-properties.ts';
import { criticalPath } from '../../../analysis/path/graph/critical-path.ts';
import { profilePath } from '../../../analysis/path/graph/profile-path.ts';
import { NO_ROW, rowBefore, WAIT, wholeSlice } from '../../../analysis/path/graph/segment.ts';
import { longestPaths } from '../../../analysis/path/graph/vertex-times.ts';
import type { TimelyAnalysis } from '../../../analysis/path/timely/analyse-timely.ts';
import { waitsOf } from '../../../analysis/path/timely/timely-waits.ts';
import { PredictError } from '../../../base/errors.ts';
import { backtrack } from './backtrack.ts';

const IDLE = ' (idle)';
const PROFILE_KEYS = new Map([
  ['op', 'data_operation'],
  ['transfer', 'comm'],
  ['wait-input', 'waiting_for_input'],
]);

type Numbers = Readonly<Record<string, number>>;

/** What parts of the analysis took; those of waits are a part of reading. */
export interface ReferenceSeconds {
  readonly read: number;
  readonly order: number;
  readonly waits: number;
  readonly paths: number;
}

/** All of a trace but what is said of slices. */
export function referenceSummary(
  analysis: TimelyAnalysis,
  { name, seconds }: { readonly name: string; readonly seconds: ReferenceSeconds },
): Readonly<Record<string, unknown>> {
  const { activities, trace, problems } = analysis;
  const whole = wholeSlice(activities);
  const { counts } = trace.joins;
  const logs = trace.traced().map(({ log }) => log.counts);
  const events = trace.eventCounts();
  const total = Object.values(events).reduce((sum, count) => sum + count, 0);
  const waits = waitsOf(trace);
  const { shares, share } = waitingShares(activities);
  return {
    trace: name,
    events,
    n_events: total,
    workers: activities.workers.length,
    span_ns: whole.endNs - whole.startNs,
    activities: {
      active_operator: logs.reduce((sum, { active }) => sum + active, 0),
      inactive_operator: logs.reduce((sum, { idle }) => sum + idle, 0),
      message: counts.data,
      progress_message: counts.progress,
      worker_local: counts.toOneself,
      network: counts.network,
    },
    problems: Object.fromEntries(problems.map(({ kind, count }) => [kind, count])),
    waits: countBy(waits, ({ cause }) => (cause === null ? 'wait_input' : `wait:${cause.kind}`)),
    waiting_share: shares,
    waiting_share_total: share,
    worker_time_ns: workerTimes(activities),
    properties: propertySums(activities, whole),
    timing: {
      read_s: rounded(seconds.read),
      preprocess_s: rounded(seconds.order),
      waitstate_s: rounded(seconds.waits),
      paths_s: rounded(seconds.paths),
    },
    events_per_s: { with_reading: Math.round(total / (seconds.read + seconds.order)) },
    waiting_activities: waits.map(({ worker, startNs, endNs, cause, reason }) => ({
      worker,
      start: startNs,
      end: endNs,
      ...(cause === null
        ? { type: 'waiting_for_input', reason }
        : {
            type: 'waiting',
            cause: {
              kind: cause.kind,
              src: cause.worker,
              start: cause.sentNs,
              read: cause.readNs,
              net: cause.isNetwork,
            },
          }),
    })),
  };
}

/** What is said of one slice. */
export function referenceSlice(
  activities: Activities,
  slice: Slice,
  path: ActivityPath,
): Readonly<Record<string, unknown>> {
  const { byKind, byName, byWorker } = profilePath(activities, path);
  const profile = Object.entries(byKind).map(([kind, ns]) => [PROFILE_KEYS.get(kind) ?? kind, ns] as const);
  return {
    start: slice.startNs,
    end: slice.endNs,
    length: path.lengthNs,
    hops: path.hops,
    profile: inOrder(profile),
    profile_by_operator: renamed(byName, 'wait-input', 'waiting_for_input'),
    profile_by_worker: inOrder(Object.entries(byWorker)),
    path: referencePath(activities, path),
  };
}

/**
 * Whether the path that the columns gave is one of the explicit graph of a slice, and the properties hold there. Messages of two
 * workers to each other in one instant make a circle: the graph is refused then, and `refused` says so.
 */
export function formalCheck(activities: Activities, slice: Slice): Readonly<Record<string, unknown>> {
  try {
    return checked(activities, slice);
  } catch (error) {
    if (!(error instanceof PredictError)) throw error;
    return { start: slice.startNs, end: slice.endNs, ok: false, refused: error.message };
  }
}

function checked(activities: Activities, slice: Slice): Readonly<Record<string, unknown>> {
  const graph = activityGraph(activities, slice);
  const { longestNs, expectedNs: expected } = longestPaths(graph);
  const { edges, ambiguousSteps } = backtrack(graph);
  const length = edges.reduce((sum, edge) => sum + edgeNs(graph, edge), 0);
  const { minimumInDegree, communicationExistence, waitStateTermination } = checkProperties(activities, slice);
  const properties = {
    '3.9': minimumInDegree.length,
    '3.10': communicationExistence.length,
    '3.11': waitStateTermination.length,
  };
  const path = criticalPath(activities, slice);
  const sameProfile = path.lengthNs === length;
  const holds = Object.values(properties).every((count) => count === 0);
  return {
    start: slice.startNs,
    end: slice.endNs,
    same_profile: sameProfile,
    algorithm1_length: length,
    longest_by_dp: longestNs,
    expected,
    ambiguous: ambiguousSteps,
    properties,
    ok: holds && sameProfile && length === expected && longestNs === expected,
  };
}

/** How large the explicit graph of the whole trace is. */
export function formalGraph(activities: Activities): Readonly<Record<string, unknown>> {
  const { vertexNs, edgeFrom } = graphEdges(activities);
  return { vertices: vertexNs.length, edges: edgeFrom.length };
}

function referencePath(activities: Activities, path: ActivityPath): readonly Readonly<Record<string, unknown>>[] {
  const { workers } = activities;
  const number = (worker: number): number => Number((workers[worker] ?? '').slice(1));
  return [...pathSteps(activities, path)].map(({ worker, to, key, startNs, endNs }) =>
    to === null
      ? { type: key === 'wait-input' ? 'waiting_for_input' : key, worker: number(worker), start: startNs, end: endNs }
      : { type: key, src: number(worker), dst: number(to), start: startNs, end: endNs },
  );
}

/** Time of each worker by what it did, ns; what nothing is known of is `unknown`. */
function workerTimes(activities: Activities): Readonly<Record<string, Numbers>> {
  const { workers, work, names, bornNs, goneNs } = activities;
  return Object.fromEntries(
    workers.map((worker, index) => {
      const sums = new Map<string, number>();
      let unknown = (goneNs[index] ?? 0) - (bornNs[index] ?? 0);
      for (let row = work.first[index] ?? 0; row < (work.first[index + 1] ?? 0); row += 1) {
        const ns = (work.endNs[row] ?? 0) - (work.startNs[row] ?? 0);
        const key = timeKey(ACTIVITY_KINDS[work.kind[row] ?? 0] ?? 'unknown', names[work.name[row] ?? 0] ?? '');
        sums.set(key, (sums.get(key) ?? 0) + ns);
        unknown -= ns;
      }
      if (unknown > 0) sums.set('unknown', unknown);
      return [worker.slice(1), inOrder([...sums])];
    }),
  );
}

function timeKey(kind: string, name: string): string {
  if (kind === 'op') return name.endsWith(IDLE) ? 'op_idle' : 'op_active';
  if (kind === 'application') return 'app';
  return kind === 'wait-input' ? 'wait_input' : kind;
}

/** The share of their time that workers waited for messages. */
function waitingShares(activities: Activities): { readonly shares: Numbers; readonly share: number } {
  const { workers, work, bornNs, goneNs } = activities;
  const [waited, ran] = [new Float64Array(workers.length), goneNs.map((gone, index) => gone - (bornNs[index] ?? 0))];
  for (const index of workers.keys()) {
    for (let row = work.first[index] ?? 0; row < (work.first[index + 1] ?? 0); row += 1) {
      if (work.kind[row] === WAIT)
        waited[index] = (waited[index] ?? 0) + (work.endNs[row] ?? 0) - (work.startNs[row] ?? 0);
    }
  }
  const sum = (of: Float64Array): number => of.reduce((total, ns) => total + ns, 0);
  const shares = workers.map((worker, index) => [worker.slice(1), rounded((waited[index] ?? 0) / (ran[index] || 1))]);
  return { shares: Object.fromEntries(shares), share: rounded(sum(waited) / (sum(ran) || 1)) };
}

function propertySums(activities: Activities, whole: Slice): Numbers {
  const { minimumInDegree, communicationExistence, waitStateTermination } = checkProperties(activities, whole);
  const length = (slices: readonly Slice[]): number =>
    slices.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
  return {
    '3.9': minimumInDegree.length,
    '3.10': communicationExistence.length,
    '3.10_ns': length(communicationExistence),
    '3.11': waitStateTermination.length,
    sends_inside_a_wait: sendsInsideAWait(activities),
    overlapping_segments: overlaps(activities),
    all_waiting_ns: length(allWaiting(withoutTransfers(activities), whole)),
  };
}

function sendsInsideAWait(activities: Activities): number {
  const { work, transfers } = activities;
  let count = 0;
  for (let row = 0; row < transfers.startNs.length; row += 1) {
    const sentNs = transfers.startNs[row] ?? 0;
    const during = rowBefore(activities, transfers.from[row] ?? 0, sentNs);
    if (during !== NO_ROW && work.kind[during] === WAIT && (work.endNs[during] ?? 0) > sentNs) count += 1;
  }
  return count;
}

function overlaps({ workers, work }: Activities): number {
  let count = 0;
  for (const index of workers.keys()) {
    for (let row = (work.first[index] ?? 0) + 1; row < (work.first[index + 1] ?? 0); row += 1) {
      if ((work.startNs[row] ?? 0) < (work.endNs[row - 1] ?? 0)) count += 1;
    }
  }
  return count;
}

function withoutTransfers(activities: Activities): Activities {
  const [none, nobody] = [new Float64Array(0), new Int32Array(0)];
  const first = new Uint32Array(activities.workers.length + 1);
  return { ...activities, transfers: { first, from: nobody, startNs: none, endNs: none, name: nobody, bytes: none } };
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Numbers {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return Object.fromEntries(counts);
}

function renamed(record: Numbers, from: string, to: string): Numbers {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key === from ? to : key, value]));
}

function inOrder(entries: readonly (readonly [string, number])[]): Numbers {
  return Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
