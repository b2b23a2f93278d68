import { at } from '../../../base/lists.ts';
import type { CellRecord } from '../../../experiments/records.ts';
import type { CellTrace, Counter } from '../../../experiments/store/read-traces.ts';
import { createModel, type Model } from '../../grade10/model/create-model.ts';
import { WORKER_KEYS } from '../../platform/check-platform.ts';
import { mapPhases } from '../../platform/map-phases.ts';
import type { Platform } from '../../platform/platform.ts';
import { CAPACITIES, cellMetrics } from './cell-metrics.ts';
import { clocksOf } from './clocks.ts';
import { cutTrace } from './cut-trace.ts';
import { phaseTree, RANK_SEEN } from './run-phase-tree.ts';
import { type PartRule, type TimedPart, timedPart } from './timed-part.ts';

export interface CellModelOptions {
  /** Rate of the full link, bit/s; the cell's own bandwidth is a share of it. */
  readonly lineRateBps: number;
  /** Cores of a host without a quota. */
  readonly cores: number;
  /** Default: the platform's. */
  readonly timesliceNs?: number | undefined;
  /** Which part of a run is explained, of runs whose MPI calls were recorded; without it all of it. */
  readonly partRule?: PartRule | undefined;
}

/** The counters that a platform's models are made of. */
export function countersOf({ measured }: Platform): readonly string[] {
  const sources = Object.values(measured?.metrics ?? {});
  return [...new Set([...sources.flatMap((one) => ('counter' in one ? [one.counter] : [])), ...CAPACITIES, RANK_SEEN])];
}

/**
 * The model of one measured run, without any work of the user: phases from its trace (or the lives of its ranks), on the
 * first host's clock; CPU per host, its capacity the quota where there is one; the interface in both directions, its capacity
 * what the throttle allowed; waits of ranks from phases that only wait. Errors: badInput, as of `createModel`.
 */
export function cellModel(
  record: CellRecord,
  whole: CellTrace,
  {
    platform,
    lineRateBps,
    cores,
    partRule,
    timesliceNs = platform.timesliceNs,
  }: CellModelOptions & { readonly platform: Platform },
): { readonly model: Model; readonly part: TimedPart | null; readonly warnings: readonly string[] } {
  const { cell, hosts } = record;
  const [clocks, hostOf] = [clocksOf(record), placesOf(record, whole)];
  const onClockOf = (rank: number, ns: number): number => clocks.correct(hostOf(rank), ns);
  const isRecorded = partRule !== undefined && whole.spans.phase.length > 0;
  const part = isRecorded ? timedPart(whole.spans, { onClock: onClockOf, rule: partRule, record }) : null;
  const trace = part === null ? whole : cutTrace(whole, { stretches: part.stretches, clocks, hostOf });
  const tree = phaseTree(trace, platform, onClockOf);
  // The origin may lie before the first reading of a host; what all columns share is moved to 0.
  const origin = at(tree.columns.startNs, 0);
  const shifted = (times: Float64Array): Float64Array => times.map((time) => time - origin);
  const { startNs, endNs } = tree.columns;
  const columns = { ...tree.columns, startNs: shifted(startNs), endNs: shifted(endNs) };
  const onClock = (host: string, ns: number): number => clocks.correct(host, ns) - origin;
  const measured = cellMetrics(record, trace, {
    ...{ platform, onClock, hostOf, lineRateBps, cores },
    tree: { columns, asleepNs: tree.asleepNs },
  });
  const hostsOf = Object.fromEntries(Array.from({ length: cell.ranks }, (_, rank) => [String(rank), hostOf(rank)]));
  const places = Object.fromEntries(WORKER_KEYS.map((key) => [key, hostsOf]));
  const model = createModel({
    ...platform,
    phases: columns,
    metrics: measured.metrics,
    mapping: mapPhases(columns, { ...platform, places: { ...places, ...platform.places } }),
    timesliceNs: timesliceNs || undefined,
  });
  const apart = clocks.apart(model.timesliceNs);
  const clockWarning = `The clocks of ${apart.join(', ')} differ from that of ${hosts[0]} by more than a slice: their times were corrected by the measured offsets.`;
  return {
    model,
    part,
    warnings: [
      ...model.notices,
      ...(part?.warnings ?? []),
      ...tree.warnings,
      ...measured.warnings,
      ...(apart.length > 0 ? [clockWarning] : []),
    ],
  };
}

/** The host of each rank: where its process was seen, else as launchers fill hosts, block by block. */
export function placesOf(
  { cell, hosts }: Pick<CellRecord, 'cell' | 'hosts'>,
  { counters }: { readonly counters: readonly Pick<Counter, 'host' | 'worker'>[] },
): (rank: number) => string {
  const seen = new Map(counters.flatMap(({ host, worker }) => (worker === null ? [] : [[worker, host] as const])));
  const perHost = cell.ranks / cell.nodes;
  return (rank) => seen.get(rank) ?? hosts[Math.floor(rank / perHost)] ?? '';
}
