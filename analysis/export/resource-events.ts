import { at } from '../../base/index.ts';
import { type Analysis, parentPath } from '../grade10/index.ts';
import { valueRuns } from './runs.ts';
import { byName, type CompleteEvent, type CounterEvent, microseconds } from './trace-events.ts';

/** Metrics shown together: those of one host, as a rule. */
export interface ResourceGroup {
  readonly name: string;
  readonly metrics: readonly GroupedMetric[];
}

interface GroupedMetric {
  /** The metric's path within the group. */
  readonly name: string;
  /** Index into the model's metrics. */
  readonly index: number;
}

/** Metrics by the first step of their paths, in order of their names; those of the root itself are `resources`. */
export function groupMetrics({ model: { metrics } }: Analysis): readonly ResourceGroup[] {
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

interface MetricPlace {
  readonly pid: number;
  readonly tid: number;
  readonly microsecondsOf: (slice: number) => number;
}

/** Rates as measured, one event per period inside the job; with `sampled` the upsampled ones too, where they change. */
export function* counterEvents(
  { model, attribution }: Analysis,
  { name, index }: GroupedMetric,
  { pid, microsecondsOf, sampled }: Pick<MetricPlace, 'pid' | 'microsecondsOf'> & { readonly sampled: boolean },
): Generator<CounterEvent> {
  const metric = at(model.metrics, index);
  if (metric.class !== 'consumable') return;
  for (const [period, rate] of metric.rates.entries()) {
    const first = at(metric.first, period);
    if (first >= at(metric.end, period)) continue;
    yield { name, ph: 'C', pid, tid: pid, ts: microsecondsOf(first), args: { rate } };
  }
  if (!sampled) return;
  for (const { from, value } of valueRuns(at(attribution.samples, index))) {
    yield { name: `${name} sampled`, ph: 'C', pid, tid: pid, ts: microsecondsOf(from), args: { rate: value } };
  }
}

/** One event for each stretch in which a resource is blocked. */
export function* blockedEvents(
  { model: { metrics, timesliceNs } }: Analysis,
  { index }: GroupedMetric,
  { pid, tid, microsecondsOf }: MetricPlace,
): Generator<CompleteEvent> {
  const metric = at(metrics, index);
  if (metric.class !== 'blocking') return;
  for (const { from, to, value } of valueRuns(metric.blocked)) {
    if (value !== 1) continue;
    yield {
      name: 'blocked',
      cat: 'blocked',
      ph: 'X',
      pid,
      tid,
      ts: microsecondsOf(from),
      dur: microseconds((to - from) * timesliceNs),
      args: { metric: metric.path },
    };
  }
}
