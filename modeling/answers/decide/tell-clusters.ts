import { at } from '../../../base/lists.ts';
import { predict } from '../../forms/predict.ts';
import { type Ensemble, estimates, measurable } from '../../judge/ensemble.ts';
import type { Estimate, Fit } from '../../model-records.ts';
import type { Target } from '../../rows.ts';
import { projectAll } from '../project.ts';
import { speedup } from './diminishing.ts';

/** Clusters that somebody may buy: every combination of these, and what they are to do. */
export interface ClustersAsked {
  readonly nodes: readonly number[];
  /** Percent. */
  readonly bw: readonly number[];
  readonly scales: readonly number[];
  /** Edges per vertex, null for programs without graphs: no GTEPS then. Default: Graph500's. */
  readonly edgeFactor?: number | null | undefined;
  /** Speedup and efficiency are relative to this node count, at the same bandwidth and scale. Default: the smallest fitted to. */
  readonly referenceNodes?: number | undefined;
  /** Completion time (s) to stay under. */
  readonly deadline?: number | undefined;
  /** Price of one node for an hour, in any currency. */
  readonly price?: number | undefined;
  /** The same of the link that each node has. */
  readonly linkPrice?: number | undefined;
  /** Searches (or runs) to pay for. Default 1. */
  readonly runs?: number | undefined;
}

/** What a fit says of one cluster, with intervals. */
export interface ToldCluster extends Target {
  /** Completion time in seconds. */
  readonly ct: Estimate & { readonly value: number };
  /** Where the mean of as many runs as a cell of the rows has would fall: wider by what makes cells lie off the curve. */
  readonly measured: Omit<Estimate, 'value'>;
  /** Null for programs without graphs. */
  readonly gteps: Estimate | null;
  readonly speedup: Estimate;
  readonly efficiencyPercent: Estimate;
  readonly nodeHours: Estimate;
  /** Null without a price. */
  readonly cost: Estimate | null;
  /** Share of all that may be true under which the completion time is within the deadline; null without one. */
  readonly withinDeadlinePercent: number | null;
  /** Why these numbers are no answer, and what to measure; null where they are one. */
  readonly abstains: string | null;
}

/** Each of the clusters by all that may be true, scale by scale, then bandwidth, then nodes; the page's planner says the same. */
export function tellClusters(ensemble: Ensemble, asked: ClustersAsked): ToldCluster[] {
  const { fit, replicas } = ensemble;
  const { deadline, price, linkPrice, runs = 1 } = asked;
  const referenceNodes = referenceOf(fit, asked);
  const targets = projectAll(ensemble, asked);
  const times = (one: Fit): number[] => targets.map((target) => predict(one, target));
  const measured = measurable(ensemble, times, repetitionsOf(ensemble));
  const fast = estimates(ensemble, (one) =>
    targets.map((target) => speedup(one, target, { ...target, nodes: referenceNodes })),
  );
  const perHour = price === undefined && linkPrice === undefined ? null : (price ?? 0) + (linkPrice ?? 0);
  return targets.map((target, index) => {
    const { nodes, bw, scale, ct, gteps, abstains } = target;
    const { low, high } = at(measured, index);
    const nodeHours = scaled(ct, (nodes * runs) / 3600);
    const within = (seconds: number): number => replicas.filter((one) => predict(one, target) <= seconds).length;
    return {
      ...{ nodes, bw, scale, ct },
      measured: { low, high },
      gteps,
      speedup: at(fast, index),
      efficiencyPercent: scaled(at(fast, index), (100 * referenceNodes) / nodes),
      nodeHours,
      cost: perHour === null ? null : scaled(nodeHours, perHour),
      withinDeadlinePercent: deadline === undefined ? null : (100 * within(deadline)) / replicas.length,
      abstains,
    };
  });
}

export function referenceOf({ trainedOn }: Fit, { referenceNodes }: Pick<ClustersAsked, 'referenceNodes'>): number {
  return referenceNodes ?? at(trainedOn.nodes, 0);
}

/** How often a cell of the rows was measured, on average: so often a projection's own measurement would be. */
export function repetitionsOf({ fit, cells }: Ensemble): number {
  return Math.max(1, Math.round(fit.rows / cells.length));
}

export function scaled({ value, low, high }: Estimate, factor: number): Estimate {
  const times = (one: number | null): number | null => (one === null ? null : one * factor);
  return { value: times(value), low: times(low), high: times(high) };
}
