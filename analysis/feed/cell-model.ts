import { badInput } from '../../base/index.ts';
import type { CellRecord, CellTrace } from '../../experiments/index.ts';
import { createModel, createPhaseTypes, createResourceTypes, type MetricInput, type Model } from '../grade10/index.ts';
import { clusterResources, graph500Phases, graph500Rules } from './graph500.ts';
import { phaseTree } from './phase-tree.ts';

/** Counters that a model is made of. */
export const COUNTERS = ['cpu.busy_ns', 'cpu.capacity_mcores', 'net.tx_bytes', 'net.rx_bytes'] as const;

export interface CellModelOptions {
  /** Rate of the full link, bit/s; the cell's own bandwidth is a share of it. */
  readonly lineRateBps: number;
  /** Cores of a host without a quota. */
  readonly cores: number;
  /** Default 1 ms. */
  readonly timesliceNs?: number;
}

/** Readings closer than this are taken together: a CPU quota comes in slices of some 10 ms, within which rates mean nothing. */
const SHORTEST_PERIOD_NS = 40e6;

/**
 * The model of one measured run of the bundled Graph500, without any work of the user: phases from its trace, on the
 * controller's clock; CPU per host, its capacity the quota where there is one; the interface in both directions, its
 * capacity what the throttle allowed; a barrier wait per rank.
 */
export function cellModel(
  record: CellRecord,
  trace: CellTrace,
  { lineRateBps, cores, timesliceNs = 1e6 }: CellModelOptions,
): { readonly model: Model; readonly warnings: readonly string[] } {
  const { cell, hosts } = record;
  if (trace.phases.phase.length === 0) throw badInput(`Cell ${cell.id} has no phases: its program reports none.`);
  const ranksPerHost = cell.ranks / cell.nodes;
  const hostOf = (rank: number): string => hosts[Math.floor(rank / ranksPerHost)] ?? '';
  const offsets = clockOffsets(record);
  const correct = (host: string, ns: number): number => Math.round(ns - (offsets.get(host) ?? 0));
  const phaseTypes = createPhaseTypes(graph500Phases);
  const tree = phaseTree(trace, phaseTypes, (rank, ns) => correct(hostOf(rank), ns));
  // The origin may lie before the first reading of a host; what all columns share is moved to 0.
  const origin = Math.min(...tree.columns.startNs);
  const shifted = (times: Float64Array): Float64Array => times.map((time) => time - origin);
  const columns = { ...tree.columns, startNs: shifted(tree.columns.startNs), endNs: shifted(tree.columns.endNs) };
  const jobEnd = columns.endNs[0] ?? 0;

  const capacity = new Map(hosts.map((host) => [host, cpuCapacity(trace, host) ?? cores]));
  const rate = (lineRateBps * cell.bw) / 100 / 8;
  const metrics = hosts.flatMap((host): MetricInput[] => {
    const counter = (metric: string): CellTrace['counters'][number] | undefined =>
      trace.counters.find((one) => one.host === host && one.metric === metric);
    const at = (ns: number): number => correct(host, ns) - origin;
    const made = (path: string, metric: string, limit: number, perSecond: number): MetricInput[] => {
      const found = counter(metric);
      return found ? [consumable({ path, capacity: limit, perSecond, counter: found, at, jobEnd })] : [];
    };
    return [
      ...made(`/host[id=${host}]/cpu`, 'cpu.busy_ns', capacity.get(host) ?? cores, 1e-9),
      ...made(`/host[id=${host}]/network/bytes-in`, 'net.rx_bytes', rate, 1),
      ...made(`/host[id=${host}]/network/bytes-out`, 'net.tx_bytes', rate, 1),
    ];
  });
  const model = createModel({
    phaseTypes,
    resourceTypes: createResourceTypes(clusterResources),
    phases: columns,
    metrics: [
      ...metrics,
      ...barrierWaits(tree, columns, phaseTypes.indexOf.get('/Search/Bfs/Level/RankLevel/Synchronise') ?? -1),
    ],
    mapping: [...tree.rank].flatMap((rank, phase) => {
      const parent = columns.parent[phase] ?? -1;
      // Children of a rank's phase inherit from it.
      if (rank < 0 || (tree.rank[parent] ?? -1) >= 0) return [];
      return [{ phase, resources: [`/host[id=${hostOf(rank)}]`, `/rank[id=${rank}]`] }];
    }),
    rules: graph500Rules(Math.min(1, ...[...capacity.values()].map((all) => all / ranksPerHost))),
    timesliceNs,
  });
  const apart = [...offsets].filter(([, offsetNs]) => Math.abs(offsetNs) > timesliceNs).map(([host]) => host);
  return {
    model,
    warnings: [
      ...model.notices,
      ...(apart.length > 0
        ? [
            `The clocks of ${apart.join(', ')} are apart from that of ${hosts[0]} by more than a slice: their times were corrected by the measured offsets.`,
          ]
        : []),
    ],
  };
}

/** Per host its clock minus that of the first host, ns, where the measured difference is larger than its own bound. */
function clockOffsets({ clocks, hosts }: CellRecord): Map<string, number> {
  const base = clocks.find(({ host }) => host === hosts[0]);
  return new Map(
    clocks.map(({ host, offsetNs, errorNs }) => {
      const offset = offsetNs - (base?.offsetNs ?? 0);
      return [host, Math.abs(offset) > errorNs + (base?.errorNs ?? 0) ? offset : 0];
    }),
  );
}

function cpuCapacity({ counters }: CellTrace, host: string): number | null {
  const millicores = counters.find((one) => one.host === host && one.metric === 'cpu.capacity_mcores')?.values.at(-1);
  return millicores ? millicores / 1000 : null;
}

/** A counter's rises as rates; before its first and after its last reading nothing is known to have happened. */
function consumable({
  path,
  capacity,
  perSecond,
  counter: { timesNs, values },
  at,
  jobEnd,
}: {
  readonly path: string;
  readonly capacity: number;
  readonly perSecond: number;
  readonly counter: CellTrace['counters'][number];
  readonly at: (ns: number) => number;
  readonly jobEnd: number;
}): MetricInput {
  const [startNs, endNs, rates]: [number[], number[], number[]] = [[], [], []];
  const add = (start: number, end: number, rise: number): void => {
    if (end <= start) return;
    startNs.push(start);
    endNs.push(end);
    rates.push((Math.max(0, rise) * perSecond * 1e9) / (end - start));
  };
  const [first, last] = [at(timesNs[0] ?? 0), at(timesNs.at(-1) ?? 0)];
  if (first > 0) add(0, first, 0);
  let used = 0;
  for (let reading = 1; reading < timesNs.length; reading += 1) {
    const long = (timesNs[reading] ?? 0) - (timesNs[used] ?? 0) >= SHORTEST_PERIOD_NS;
    if (!long && reading < timesNs.length - 1) continue;
    add(at(timesNs[used] ?? 0), at(timesNs[reading] ?? 0), (values[reading] ?? 0) - (values[used] ?? 0));
    used = reading;
  }
  if (last < jobEnd) add(Math.max(0, last), jobEnd, 0);
  return {
    class: 'consumable',
    path,
    capacity,
    startNs: Float64Array.from(startNs),
    endNs: Float64Array.from(endNs),
    rates: Float64Array.from(rates),
  };
}

/** A rank waits at a barrier for as long as its phase Synchronise lasts. */
function barrierWaits(
  { rank }: { readonly rank: Int32Array },
  {
    type,
    startNs,
    endNs,
  }: { readonly type: Uint32Array; readonly startNs: Float64Array; readonly endNs: Float64Array },
  synchronise: number,
): MetricInput[] {
  const waits = new Map<number, [number[], number[]]>();
  for (const [phase, own] of type.entries()) {
    if (own !== synchronise) continue;
    const [starts, ends] = waits.get(rank[phase] ?? 0) ?? [[], []];
    starts.push(startNs[phase] ?? 0);
    ends.push(endNs[phase] ?? 0);
    waits.set(rank[phase] ?? 0, [starts, ends]);
  }
  return [...waits].map(([of, [starts, ends]]) => ({
    class: 'blocking',
    path: `/rank[id=${of}]/barrier-wait`,
    startNs: Float64Array.from(starts),
    endNs: Float64Array.from(ends),
  }));
}
