import { mean, sampleStandardDeviation } from 'simple-statistics';
import { ascending, at, groupBy } from '../../base/index.ts';
import { classOf } from '../../experiments/graphs/index.ts';
import type { Campaign, CellRecord } from '../../experiments/index.ts';

// The metrics of Graphalytics over the jobs of a campaign, as the tables of W. L. Ngai, "Fine-grained performance evaluation of
// large-scale graph processing systems" (2017), section 5.4, have them.

/** Longest makespan that counts where no preset says otherwise, seconds (section 3.3.5). */
const USUAL_SLA_S = 3600;

/** Equal jobs: one algorithm on one graph, nodes and bandwidth. Times in seconds, means over those that worked; null without any. */
export interface JobRow {
  readonly algorithm: string;
  readonly graph: string;
  /** T-shirt size. */
  readonly size: string;
  readonly nodes: number;
  readonly ranks: number;
  readonly bw: number;
  readonly jobs: number;
  /** Jobs that did not work, were wrong, or took longer than the SLA allows. */
  readonly broken: number;
  /** Of the first of them. */
  readonly reason: string | null;
  readonly processingS: number | null;
  readonly loadS: number | null;
  /** The whole job with its start. */
  readonly makespanS: number | null;
  /** Edges, and edges and vertices, per second of processing. */
  readonly eps: number | null;
  readonly evps: number | null;
  /** Coefficient of variation of the processing time over all runs, percent; null for fewer than two. */
  readonly cvPercent: number | null;
  readonly runs: number;
  /** `passed`, or why not judged. */
  readonly validation: string;
}

/** One algorithm on one graph while something grows, against the smallest of it. */
export interface SpeedupRow {
  readonly algorithm: string;
  readonly graph: string;
  readonly over: 'nodes' | 'ranks';
  readonly steps: readonly { readonly count: number; readonly seconds: number; readonly speedup: number }[];
  readonly most: number;
}

/** A family of graphs, each twice as large on twice the nodes: a slowdown of 1 is perfect. */
export interface WeakRow {
  readonly algorithm: string;
  readonly steps: readonly {
    readonly nodes: number;
    readonly graph: string;
    readonly seconds: number;
    readonly slowdown: number;
  }[];
}

/** The stress test of an algorithm on some nodes: graphs by size, the largest that works below the smallest that does not. */
export interface StressRow {
  readonly algorithm: string;
  readonly nodes: number;
  readonly largestGood: string | null;
  readonly smallestBroken: string | null;
  readonly reason: string | null;
}

export interface BenchmarkData {
  /** Seconds. */
  readonly slaS: number;
  readonly jobs: readonly JobRow[];
  readonly speedups: readonly SpeedupRow[];
  readonly weak: readonly WeakRow[];
  readonly stress: readonly StressRow[];
}

/** Null for campaigns of other workloads. */
export function benchmarkOf(campaign: Campaign, records: readonly CellRecord[]): BenchmarkData | null {
  if (campaign.workload.kind !== 'graphalytics') return null;
  const presets = [campaign.sweep, ...campaign.addedSweeps].flatMap(({ preset }) => preset ?? []);
  const slaS = Math.min(...presets.map((preset) => preset.slaS), ...(presets.length === 0 ? [USUAL_SLA_S] : []));
  const { graphs } = campaign.workload;
  const sizes = new Map(graphs.map(({ name, vertices, edges }) => [name, vertices + edges]));
  const jobs = groupBy(
    records.filter(({ cell }) => cell.role === 'measure'),
    ({ cell: { params, nodes, ranks, bw } }) => JSON.stringify([params?.algorithm, params?.graph, nodes, ranks, bw]),
  )
    .map((group) => jobRow(group, { graphs, slaS }))
    .sort(
      (a, b) =>
        compare(a.algorithm, b.algorithm) ||
        (sizes.get(a.graph) ?? 0) - (sizes.get(b.graph) ?? 0) ||
        a.nodes - b.nodes ||
        a.ranks - b.ranks ||
        b.bw - a.bw,
    );
  const full = jobs.filter(({ bw }) => bw === 100);
  const isOf = (preset: string): boolean => presets.some(({ name }) => name === preset);
  const isWeak = isOf('graphalytics-weak');
  return {
    slaS,
    jobs,
    speedups: isWeak ? [] : [...speedupsOver(full, 'nodes'), ...speedupsOver(full, 'ranks')],
    weak: isWeak ? weakRows(full, graphs) : [],
    stress: stressRows(full, isOf('graphalytics-stress')),
  };
}

type Graphs = Extract<Campaign['workload'], { kind: 'graphalytics' }>['graphs'];

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function jobRow(
  records: readonly CellRecord[],
  { graphs, slaS }: { readonly graphs: Graphs; readonly slaS: number },
): JobRow {
  const { params = {}, nodes, ranks, bw } = at(records, 0).cell;
  const graph = graphs.find(({ name }) => name === params.graph);
  const makespan = ({ timing }: CellRecord): number => timing.workloadMs / 1000;
  const [good, broken] = [records.filter(isGood), records.filter((record) => !isGood(record))];
  function isGood(record: CellRecord): boolean {
    return record.status === 'ok' && makespan(record) <= slaS;
  }
  const times = good.flatMap(({ runs }) => runs.map(({ ct }) => ct));
  const processingS = times.length === 0 ? null : mean(times);
  const rate = (count: number): number | null => (processingS === null ? null : count / processingS);
  const { vertices = 0, edges = 0 } = graph ?? {};
  const loads = good.flatMap(({ summary }) => (typeof summary.load_time === 'number' ? [summary.load_time] : []));
  const judged = [...new Set(good.map(({ summary }) => String(summary.validation ?? 'not validated')))];
  const [first] = broken;
  return {
    ...{ algorithm: String(params.algorithm), graph: String(params.graph), size: classOf(vertices, edges) },
    ...{ nodes, ranks, bw, jobs: records.length, broken: broken.length, runs: times.length },
    reason:
      first === undefined
        ? null
        : (first.reason ?? `The makespan was ${makespan(first).toFixed(0)} s, the SLA is ${slaS} s.`),
    processingS,
    loadS: loads.length === 0 ? null : mean(loads),
    makespanS: good.length === 0 ? null : mean(good.map(makespan)),
    eps: rate(edges),
    evps: rate(vertices + edges),
    cvPercent: times.length < 2 ? null : (sampleStandardDeviation(times) / mean(times)) * 100,
    validation: judged.join(', ') || 'none succeeded',
  };
}

/** Over nodes with equal ranks on each, or over ranks on one node. */
function speedupsOver(jobs: readonly JobRow[], over: SpeedupRow['over']): SpeedupRow[] {
  const known = jobs.filter(({ processingS, nodes }) => processingS !== null && (over === 'nodes' || nodes === 1));
  const held = ({ ranks, nodes }: JobRow): number => (over === 'nodes' ? ranks / nodes : nodes);
  const count = (row: JobRow): number => row[over];
  return groupBy(known, (row) => JSON.stringify([row.algorithm, row.graph, held(row)])).flatMap((group) => {
    const order = [...group].sort((a, b) => count(a) - count(b));
    if (ascending(order.map(count)).length < 2) return [];
    const { algorithm, graph, processingS: base } = at(order, 0);
    const steps = order.map((row) => ({
      ...{ count: count(row), seconds: row.processingS ?? 0 },
      speedup: (base ?? 0) / (row.processingS ?? 1),
    }));
    return [{ algorithm, graph, over, steps, most: Math.max(...steps.map(({ speedup }) => speedup)) }];
  });
}

function weakRows(jobs: readonly JobRow[], graphs: Graphs): WeakRow[] {
  const familyOf = (name: string): string => graphs.find((graph) => graph.name === name)?.family ?? name;
  const known = jobs.filter(({ processingS }) => processingS !== null);
  return groupBy(known, ({ algorithm, graph }) => JSON.stringify([algorithm, familyOf(graph)])).map((group) => {
    const order = [...group].sort((a, b) => a.nodes - b.nodes);
    const { algorithm, processingS: base } = at(order, 0);
    const steps = order.map(({ nodes, graph, processingS }) => ({
      ...{ nodes, graph, seconds: processingS ?? 0, slowdown: (processingS ?? 0) / (base ?? 1) },
    }));
    return { algorithm, steps };
  });
}

/** Only where something broke, or was meant to. `jobs` come by size. */
function stressRows(jobs: readonly JobRow[], isMeant: boolean): StressRow[] {
  return groupBy(jobs, ({ algorithm, nodes, ranks }) => JSON.stringify([algorithm, nodes, ranks])).flatMap((group) => {
    const broken = group.find((row) => row.broken > 0);
    const good = group.filter((row) => row.broken === 0).at(-1);
    if (broken === undefined && !isMeant) return [];
    const { algorithm, nodes } = at(group, 0);
    return [
      {
        ...{ algorithm, nodes, largestGood: good?.graph ?? null, smallestBroken: broken?.graph ?? null },
        reason: broken?.reason ?? null,
      },
    ];
  });
}
