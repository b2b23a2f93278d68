import { formatBytes, formatRate, formatSeconds, last } from '../../base/index.ts';
import { turningPoint } from '../answers/turning-point.ts';
import { predict, termTime } from '../forms/predict.ts';
import type { Fit } from '../records.ts';

/** Nodes: beyond them a number says nothing more. */
export const LARGEST_CLUSTER = 1e6;

/** What a fitted model says, in one sentence: its largest part on the largest cluster measured, and whether time turns. */
export function meaning(fit: Fit): string {
  const { nodes: counts, scales, bw: bandwidths } = fit.trainedOn;
  const target = { nodes: last(counts), scale: last(scales), bw: last(bandwidths) };
  const ct = predict(fit, target);
  const [largest] = fit.form.terms
    .map((term) => ({ term, seconds: termTime(fit, term, target) }))
    .sort((a, b) => b.seconds - a.seconds);
  const where = `on ${target.nodes} nodes at ${target.bw} % bandwidth, scale ${target.scale}`;
  const share =
    largest && ct > 0
      ? ` ${Math.min(100, Math.round((largest.seconds / ct) * 100))} % of it ${roleOf(fit, largest.term.name)}`
      : '';
  const how = `${fit.form.title}: ${formatSeconds(ct)} ${where},${share}${volumeOf(fit, target)}`;
  if (fit.form.fixed.includes('nodes')) return `${how}.`;
  const turn = turningPoint(fit, target);
  if (turn === null || turn > LARGEST_CLUSTER) return `${how}; in this form time falls as far as any cluster goes.`;
  if (turn <= 1.01) return `${how}; more nodes never help.`;
  return `${how}; time is least at about ${turn < 10 ? turn.toFixed(1) : Math.round(turn)} nodes and rises beyond.`;
}

/** What a host sends there, and how quickly the full link carries it. */
function volumeOf(fit: Fit, { nodes, scale }: { readonly nodes: number; readonly scale: number }): string {
  const { volume, terms } = fit.form;
  const term = terms.find(({ basis }) => basis.s !== undefined);
  if (volume === undefined || !term) return '';
  const sent =
    volume.bytes * 2 ** (volume.size * (scale - volume.baseScale)) * (nodes * fit.ranksPerNode) ** volume.ranks;
  const seconds = termTime(fit, term, { nodes, scale, bw: 100 });
  if (!(seconds > 0)) return '';
  return `, each host sending ${formatBytes(sent)} per search at ${formatRate((8 * sent) / seconds)} on the full link`;
}

function roleOf({ form }: Fit, name: string): string {
  const term = form.terms.find((one) => one.name === name);
  if (!term) return 'in no part';
  const { basis, part } = term;
  const [power, grows] = [basis.x ?? 0, (basis.x ?? 0) + (basis.others ?? 0) > 0 || (basis.lnX ?? 0) > 0];
  if (part === 'processing') return 'work that the ranks share';
  if (grows) return 'a cost that grows with the ranks';
  if (power === 0 && basis.others === undefined && basis.w === undefined && basis.s === undefined)
    return 'a constant cost';
  if (part === 'communication') return 'communication that shrinks more slowly than the work';
  return 'one cost in which the form does not tell work from communication';
}
