import { mean, sampleStandardDeviation } from 'simple-statistics';
import { at, groupBy, last } from '../../base/lists.ts';
import { compareCodePoints } from '../../base/text.ts';
import { classOf } from '../../experiments/graphs/benchmark-terms.ts';
import { latencyOf } from '../../experiments/latency.ts';
import { startOf } from '../../experiments/plan.ts';
import type { Cell, CellRecord } from '../../experiments/records.ts';
import type { Campaign } from '../../experiments/store/campaign.ts';
import { threadsOf } from '../../experiments/store/programs.ts';
import { fitThreadsLaw } from '../../modeling/answers/threads-law.ts';

// The metrics of Graphalytics over the jobs of a campaign, as the tables of W. L. Ngai, "Fine-grained performance evaluation of
// large-scale graph processing systems" (2017), section 5.4, have them.

/** Longest makespan that counts where no preset says otherwise, seconds (section 3.3.5). */
const USUAL_SLA_S = 3600;

/** The metrics of a campaign's jobs, seconds; null for campaigns of other workloads. */
export type BenchmarkData = NonNullable<ReturnType<typeof computeBenchmark>>;
type JobRow = ReturnType<typeof jobRow>;

export function computeBenchmark(campaign: Campaign, records: readonly CellRecord[]) {
  if (campaign.workload.kind !== 'graphalytics') return null;
  const presets = [campaign.sweep, ...campaign.addedSweeps].flatMap(({ preset }) => preset ?? []);
  const slaS = Math.min(...presets.map((preset) => preset.slaS), ...(presets.length === 0 ? [USUAL_SLA_S] : []));
  const { graphs } = campaign.workload;
  const { costPerNodeHour: price } = campaign.inventory;
  const sizes = new Map(graphs.map(({ name, vertices, edges }) => [name, vertices + edges]));
  // A job of the benchmark is one on the network as it is.
  const plain = records
    .filter(({ cell }) => cell.role === 'measure' && latencyOf(cell) === 0)
    .sort(
      ({ cell: a }, { cell: b }) =>
        compareCodePoints(placeOf(a).algorithm, placeOf(b).algorithm) ||
        (sizes.get(placeOf(a).graph) ?? 0) - (sizes.get(placeOf(b).graph) ?? 0) ||
        a.nodes - b.nodes ||
        a.ranks - b.ranks ||
        threadsOf(a.params) - threadsOf(b.params) ||
        b.bw - a.bw,
    );
  const jobs = groupBy(plain, ({ cell: { params, nodes, ranks, bw } }) =>
    JSON.stringify([params?.algorithm, params?.graph, nodes, ranks, threadsOf(params), bw]),
  ).map((group) => jobRow(group, { graphs, slaS, price }));
  const full = jobs.filter(({ bw }) => bw === 100);
  const isOf = (preset: string): boolean => presets.some(({ name }) => name === preset);
  const isWeak = isOf('graphalytics-weak');
  return {
    slaS,
    jobs,
    // Whether prices are known.
    isPriced: price !== undefined,
    speedups: isWeak ? [] : SPEEDUPS.flatMap((over) => speedupsOver(full, over)),
    threads: threadRows(plain.filter((record) => record.cell.bw === 100 && isGood(record, slaS))),
    weak: isWeak ? weakRows(full, graphs) : [],
    stress: stressRows(full, isOf('graphalytics-stress') || isOf('graphalytics-renew')),
  };
}

type Graphs = Extract<Campaign['workload'], { kind: 'graphalytics' }>['graphs'];

function placeOf({ params, nodes, ranks }: Cell) {
  return { algorithm: String(params?.algorithm), graph: String(params?.graph), nodes, ranks };
}

/** Equal jobs: one algorithm on one graph, nodes, ranks, threads and bandwidth; means are over those that worked, null without any. */
function jobRow(
  records: readonly CellRecord[],
  { graphs, slaS, price }: { readonly graphs: Graphs; readonly slaS: number; readonly price: number | undefined },
) {
  const { params = {}, nodes, ranks, bw } = at(records, 0).cell;
  const graph = graphs.find(({ name }) => name === params.graph);
  const good = records.filter((record) => isGood(record, slaS));
  const broken = records.filter((record) => !isGood(record, slaS));
  const starts = groupBy(good, ({ cell }) => startOf(cell)).map((group) =>
    group.flatMap(({ runs }) => runs.map(({ ct }) => ct)),
  );
  const times = starts.flat();
  const processingS = times.length === 0 ? null : mean(times);
  const rate = (count: number): number | null => (processingS === null ? null : count / processingS);
  const { vertices = 0, edges = 0 } = graph ?? {};
  const loads = good.flatMap(({ summary }) => (typeof summary.load_time === 'number' ? [summary.load_time] : []));
  const judged = [...new Set(good.map(({ summary }) => String(summary.validation ?? 'not validated')))];
  const [first] = broken;
  return {
    ...{ algorithm: String(params.algorithm), graph: String(params.graph), size: classOf(vertices, edges) },
    // Broken: did not work, were wrong, or took longer than the SLA allows; the reason is that of the first of them.
    ...{
      nodes,
      ranks,
      threads: threadsOf(params),
      bw,
      jobs: records.length,
      broken: broken.length,
      runs: times.length,
    },
    reason:
      first === undefined
        ? null
        : (first.reason ?? `The makespan was ${makespan(first).toFixed(0)} s, the SLA is ${slaS} s.`),
    processingS,
    loadS: loads.length === 0 ? null : mean(loads),
    makespanS: good.length === 0 ? null : mean(good.map(makespan)),
    // Edges, and edges and vertices, per second of processing.
    ...{ eps: rate(edges), evps: rate(vertices + edges) },
    // Price of processing 10^9 edges and vertices: of a node for an hour, over what they process in it.
    price:
      price === undefined || processingS === null
        ? null
        : (((price * nodes * processingS) / 3600) * 1e9) / (vertices + edges),
    starts: starts.length,
    // Coefficients of variation: of the runs of one start, root mean square over the starts, and of the means of starts.
    cvPercent: rootMeanSquare(starts.flatMap((own) => variation(own) ?? [])),
    startsCvPercent: variation(starts.map((own) => mean(own))),
    validation: judged.join(', ') || 'none succeeded',
  };
}

function makespan({ timing }: CellRecord): number {
  return timing.workloadMs / 1000;
}

function isGood(record: CellRecord, slaS: number): boolean {
  return record.status === 'ok' && makespan(record) <= slaS;
}

/** Percent of the mean; null for fewer than two. */
function variation(times: readonly number[]): number | null {
  return times.length < 2 ? null : (sampleStandardDeviation([...times]) / mean([...times])) * 100;
}

function rootMeanSquare(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.sqrt(mean(values.map((value) => value ** 2)));
}

const SPEEDUPS = ['nodes', 'ranks', 'threads'] as const;

/** Against the fewest: over nodes with equal ranks on each, over ranks on one node, or over threads; all else is equal. */
function speedupsOver(jobs: readonly JobRow[], over: (typeof SPEEDUPS)[number]) {
  const known = timed(jobs).filter(({ nodes }) => over !== 'ranks' || nodes === 1);
  const held = ({ ranks, nodes, threads }: JobRow): readonly number[] =>
    ({ nodes: [ranks / nodes, threads], ranks: [threads], threads: [nodes, ranks] })[over];
  return groupBy(known, (row) => JSON.stringify([row.algorithm, row.graph, held(row)])).flatMap((group) => {
    const order = [...group].sort((a, b) => a[over] - b[over]);
    const [{ algorithm, graph, seconds: base }, most] = [at(order, 0), last(order)];
    if (most[over] === at(order, 0)[over]) return [];
    const steps = order.map((row) => ({
      ...{ nodes: row.nodes, ranks: row.ranks, threads: row.threads, count: row[over] },
      ...{ seconds: row.seconds, speedup: base / row.seconds },
    }));
    return [{ algorithm, graph, over, steps, most: Math.max(...steps.map(({ speedup }) => speedup)) }];
  });
}

/** What threads bring by Amdahl's law, for equal algorithm, graph, nodes and ranks. */
function threadRows(records: readonly CellRecord[]) {
  return groupBy(records, ({ cell }) => JSON.stringify(placeOf(cell))).flatMap((group) => {
    const law = fitThreadsLaw(
      group.flatMap(({ cell, runs }) => runs.map(({ ct }) => ({ threads: threadsOf(cell.params), ct }))),
    );
    return law === null ? [] : [{ ...placeOf(at(group, 0).cell), ...law }];
  });
}

/** Over a family of graphs, each twice as large on twice the nodes: a slowdown of 1 is perfect. */
function weakRows(jobs: readonly JobRow[], graphs: Graphs) {
  const familyOf = (name: string): string => graphs.find((graph) => graph.name === name)?.family ?? name;
  return groupBy(timed(jobs), ({ algorithm, graph }) => JSON.stringify([algorithm, familyOf(graph)])).map((group) => {
    const order = [...group].sort((a, b) => a.nodes - b.nodes);
    const { algorithm, seconds: base } = at(order, 0);
    const steps = order.map(({ nodes, graph, seconds }) => ({ nodes, graph, seconds, slowdown: seconds / base }));
    return { algorithm, steps };
  });
}

function timed(jobs: readonly JobRow[]) {
  return jobs.flatMap((row) => (row.processingS === null ? [] : [{ ...row, seconds: row.processingS }]));
}

/** The largest graph that works, below the smallest that does not; only where one broke, or was meant to. `jobs` come by size. */
function stressRows(jobs: readonly JobRow[], isMeant: boolean) {
  return groupBy(jobs, ({ algorithm, nodes, ranks, threads }) =>
    JSON.stringify([algorithm, nodes, ranks, threads]),
  ).flatMap((group) => {
    const broken = group.find((row) => row.broken > 0);
    const good = group.filter((row) => row.broken === 0).at(-1);
    if (broken === undefined && !isMeant) return [];
    const { algorithm, nodes } = at(group, 0);
    const [largestGood, smallestBroken] = [good?.graph ?? null, broken?.graph ?? null];
    const reason = broken?.reason ?? null;
    return [{ algorithm, nodes, largestGood, size: good?.size ?? null, smallestBroken, reason }];
  });
}
