import { badInput } from '../../base/errors.ts';
import { at } from '../../base/lists.ts';
import { nodesText } from '../../base/units.ts';
import { EDGE_FACTOR } from '../../experiments/workloads/graph500.ts';
import { predict, requireBandwidths, requireHeld, trainedOn } from '../forms/predict.ts';
import { createAbstention } from '../judge/abstain.ts';
import { type Ensemble, estimates } from '../judge/ensemble.ts';
import type { Estimate, Fit, Projection } from '../model-records.ts';
import type { Target } from '../rows.ts';

interface Targets {
  readonly nodes: readonly number[];
  /** Percent. Default: 100, or what the model was held at. */
  readonly bw?: readonly number[];
  /** Default: the scales of the fit. */
  readonly scales?: readonly number[];
  /** Edges per vertex, null where there are none to count. Default: Graph500's. */
  readonly edgeFactor?: number | null | undefined;
}

/**
 * Completion times (s) and GTEPS = edgeFactor * 2^scale / CT / 1e9 at every combination, scale by scale, then bandwidth,
 * then nodes. What the model holds fixed may not differ from what the fit was trained on.
 */
export function project(fit: Fit, targets: Targets): Projection[] {
  const bwHeld = fit.form.fixed.includes('bw');
  const {
    nodes: nodeCounts,
    bw: bandwidths = bwHeld ? trainedOn(fit, 'bw') : [100],
    scales = trainedOn(fit, 'scale'),
    edgeFactor = EDGE_FACTOR,
  } = targets;
  requireTargets(fit, { nodes: nodeCounts, bw: bandwidths, scales });
  return scales.flatMap((scale) =>
    bandwidths.flatMap((bw) =>
      nodeCounts.map((nodes) => {
        const ct = predict(fit, { nodes, bw, scale });
        if (!(ct > 0 && Number.isFinite(ct))) {
          throw badInput(
            `The fit of ${fit.form.title}, gives ${ct} s at ${nodesText(nodes)}, bandwidth ${bw} %, scale ${scale}: ` +
              'no throughput can be computed. Check its coefficients, or ask for a target closer to the rows.',
          );
        }
        return { nodes, bw, scale, ct, gteps: edgeFactor === null ? null : (edgeFactor * 2 ** scale) / ct / 1e9 };
      }),
    ),
  );
}

/** Completion time (s) and GTEPS at a target, with their intervals. */
interface ProjectedEstimate extends Target {
  /** Its value is the fit's own where the draws have none. */
  readonly ct: Estimate & { readonly value: number };
  /** Null for programs without graphs. */
  readonly gteps: Estimate | null;
  /** Why these numbers are no answer, and what to measure; null where they are one. */
  readonly abstains: string | null;
}

/** The same by all that may be true. */
export function projectAll(ensemble: Ensemble, targets: Targets): ProjectedEstimate[] {
  const { edgeFactor = EDGE_FACTOR } = targets;
  const projections = project(ensemble.fit, targets);
  const times = estimates(ensemble, (fit) => projections.map((target) => predict(fit, target)));
  const abstains = createAbstention(ensemble);
  return projections.map(({ ct: own, nodes, bw, scale }, index) => {
    const time = at(times, index);
    return {
      ...{ nodes, bw, scale },
      ct: { ...time, value: time.value ?? own },
      gteps: edgeFactor === null ? null : computeGteps(time, edgeFactor * 2 ** scale),
      abstains: abstains({ nodes, bw, scale }, time),
    };
  });
}

/** Of a time (s) for so many edges; the interval's ends change places. A null time is unknown, and so is its rate. */
export function computeGteps({ value, low, high }: Estimate, edges: number): Estimate {
  const rate = (seconds: number | null): number | null => (seconds === null ? null : edges / seconds / 1e9);
  return { value: rate(value), low: rate(high), high: rate(low) };
}

function requireTargets(
  fit: Fit,
  { nodes, bw, scales }: { nodes: readonly number[]; bw: readonly number[]; scales: readonly number[] },
): void {
  const wrongNodes = nodes.find((count) => !(count > 0 && Number.isFinite(count)));
  if (wrongNodes !== undefined) throw badInput(`A target has ${wrongNodes} nodes: give node counts above 0.`);
  requireBandwidths(fit, bw);
  requireHeld(fit, 'nodes', nodes);
  requireHeld(fit, 'bw', bw);
  requireHeld(fit, 'scale', scales);
}
