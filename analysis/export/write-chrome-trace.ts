import { badInput } from '../../base/errors.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { assignLanes } from './assign-lanes.ts';
import { phaseEvents } from './phase-events.ts';
import { groupMetrics, metricEvents } from './resource-events.ts';
import { microseconds, named, type SliceAxis, type TraceEvent } from './trace-events.ts';

interface ChromeTraceOptions {
  /** The trace's time 0 in ns since the origin of the model's times; default the job's first slice. */
  readonly originNs?: number;
  /** Of the job: put before the name of the process that holds the phases. */
  readonly name?: string;
  /** Also counters of the upsampled rates. Default false. */
  readonly sampled?: boolean;
}

const PHASES_PID = 1;

/**
 * An analysis as JSON in the Trace Event Format, for ui.perfetto.dev or chrome://tracing: a process `phases` with a thread
 * per lane, and one per group of resources with their rates as counters and their waits as events. Times are boundaries of
 * slices. Processes and threads are numbered in one sequence, as Perfetto names threads by their numbers alone.
 *
 * @example
 * writeFileSync('trace.json', chromeTrace(analyse(model), { name: 'graph500' }));
 */
export function chromeTrace(analysis: Analysis, options: ChromeTraceOptions = {}): string {
  // One event per line, for grep and diff; made one by one, as a job may have millions.
  const lines: string[] = [];
  for (const event of traceEvents(analysis, options)) lines.push(JSON.stringify(event));
  return `{"displayTimeUnit":"ms","traceEvents":[\n${lines.join(',\n')}\n]}\n`;
}

function* traceEvents(
  analysis: Analysis,
  { originNs, name, sampled = false }: ChromeTraceOptions,
): Generator<TraceEvent> {
  const { firstSlice, timesliceNs } = analysis.model;
  const origin = originNs ?? firstSlice * timesliceNs;
  if (!Number.isSafeInteger(origin)) {
    throw badInput(`The trace's origin is ${origin} ns: give whole nanoseconds below 2^53 since the model's origin.`);
  }
  const axis: SliceAxis = {
    at: (slice) => microseconds((firstSlice + slice) * timesliceNs - origin),
    length: (slices) => microseconds(slices * timesliceNs),
  };
  const lanes = assignLanes(analysis.model);
  const groups = groupMetrics(analysis);
  const firstTid = PHASES_PID + groups.length + 1;
  yield* named('process', name === undefined ? 'phases' : `${name}: phases`, PHASES_PID);
  for (const [lane, laneName] of lanes.names.entries()) yield* named('thread', laneName, PHASES_PID, firstTid + lane);
  yield* phaseEvents(analysis, lanes, { axis, pid: PHASES_PID, firstTid });
  let tid = firstTid + lanes.names.length;
  for (const [index, group] of groups.entries()) {
    const pid = PHASES_PID + 1 + index;
    yield* named('process', group.name, pid);
    for (const metric of group.metrics) {
      yield* metricEvents(analysis, metric, { axis, pid, tid, sampled });
      tid += 1;
    }
  }
}
