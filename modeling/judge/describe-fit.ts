import { last } from '../../base/lists.ts';
import { formatBytes, formatRate, formatSeconds, nodesText, sizeText } from '../../base/units.ts';
import { SERIAL } from '../forms/candidates.ts';
import { basisAt, formula, type Term } from '../forms/form.ts';
import { predict, termTime } from '../forms/predict.ts';
import type { Fit } from '../model-records.ts';
import type { Target } from '../rows.ts';

/** What a fitted model says of the largest cluster measured, in one sentence: its time, and the largest part of it. */
export function describeFit(fit: Fit): string {
  const { nodes: counts, scales, bw: bandwidths } = fit.trainedOn;
  const target = { nodes: last(counts), scale: last(scales), bw: last(bandwidths) };
  const ct = predict(fit, target);
  const [largest] = fit.form.terms
    .map((term) => ({ term, seconds: termTime(fit, term, target) }))
    .sort((a, b) => b.seconds - a.seconds);
  const where = `on ${nodesText(target.nodes)} at ${target.bw} % bandwidth${sizeText(target.scale)}`;
  // Of terms of either sign no share is a cost.
  const share =
    largest && ct > 0 && fit.form.signed !== true
      ? `, ${Math.min(100, Math.round((largest.seconds / ct) * 100))} % of it ${roleOf(fit, largest.term, target)}`
      : '';
  return `${fit.form.title}: ${formatSeconds(ct)} ${where}${share}${volumeOf(fit, target)}.`;
}

/** Its formula with the numbers that it was fitted with: what it predicts can be worked out by hand. */
export function formulaWithNumbers({ form, coefficients, alpha }: Fit): string {
  return formula(form, (name) => Number((name === 'alpha' ? alpha : coefficients[name])?.toPrecision(5)).toString());
}

/** By so much more than a link can carry, which bursts and counters do not explain. */
const TOO_MUCH = 1.1;

/** What a host sends there, and how quickly the full link carries it: never faster than it can. */
function volumeOf(fit: Fit, { nodes, scale }: { readonly nodes: number; readonly scale: number }): string {
  const { volume, terms } = fit.form;
  const term = terms.find(({ basis }) => basis.s !== undefined);
  if (volume === undefined || !term) return '';
  const [law] = volume.laws;
  if (law === undefined) return '';
  const D = 2 ** (scale - volume.baseScale);
  const sent = law.bytes * basisAt(law.basis, { n: nodes, x: nodes * fit.ranksPerNode, t: 1, D, s: 1, w: 1 });
  const seconds = termTime(fit, term, { nodes, scale, bw: 100 });
  if (!(seconds > 0)) return '';
  const sending = `, each host sending ${formatBytes(sent)} per timed run`;
  const { lineRateBps = Number.POSITIVE_INFINITY } = volume;
  const bw = Math.min(...fit.trainedOn.bw);
  const [needs, takes] = [(8 * sent) / ((lineRateBps * bw) / 100), predict(fit, { nodes, scale, bw })];
  if (needs > TOO_MUCH * takes) {
    return `${sending}. This takes ${formatSeconds(needs)} at ${bw} % bandwidth, but the printed time there is ${formatSeconds(takes)}. That time is of a part of the run: say of how many iterations it is the mean (of: in the workload's time)`;
  }
  const rate = (8 * sent) / seconds;
  return rate > lineRateBps ? sending : `${sending} at ${formatRate(rate)} on the full link`;
}

function roleOf(fit: Fit, term: Term, target: Target): string {
  const { basis, part } = term;
  if (term.name === SERIAL) return 'what one thread of each rank does alone';
  if (part === 'processing') return 'parallel work';
  const more = termTime(fit, term, { ...target, nodes: 2 * target.nodes }) / termTime(fit, term, target);
  if (more > 1 + 1e-9) return 'a cost that grows with the ranks';
  if (more > 1 - 1e-9 && basis.w === undefined && basis.s === undefined) return 'a constant cost';
  if (part === 'communication') return 'communication that shrinks more slowly than the work';
  return 'one cost that does not separate work from communication';
}
