import { bottleneckName } from '../dag/explain/job-words.ts';
import type { WatchedJob } from '../dag/job/watched-job.ts';
import { bottlenecksOf, summaryOfHistory } from '../dag/judge/summarise-job.ts';
import { microseconds, named, renderEvents, type TraceEvent } from './trace-events.ts';

const [TASKS_PID, EDGES_PID, VERDICT_PID] = [1, 2, 3];

/**
 * A watched job as JSON in the Trace Event Format, for ui.perfetto.dev: how busy each task and how full each edge was as counters in
 * percent, and the verdicts as a process with a thread for each task and edge that ever was a bottleneck.
 */
export function renderDagTrace(job: WatchedJob): string {
  return renderEvents(traceEvents(job));
}

function* traceEvents(job: WatchedJob): Generator<TraceEvent> {
  const { labelOf } = job;
  const { graph, periods } = job.judge;
  yield* named('process', 'verdict', VERDICT_PID);
  yield* named('process', 'busy tasks', TASKS_PID);
  yield* named('process', 'full edges', EDGES_PID);
  const lanes = new Map(
    summaryOfHistory(job.judge).shares.map((one, lane) => [
      `${one.kind}:${one.id}`,
      { ...one, tid: VERDICT_PID + 1 + lane },
    ]),
  );
  for (const lane of lanes.values()) yield* named('thread', bottleneckName(lane, labelOf), VERDICT_PID, lane.tid);
  const [taskNames, edgeNames] = [
    distinct(graph.vertexIds, (id) => labelOf(id, 'cpu')),
    distinct(graph.edgeIds, (id) => labelOf(id, 'io')),
  ];
  for (const period of periods) {
    const ts = microseconds(period.startNs);
    yield* counters(period.pt, { names: taskNames, pid: TASKS_PID, ts });
    yield* counters(period.st, { names: edgeNames, pid: EDGES_PID, ts });
    for (const one of bottlenecksOf(graph, period)) {
      const lane = lanes.get(`${one.kind}:${one.id}`);
      if (lane === undefined) continue;
      const dur = microseconds(period.endNs - period.startNs);
      yield {
        name: bottleneckName(one, labelOf),
        cat: one.kind,
        ph: 'X',
        pid: VERDICT_PID,
        tid: lane.tid,
        ts,
        dur,
        args: {},
      };
    }
  }
}

/** Where nobody lived the counter keeps its last value, so it goes to 0. */
function* counters(
  values: Float64Array,
  { names, pid, ts }: { readonly names: readonly string[]; readonly pid: number; readonly ts: number },
): Generator<TraceEvent> {
  for (const [place, value] of values.entries()) {
    const percent = Number.isNaN(value) ? 0 : value * 100;
    yield { name: names[place] ?? '', ph: 'C', pid, tid: pid, ts, args: { percent } };
  }
}

/** A counter is known by its name: those of the same label have their id beside it. */
function distinct(ids: readonly string[], labelOf: (id: string) => string): string[] {
  const labels = ids.map(labelOf);
  return labels.map((label, place) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${ids[place]})`,
  );
}
