import { at } from '../../../base/lists.ts';
import { asBitsPerSecond, asPercent, rateOf, WIRE_BYTES } from '../../../base/units.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import type { MetricInput } from '../../grade10/model/metrics.ts';
import type { PhaseTypes } from '../../grade10/model/phase-types.ts';
import { resourcesAbove, WORKER_KEYS } from '../../platform/check-platform.ts';
import type { Platform } from '../../platform/platform.ts';
import { computeRates } from './readings.ts';
import type { PhaseTree } from './run-phase-tree.ts';

/** The counters of what the ranks of a host keep to of themselves, and of its quota: the first that there is counts. */
export const CAPACITIES = ['cpu.share_mcores', 'cpu.capacity_mcores'] as const;

interface CellMetricsOptions {
  readonly platform: Platform;
  /** The run's phases, on the model's clock. */
  readonly tree: Pick<PhaseTree, 'columns' | 'asleepNs'>;
  /** A host's time on the model's clock. */
  readonly onClock: (host: string, ns: number) => number;
  readonly hostOf: (rank: number) => string;
  readonly lineRateBps: number;
  readonly cores: number;
}

/** The metrics that a platform asks of a run: rates of counters with their capacities, waits from phases that only wait. */
export function cellMetrics(
  { cell, hosts, marks, proof }: CellRecord,
  trace: CellTrace,
  { platform, tree, onClock, hostOf, lineRateBps, cores }: CellMetricsOptions,
): { readonly metrics: readonly MetricInput[]; readonly warnings: readonly string[] } {
  const { phaseTypes, measured } = platform;
  const capacityOf = (kind: 'cores' | 'link' | number, host: string): number => {
    if (typeof kind === 'number') return kind;
    if (kind === 'cores') return quotaOf(trace, host) ?? cores;
    const rateBps = rateOf(asBitsPerSecond(lineRateBps), asPercent(cell.bw));
    // A slow link that the inventory accepts carries what its probes reached, headers beside it.
    const isAccepted = marks.some((mark) => mark.kind === 'link-accepted' && mark.host === host);
    const probe = isAccepted ? proof?.probes.find((one) => one.host === host) : undefined;
    return Math.min(rateBps, probe === undefined ? rateBps : WIRE_BYTES * Math.min(probe.outBps, probe.inBps)) / 8;
  };
  const made = Object.entries(measured?.metrics ?? {}).map(([type, source]) => {
    const path = (host: string, rank: string): string => instance(type, platform, { host, rank });
    if ('waits' in source) {
      const typeOf = (name: string): number => phaseTypes.indexOf.get(name) ?? -1;
      const [waiting, sleeping] = [typeOf(source.waits), new Set((source.sleeps ?? []).map(typeOf))];
      const pathOf = (rank: string): string => path(hostOf(Number(rank)), rank);
      return { metrics: waitsOf(tree, phaseTypes, { waiting, sleeping, pathOf }), warnings: [] };
    }
    const rates = countersFor(source.counter, trace, hosts).map((counter) =>
      computeRates(counter, {
        path: path(counter.host, String(counter.worker)),
        capacity: capacityOf(source.capacity, counter.host),
        factor: source.factor,
        onClock: (ns) => onClock(counter.host, ns),
        jobEnd: at(tree.columns.endNs, 0),
      }),
    );
    return { metrics: rates.map(({ metric }) => metric), warnings: rates.flatMap(({ warnings }) => warnings) };
  });
  return { metrics: made.flatMap(({ metrics }) => metrics), warnings: made.flatMap(({ warnings }) => warnings) };
}

/** The readings of one counter; hosts that were not read while others were have an empty one, so that each has its metrics. */
function countersFor(metric: string, { counters }: CellTrace, hosts: readonly string[]): readonly Counter[] {
  const own = counters.filter((one) => one.metric === metric && hosts.includes(one.host));
  if (own.length === 0 || own.some(({ worker }) => worker !== null)) return own;
  const none = { metric, worker: null, timesNs: new Float64Array(0), values: new Float64Array(0) };
  return hosts.map((host) => own.find((one) => one.host === host && one.timesNs.length > 1) ?? { ...none, host });
}

/** A metric type's path with the ids of the resources on its way. */
function instance(
  type: string,
  { resourceTypes: { resources } }: Platform,
  ids: { readonly host: string; readonly rank: string },
): string {
  return resourcesAbove(type, resources).reduceRight(
    (path, { path: resource, key }) =>
      `${resource}[${key}=${WORKER_KEYS.includes(key ?? '') ? ids.rank : ids.host}]${path.slice(resource.length)}`,
    type,
  );
}

export function quotaOf({ counters }: CellTrace, host: string): number | null {
  const found = CAPACITIES.map((metric) => counters.find((one) => one.host === host && one.metric === metric));
  const millicores = found.find((one) => one !== undefined)?.values.at(-1);
  return millicores ? millicores / 1000 : null;
}

/**
 * A blocking metric per rank, from phases of type `waiting`, which do nothing but wait, and `sleeping` ones: when it waited for the others. Where the trace measured how long the rank slept, it waited that
 * long at the end of each phase (how much is measured, when is not); elsewhere for as long as its phases of type `waiting` last.
 */
function waitsOf(
  { columns: { type, parent, id, startNs, endNs }, asleepNs }: Pick<PhaseTree, 'columns' | 'asleepNs'>,
  { keys }: PhaseTypes,
  {
    waiting,
    sleeping,
    pathOf,
  }: { readonly waiting: number; readonly sleeping: ReadonlySet<number>; readonly pathOf: (rank: string) => string },
): MetricInput[] {
  const measured = asleepNs.some((asleep, phase) => sleeping.has(at(type, phase)) && !Number.isNaN(asleep));
  const waits = new Map<string, [number[], number[]]>();
  for (const [phase, own] of type.entries()) {
    if (measured ? !sleeping.has(own) : own !== waiting) continue;
    let owner = phase;
    while (owner > 0 && !WORKER_KEYS.includes(keys[at(type, owner)] ?? '')) owner = at(parent, owner);
    const whose = at(id, owner);
    const [starts, ends] = waits.get(whose) ?? [[], []];
    const [start, end] = [at(startNs, phase), at(endNs, phase)];
    starts.push(measured ? Math.max(start, end - (asleepNs[phase] || 0)) : start);
    ends.push(end);
    waits.set(whose, [starts, ends]);
  }
  return [...waits].map(([rank, [starts, ends]]) => ({
    class: 'blocking',
    path: pathOf(rank),
    startNs: Float64Array.from(starts),
    endNs: Float64Array.from(ends),
  }));
}
