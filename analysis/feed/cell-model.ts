import type { CellRecord, CellTrace, Counter } from '../../experiments/index.ts';
import { createModel, type MetricInput, type Model } from '../grade10/index.ts';
import { mapPhases, type Platform, resourcesAbove } from '../platform/index.ts';
import { clocksOf } from './clocks.ts';
import { phaseTree, RANK_SEEN } from './phase-tree.ts';
import { placesOf } from './places.ts';
import { ratesOf } from './readings.ts';
import { waitsOf } from './waits.ts';

export interface CellModelOptions {
  /** Rate of the full link, bit/s; the cell's own bandwidth is a share of it. */
  readonly lineRateBps: number;
  /** Cores of a host without a quota. */
  readonly cores: number;
  /** Default: the platform's. */
  readonly timesliceNs?: number | undefined;
}

const CAPACITY = 'cpu.capacity_mcores';

/** The counters that a platform's models are made of. */
export function countersOf({ measured }: Platform): readonly string[] {
  const named = Object.values(measured?.metrics ?? {}).flatMap((source) =>
    'counter' in source ? [source.counter] : [],
  );
  return [...new Set([...named, CAPACITY, RANK_SEEN])];
}

/**
 * The model of one measured run, without any work of the user: phases from its trace (or the lives of its ranks), on the
 * first host's clock; CPU per host, its capacity the quota where there is one; the interface in both directions, its capacity
 * what the throttle allowed; waits of ranks from phases that only wait. Errors: badInput, as of `createModel`.
 */
export function cellModel(
  record: CellRecord,
  trace: CellTrace,
  {
    platform,
    lineRateBps,
    cores,
    timesliceNs = platform.timesliceNs,
  }: CellModelOptions & { readonly platform: Platform },
): { readonly model: Model; readonly warnings: readonly string[] } {
  const { cell, hosts } = record;
  const { phaseTypes, resourceTypes, measured } = platform;
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, trace)];
  const { columns: tree, warnings: traceWarnings } = phaseTree(trace, platform, (rank, ns) =>
    clocks.correct(hostOf(rank), ns),
  );
  // The origin may lie before the first reading of a host; what all columns share is moved to 0.
  const origin = tree.startNs[0] ?? 0;
  const shifted = (times: Float64Array): Float64Array => times.map((time) => time - origin);
  const columns = { ...tree, startNs: shifted(tree.startNs), endNs: shifted(tree.endNs) };
  const capacityOf = (kind: 'cores' | 'link' | number, host: string): number => {
    if (typeof kind === 'number') return kind;
    return kind === 'cores' ? (quotaOf(trace, host) ?? cores) : (lineRateBps * cell.bw) / 100 / 8;
  };
  const warnings = [...traceWarnings];
  const metrics: MetricInput[] = [];
  for (const [type, source] of Object.entries(measured?.metrics ?? {})) {
    const path = (host: string, rank: string): string => instance(type, platform, { host, rank });
    if ('waits' in source) {
      const waiting = phaseTypes.indexOf.get(source.waits) ?? -1;
      metrics.push(...waitsOf(columns, phaseTypes, { waiting, pathOf: (rank) => path(hostOf(Number(rank)), rank) }));
      continue;
    }
    for (const counter of countersFor(source.counter, trace, hosts)) {
      const { host, rank } = counter;
      const made = ratesOf(counter, {
        path: path(host, String(rank)),
        capacity: capacityOf(source.capacity, host),
        factor: source.factor,
        at: (ns) => clocks.correct(host, ns) - origin,
        jobEnd: columns.endNs[0] ?? 0,
      });
      metrics.push(made.metric);
      warnings.push(...made.warnings);
    }
  }
  const ranks = Array.from({ length: cell.ranks }, (_, rank) => [String(rank), hostOf(rank)]);
  const model = createModel({
    phaseTypes,
    resourceTypes,
    phases: columns,
    metrics,
    mapping: mapPhases(columns, { ...platform, places: { rank: Object.fromEntries(ranks), ...platform.places } }),
    ...(platform.rules ? { rules: platform.rules } : {}),
    ...(timesliceNs ? { timesliceNs } : {}),
  });
  const apart = clocks.apart(model.timesliceNs);
  const clockWarning = `The clocks of ${apart.join(', ')} are apart from that of ${hosts[0]} by more than a slice: their times were corrected by the measured offsets.`;
  return { model, warnings: [...model.notices, ...warnings, ...(apart.length > 0 ? [clockWarning] : [])] };
}

/** The readings of one counter; hosts that were not read while others were have an empty one, so that each has its metrics. */
function countersFor(metric: string, { counters }: CellTrace, hosts: readonly string[]): readonly Counter[] {
  const own = counters.filter((one) => one.metric === metric && hosts.includes(one.host));
  if (own.length === 0 || own.some(({ rank }) => rank !== null)) return own;
  const none = { metric, rank: null, timesNs: new Float64Array(0), values: new Float64Array(0) };
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
      `${resource}[${key}=${key === 'rank' ? ids.rank : ids.host}]${path.slice(resource.length)}`,
    type,
  );
}

function quotaOf({ counters }: CellTrace, host: string): number | null {
  const found = counters.find((one: Counter) => one.host === host && one.metric === CAPACITY);
  const millicores = found?.values.at(-1);
  return millicores ? millicores / 1000 : null;
}
