import { median } from 'simple-statistics';
import { at, last } from '../../base/lists.ts';
import { capital } from '../../base/text.ts';
import { formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import { predict } from '../forms/predict.ts';
import type { Estimate, Extrapolation } from '../model-records.ts';
import { distinct, indicesAt, settingAt, type Target } from '../rows.ts';
import { type Ensemble, estimate, estimates } from './ensemble.ts';

/** An interval whose ends differ by more than this factor is no answer. */
const WIDEST = 4;
/** Share by which a fit may miss the largest cluster that it was fitted to. */
const LARGEST_MISS = 0.25;
/** Time that falls faster than the ranks grow: by this much in the exponent, and by this many standard errors. */
const SUPERLINEAR = 0.05;
const SURE = 2;
/** Relative scatter of a cell that nothing is known of. */
const SCATTER = 0.02;

/** A blind test of which less lies inside the 90 % prediction intervals (percent) takes a model's word away. */
const BELIEVED = 50;

/** Why predictions for more nodes are not believed, by times that were predicted without them; null where nothing speaks against it. */
export function describeDoubt(blind: Pick<Extrapolation, 'insidePercent'> | null): string | null {
  const inside = blind?.insidePercent ?? null;
  if (inside === null || inside >= BELIEVED) return null;
  const share = inside === 0 ? 'none' : `only ${Math.round(inside)} %`;
  return `${share} of the times predicted blind lay inside their 90 % prediction intervals`;
}

/**
 * Why an ensemble's completion time (s; its own estimate by default) at a target is no answer, and what to measure next, in one
 * sentence; null where it is one. The estimate stays as it is: programs may look at it.
 */
export function createAbstention(ensemble: Ensemble): Abstention {
  const known = made.get(ensemble) ?? abstentionOf(ensemble);
  made.set(ensemble, known);
  return known;
}

type Abstention = (target: Target, ct?: Estimate) => string | null;

/** Ensembles are never changed, and everybody who predicts asks. */
const made = new WeakMap<Ensemble, Abstention>();

function abstentionOf(ensemble: Ensemble): Abstention {
  const anywhere = missesItsRows(ensemble);
  const beyond = superlinear(ensemble);
  const pair = transfersOfAPair(ensemble);
  const largest = last(ensemble.fit.trainedOn.nodes);
  const doubt = ensemble.doubt && capital(ensemble.doubt);
  return (target, ct = estimate(ensemble, (fit) => predict(fit, target))) => {
    const why = anywhere ?? (target.nodes > largest ? (doubt ?? beyond ?? pair) : null) ?? tooWide(ct);
    return why === null ? null : `${why}: ${nextMeasurement(ensemble, target)}.`;
  };
}

function missesItsRows(ensemble: Ensemble): string | null {
  const { fit, cells } = ensemble;
  const title = ensemble.mixed ? 'The mixture of all models' : `${fit.form.title},`;
  if (fit.r2 < 0) return `${title} fits its rows worse than their mean`;
  const nodes = last(fit.trainedOn.nodes);
  const places = indicesAt(cells, { nodes });
  const told = estimates(ensemble, (one) => places.map((cell) => predict(one, settingAt(cells, cell))));
  const misses = told.map(({ value }, index) => Math.abs((value ?? 0) / at(cells.mean, at(places, index)) - 1));
  const miss = median(misses);
  if (miss <= LARGEST_MISS) return null;
  return `${title} misses its own largest cluster of ${nodesText(nodes)} by ${Math.round(miss * 100)} %`;
}

/** Two nodes have one partner each: the step from them to a second node count does not show how transfers spread over more. */
function transfersOfAPair({ fit, replicas }: Ensemble): string | null {
  const { nodes, bw } = fit.trainedOn;
  const counted = replicas.filter(({ form }) => form.volume !== undefined).length;
  const [first, second, third] = nodes;
  if (first === undefined || first > 2 || second === undefined || third !== undefined) return null;
  if (bw.length < 2 || 2 * counted > replicas.length) return null;
  return `On ${first === 1 ? 'one node nothing passes a link' : 'two nodes each has one partner'}, and so ${first} and ${second} nodes do not show how communication grows`;
}

/** Of the first two node counts: no form says what ranks that help each other (caches) will do on more nodes. */
function superlinear({ fit, mixed, cells, repetition }: Ensemble): string | null {
  const [first, second] = distinct(cells, 'nodes');
  if (first === undefined || second === undefined) return null;
  const slopes = indicesAt(cells, { nodes: first }).flatMap((cell) => {
    const other = indicesAt(cells, { ...settingAt(cells, cell), nodes: second })[0];
    if (other === undefined) return [];
    const slope = Math.log(at(cells.mean, other) / at(cells.mean, cell)) / Math.log(second / first);
    const each =
      repetition === null ? SCATTER : repetition / Math.sqrt(Math.min(at(cells.count, cell), at(cells.count, other)));
    return [{ slope, error: (Math.SQRT2 * Math.max(each, SCATTER)) / Math.log(second / first) }];
  });
  if (slopes.length === 0) return null;
  const slope = slopes.reduce((sum, one) => sum + one.slope / slopes.length, 0);
  const error = slopes.reduce((sum, one) => sum + one.error / slopes.length, 0) / Math.sqrt(slopes.length);
  if (slope > -1 - Math.max(SUPERLINEAR, SURE * error)) return null;
  const gain = ((second / first) ** -slope).toFixed(1);
  const none = mixed ? 'no model can' : `${fit.form.title.split(',')[0]} cannot`;
  return `From ${first} to ${second} nodes time falls ${gain} times, faster than the node count grows, which ${none} extrapolate`;
}

function tooWide({ low, high }: Estimate): string | null {
  if (low !== null && high !== null && high <= WIDEST * low) return null;
  return low === null || high === null
    ? 'The interval is unbounded'
    : `The interval spans a factor of ${(high / low).toPrecision(2)}`;
}

/** A node count on the way to the target, or the target's own setting where it lies among the rows. */
function nextMeasurement({ fit }: Ensemble, target: Target): string {
  const largest = last(fit.trainedOn.nodes);
  const nodes = target.nodes > 2 * largest ? Math.round(Math.sqrt(target.nodes * largest)) : Math.round(target.nodes);
  const seconds = predict(fit, { ...target, nodes });
  const cost =
    seconds > 0 && Number.isFinite(seconds) ? ` (some ${formatSeconds(seconds * nodes)} of one node for each run)` : '';
  const others = fit.trainedOn.nodes.length < 3 && nodes === largest ? ' and a third node count' : '';
  return `measure about ${nodesText(nodes)}${others} at ${target.bw} % bandwidth${sizeText(target.scale)}, next${cost}`;
}
