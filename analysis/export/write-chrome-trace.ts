import { badInput } from '../../base/errors.ts';
import { at, equalStretches } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { LOCAL, NO_BOTTLENECK } from '../grade10/bottlenecks/leaves.ts';
import { parentPath } from '../grade10/model/phase-types.ts';
import { isLeaf, phasePath } from '../grade10/model/phases.ts';
import { typesUsed } from '../grade10/model/uses.ts';
import { assignLanes, type Lanes } from './assign-lanes.ts';
import { byName, microseconds, named, renderEvents, type SliceAxis, type TraceEvent } from './trace-events.ts';

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
export function renderChromeTrace(analysis: Analysis, options: ChromeTraceOptions = {}): string {
  return renderEvents(traceEvents(analysis, options));
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

/** One event per phase; those of a lane in order of time, so that readers who keep a stack can take them as they come. */
function* phaseEvents(
  analysis: Analysis,
  lanes: Lanes,
  { axis, pid, firstTid }: { readonly axis: SliceAxis; readonly pid: number; readonly firstTid: number },
): Generator<TraceEvent> {
  const { phases, phaseTypes } = analysis.model;
  for (const row of lanes.order) {
    const leaf = isLeaf(phases, row);
    const path = phasePath(phases, phaseTypes, row);
    yield {
      name: nameOf(analysis, row),
      cat: leaf ? 'leaf' : 'composite',
      ph: 'X',
      pid,
      tid: firstTid + at(lanes.of, row),
      ts: axis.at(at(phases.first, row)),
      dur: axis.length(at(phases.length, row)),
      args: leaf ? { path, bottlenecked_s: bottleneckedSeconds(analysis, row) } : { path },
    };
  }
}

/** The type's name; with the id where the lane does not tell it. */
function nameOf({ model: { phases, phaseTypes } }: Analysis, row: number): string {
  const type = at(phases.type, row);
  if (row === phases.root) return 'job';
  const name = at(phaseTypes.names, type);
  return phaseTypes.repeats[type] === 'sequential' ? `${name} ${at(phases.id, row)}` : name;
}

/** Seconds in which a leaf is bottlenecked, for each metric type that it uses. */
function bottleneckedSeconds({ model, leaves: { typeStart, typeStates } }: Analysis, row: number) {
  const { phases, uses, resourceTypes, timesliceNs } = model;
  const length = at(phases.length, row);
  const seconds = (slices: number): number => (slices * timesliceNs) / 1e9;
  return Object.fromEntries(
    Array.from(typesUsed(uses, row), (type, slot) => {
      const from = at(typeStart, row) + slot * length;
      let [local, global] = [0, 0];
      for (let slice = from; slice < from + length; slice += 1) {
        if (typeStates[slice] === LOCAL) local += 1;
        else if (typeStates[slice] !== NO_BOTTLENECK) global += 1;
      }
      return [at(resourceTypes.metricTypes.paths, type), { local: seconds(local), global: seconds(global) }];
    }),
  );
}

interface GroupedMetric {
  /** The metric's path within the group. */
  readonly name: string;
  /** Index into the model's metrics. */
  readonly index: number;
}

/**
 * Metrics shown together, those of one host as a rule: by the first step of their paths, in order of their names; those of the
 * root itself are `resources`.
 */
function groupMetrics({
  model: { metrics },
}: Analysis): readonly { readonly name: string; readonly metrics: readonly GroupedMetric[] }[] {
  const groups = new Map<string, GroupedMetric[]>();
  for (const [index, { path }] of metrics.entries()) {
    const group = firstResource(path);
    const own = groups.get(group) ?? [];
    groups.set(group, own);
    own.push({ name: path.slice(group.length).replace(/^\//, ''), index });
  }
  return [...groups]
    .sort(([a], [b]) => byName(a, b))
    .map(([name, own]) => ({
      name: name === '/' ? 'resources' : name,
      metrics: own.sort((a, b) => byName(a.name, b.name)),
    }));
}

/** `/host[id=a]` of `/host[id=a]/network/bytes-in`; `/` of a metric of the root. */
function firstResource(metric: string): string {
  let found = parentPath(metric) ?? '/';
  for (let above = parentPath(found); above !== null && above !== '/'; above = parentPath(found)) found = above;
  return found;
}

/**
 * Rates as measured, one event per period inside the job; with `sampled` the upsampled ones too, where they change. Of a resource
 * that blocks, a thread with one event for each stretch in which it does.
 */
function* metricEvents(
  { model, attribution }: Analysis,
  { name, index }: GroupedMetric,
  {
    axis,
    pid,
    tid,
    sampled,
  }: { readonly axis: SliceAxis; readonly pid: number; readonly tid: number; readonly sampled: boolean },
): Generator<TraceEvent> {
  const metric = at(model.metrics, index);
  if (metric.class === 'blocking') {
    yield* named('thread', name, pid, tid);
    const event = { name: 'blocked', cat: 'blocked', ph: 'X', pid, tid } as const;
    for (const { from, to, value } of equalStretches(metric.blocked)) {
      if (value === 1)
        yield { ...event, ts: axis.at(from), dur: axis.length(to - from), args: { metric: metric.path } };
    }
    return;
  }
  for (const [period, rate] of metric.rates.entries()) {
    const first = at(metric.first, period);
    if (first < at(metric.end, period)) yield { name, ph: 'C', pid, tid: pid, ts: axis.at(first), args: { rate } };
  }
  if (!sampled) return;
  for (const { from, value: rate } of equalStretches(at(attribution.samples, index))) {
    yield { name: `${name} sampled`, ph: 'C', pid, tid: pid, ts: axis.at(from), args: { rate } };
  }
}
