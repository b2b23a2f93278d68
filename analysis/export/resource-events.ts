import { at } from '../../base/lists.ts';
import type { Analysis } from '../grade10/analyse-phases.ts';
import { parentPath } from '../grade10/model/phase-path.ts';
import { equalStretches } from './equal-stretches.ts';
import { byName, named, type SliceAxis, type TraceEvent } from './trace-events.ts';

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
export function groupMetrics({
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
export function* metricEvents(
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
