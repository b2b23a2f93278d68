import { attempt } from '../../base/errors.ts';
import { ascending, at } from '../../base/lists.ts';
import {
  findCrossovers,
  findFarthestNodes,
  smallestAdmissible,
  withinNodes,
} from '../../modeling/answers/dominance.ts';
import { findNeededValue, measuredDemand } from '../../modeling/answers/needed-bandwidth.ts';
import { projectAll } from '../../modeling/answers/project.ts';
import { usesBandwidth } from '../../modeling/forms/form.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createAbstention } from '../../modeling/judge/abstain.ts';
import { estimates } from '../../modeling/judge/ensemble.ts';
import { leaveLargestOut } from '../../modeling/judge/predict-unseen.ts';
import type { Demand, UnseenCell } from '../../modeling/model-records.ts';
import { type AnswerBasis, heldOutCount } from '../answers/basis.ts';
import { attemptAll, type NamedFit, type Task } from './fits.ts';
import type { PointRow } from './statistics.ts';

/** Increments (percent) for which the needed bandwidth is asked. */
const LEVELS = [5, 10, 20, 50];
const STEPS = 40;
/** Times the largest measured cluster: farther no bandwidth is asked. */
const FARTHEST = 4;

/** A model's line through the measured region; `x` is nodes where bw is held, and bw where nodes are. */
export type Curve = ReturnType<typeof computeCurves>[number];
export type ProjectionRow = ReturnType<typeof computeProjections>['made'][number][number];
export type DominanceRow = ReturnType<typeof computeDominance>[number];
export type DemandRow = Demand & { readonly source: 'measured' | 'fit' };
/** Predicted against a measured cell mean; `heldOut` lies on node counts that the model never saw. */
export type CheckRow = Omit<UnseenCell, 'rows'> & { readonly model: string; readonly set: 'training' | 'heldOut' };

/** Lines through the measured region: over nodes per bandwidth, and over bandwidth per node count. */
export function computeCurves(fits: readonly NamedFit[], points: readonly PointRow[]) {
  return fits.flatMap(({ row }) =>
    row.trainedOn.scales.flatMap((scale) => {
      const measured = { nodes: valuesOf(points, scale, 'nodes'), bw: valuesOf(points, scale, 'bw') };
      const along = (over: 'nodes' | 'bw', heldAt: readonly number[]) =>
        heldAt.map((held) => {
          const at = { scale, nodes: held, bw: held };
          const line = between(measured[over]).map((x) => ({ x, ct: predict(row, { ...at, [over]: x }) }));
          return { fit: row.id, scale, over, held, points: line };
        });
      return [
        ...(row.form.fixed.includes('nodes')
          ? []
          : along(
              'nodes',
              measured.bw.filter((bw) => row.usesBandwidth || bw === 100),
            )),
        ...(row.usesBandwidth ? along('bw', measured.nodes) : []),
      ];
    }),
  );
}

interface ProjectionTargets {
  readonly nodes: readonly number[];
  readonly bw: readonly number[];
  /** Edges per vertex; null where the workload has no edges, and so no GTEPS. */
  readonly edgeFactor: number | null;
}

/** Completion times with their 90 % intervals; GTEPS are null where the workload has no edges to count. */
export function computeProjections(fits: readonly NamedFit[], { nodes, bw, edgeFactor }: ProjectionTargets) {
  return attemptAll(extrapolating(fits), ({ row, ensemble }) => {
    const targets = { nodes, bw: row.usesBandwidth ? bw : row.trainedOn.bw, edgeFactor };
    return projectAll(ensemble, targets).map(({ ct: { value, low, high }, gteps, abstains, ...place }) => ({
      ...{ fit: row.id, ...place, ct: value, gteps: gteps?.value ?? null },
      ...{ interval: { low, high }, abstains },
    }));
  });
}

/** Where communication takes over (Table V), at a few bandwidths. */
export function computeDominance(
  fits: readonly NamedFit[],
  { bw, isAdmissible }: { readonly bw: readonly number[]; readonly isAdmissible: (nodes: number) => boolean },
) {
  const crossings = extrapolating(fits).map(({ row, ensemble }) =>
    attempt(() => {
      // Of a model of several scales the largest is shown, as everywhere in the report.
      const scale = row.scale ?? Math.max(...row.trainedOn.scales);
      const within = findFarthestNodes(row.trainedOn.nodes);
      const abstains = createAbstention(ensemble);
      const asked = { bw: row.usesBandwidth ? bw : row.trainedOn.bw, scale };
      return estimates(ensemble, (fit) => findCrossovers(fit, asked)).flatMap((crossing, index) => {
        const { value: nodes, low, high } = withinNodes(crossing, within);
        const where = { bw: at(asked.bw, index), nodes };
        // Where there is no prediction nothing else is said.
        if (nodes !== null && abstains({ nodes, scale, bw: where.bw }) !== null) return [];
        const admissibleNodes = nodes === null ? null : smallestAdmissible(nodes, isAdmissible);
        return [{ fit: row.id, scale, within, interval: { low, high }, ...where, admissibleNodes }];
      });
    }),
  );
  return crossings.flatMap((rows) => rows ?? []);
}

/** By the model in use, where it has a prediction, and as measured; the answers say the same number. */
export function computeDemandRows({ model, points, rows }: AnswerBasis): DemandRow[] {
  const predicted = model.ensemble === null ? [] : model.predictions.map(({ nodes }) => nodes);
  return ascending(points.map((point) => point.scale)).flatMap((scale) => {
    const nodes = valuesOf(points, scale, 'nodes');
    if (valuesOf(points, scale, 'bw').length < 2) return [];
    const most = Math.max(...nodes);
    const larger = predicted.filter((count) => count > most && count <= FARTHEST * most);
    const settings = (counts: readonly number[]) =>
      LEVELS.flatMap((ctiPercent) => counts.map((count) => ({ nodes: count, scale, ctiPercent })));
    const measured = settings(nodes).flatMap((setting) => attempt(() => measuredDemand(rows, setting)) ?? []);
    const { ensemble } = model;
    const isKnown = ensemble?.fit.trainedOn.scales.includes(scale) === true && usesBandwidth(ensemble.fit.form);
    const fitted = (isKnown ? settings([...nodes, ...larger]) : []).flatMap((setting): Demand[] => {
      const needed = findNeededValue(ensemble, rows, setting);
      return needed === null ? [] : [{ ...setting, bw: needed.bw, atMost: needed.atMost }];
    });
    const from = (source: DemandRow['source']) => (found: Demand) => ({ source, ...found });
    return [...measured.map(from('measured')), ...fitted.map(from('fit'))];
  });
}

/** Node counts that were added later, else the largest third, held out and predicted, with the training cells for comparison. */
export function computeCheck(
  tasks: readonly Task[],
  { rows, points, ranksPerNode, addedNodes, blind, traffic }: AnswerBasis,
) {
  const { made, reasons } = attemptAll(tasks, ({ model, at, errors = 'absolute' }) => {
    const own = points.filter((point) => at.scale === undefined || point.scale === at.scale);
    const counts = ascending(own.map((point) => point.nodes));
    const count = heldOutCount(counts, addedNodes);
    const tested =
      model === 'auto' && blind !== null
        ? blind
        : leaveLargestOut(model, rows, { ranksPerNode, at, count, errors, traffic, interval: {} });
    const { title } = tested.fit.form;
    // A choice among all forms that was made without the node counts that it is asked for.
    return { ...tested, model: model === 'auto' ? `auto: ${title}` : title };
  });
  const [first] = made;
  if (!first) return { check: null, reasons };
  const checkRows = made.flatMap(({ model, fit, cells }): CheckRow[] => [
    ...cells.map((cell): CheckRow => ({ ...cell, model, set: 'heldOut' })),
    ...points
      .filter(({ nodes, scale, bw }) => {
        const { trainedOn } = fit;
        return trainedOn.nodes.includes(nodes) && trainedOn.scales.includes(scale) && trainedOn.bw.includes(bw);
      })
      .map(({ nodes, scale, bw, meanCt: measured }): CheckRow => {
        const predicted = predict(fit, { nodes, scale, bw });
        const errorPercent = (predicted / measured - 1) * 100;
        const where = { model, nodes, scale, bw, set: 'training' as const };
        return { ...where, predicted, measured, errorPercent, interval: null, abstains: null };
      }),
  ]);
  return { check: { trainedOn: first.fit.trainedOn.nodes, rows: checkRows }, reasons };
}

/** Those that can be asked for other node counts. */
function extrapolating(fits: readonly NamedFit[]): readonly NamedFit[] {
  return fits.filter(({ row }) => !row.form.fixed.includes('nodes'));
}

function valuesOf(points: readonly PointRow[], scale: number, variable: 'nodes' | 'bw'): readonly number[] {
  return ascending(points.filter((point) => point.scale === scale).map((point) => point[variable]));
}

/** Even steps on a logarithmic scale between the ends. */
function between(values: readonly number[]): readonly number[] {
  const [low, high] = [values[0], values.at(-1)];
  if (low === undefined || high === undefined || low === high) return [];
  return Array.from({ length: STEPS + 1 }, (_, step) => low * (high / low) ** (step / STEPS));
}
