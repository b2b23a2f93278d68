import { at } from '../../../base/lists.ts';
import type { OnClock } from '../../../experiments/mpi-trace/run-clock.ts';
import { COMPUTE, SHORT_CALLS } from '../../../experiments/mpi-trace/spans.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import { quotaOf } from '../../sources/runs/cell-metrics.ts';
import { readCounterAt } from '../../sources/runs/cell-model.ts';
import { RANK_SEEN } from '../../sources/runs/run-phase-tree.ts';
import type { Slice } from '../activities.ts';
import type { ProcessorTime } from '../run-graph.ts';

interface Of {
  readonly slice: Slice;
  readonly hosts: readonly string[];
  readonly onClock: OnClock;
}

/**
 * What each rank needed of its share of a core in a part of its run, by the sampled processor time of its process, without what it used only to
 * look whether something had come: that is measured in samples that lie in one call. Null for ranks that were not sampled or have a core.
 */
export function processorTimes(trace: CellTrace, { slice, hosts, onClock }: Of): readonly (ProcessorTime | null)[] {
  const calls = longCalls(trace, { slice, hosts, onClock });
  const sampled = hosts.map((_, rank) => {
    const counter = trace.counters.find((one) => one.metric === RANK_SEEN && one.worker === rank);
    return counter && { ...counter, timesNs: counter.timesNs.map((ns) => onClock(rank, ns)) };
  });
  const looking = { usedNs: 0, lastedNs: 0 };
  for (const [rank, counter] of sampled.entries()) {
    if (counter !== undefined) addLooking(looking, counter, calls[rank]?.rows ?? []);
  }
  const rate = looking.lastedNs > 0 ? looking.usedNs / looking.lastedNs : 0;
  return hosts.map((host, rank) => {
    const [counter, quota] = [sampled[rank], quotaOf(trace, host)];
    if (counter === undefined || quota === null) return null;
    const share = quota / hosts.filter((other) => other === host).length;
    const usedNs = readCounterAt(counter, slice.endNs) - readCounterAt(counter, slice.startNs);
    const needNs = usedNs - rate * (calls[rank]?.lastedNs ?? 0);
    return share < 1 && needNs > 0 ? { needNs, share } : null;
  });
}

/** By rank, the calls of a part, and how long they lasted with a processor. */
function longCalls({ spans }: CellTrace, { slice, hosts, onClock }: Of) {
  const calls = hosts.map(() => ({ rows: [] as Slice[], lastedNs: 0 }));
  for (const [row, name] of spans.phase.entries()) {
    if (name === COMPUTE || name === SHORT_CALLS) continue;
    const rank = at(spans.worker, row);
    const startNs = Math.max(slice.startNs, onClock(rank, at(spans.startNs, row)));
    const endNs = Math.min(slice.endNs, onClock(rank, at(spans.endNs, row)));
    const own = calls[rank];
    if (endNs <= startNs || own === undefined) continue;
    own.rows.push({ startNs, endNs });
    own.lastedNs += Math.max(0, endNs - startNs - (at(spans.queuedNs, row) || 0));
  }
  return calls;
}

/** Adds the time between samples that lies in one call. */
function addLooking(
  looking: { usedNs: number; lastedNs: number },
  { timesNs, values }: Counter,
  calls: readonly Slice[],
): void {
  let call = 0;
  for (let index = 1; index < timesNs.length; index += 1) {
    const [from, to] = [at(timesNs, index - 1), at(timesNs, index)];
    while (call < calls.length && at(calls, call).endNs < to) call += 1;
    if (call === calls.length) return;
    if (at(calls, call).startNs > from) continue;
    looking.usedNs += at(values, index) - at(values, index - 1);
    looking.lastedNs += to - from;
  }
}
