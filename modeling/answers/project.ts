import { badInput } from '../../base/errors.ts';
import { nodesText } from '../../base/units.ts';
import { EDGE_FACTOR } from '../../experiments/workloads/graph500.ts';
import { predict, requireBandwidths, requireHeld, trainedOn } from '../forms/predict.ts';
import type { Fit, Projection } from '../model-records.ts';

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
