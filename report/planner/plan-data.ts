import { ascending, last } from '../../base/lists.ts';
import { quote } from '../../base/shell.ts';
import { highestBandwidth, usesBandwidth } from '../../modeling/forms/form.ts';
import type { Ensemble } from '../../modeling/judge/ensemble.ts';
import { type PackedEnsemble, packEnsemble } from '../../modeling/judge/pack-ensemble.ts';
import type { AnswerBasis } from '../answers/basis.ts';

/** What the page's planner is asked within, and what it answers from. */
export interface PlanData {
  /** Node counts on which the program runs, the smallest measured one first. */
  readonly nodes: readonly number[];
  /** Percent of the line rate, the least and the most; null where the model knows one bandwidth. */
  readonly bandwidths: readonly [least: number, most: number] | null;
  readonly scales: readonly number[];
  /** What it shows before anybody asks. */
  readonly start: {
    readonly nodes: number;
    readonly bw: number;
    readonly scale: number;
    readonly price: number | null;
  };
  readonly lineRateBps: number;
  readonly edgeFactor: number | null;
  readonly noun: string;
  /** Means of what was measured, in seconds. */
  readonly points: readonly {
    readonly nodes: number;
    readonly bw: number;
    readonly scale: number;
    readonly ct: number;
  }[];
  /** The command that says the same, without its settings. */
  readonly command: string;
  readonly ensemble: PackedEnsemble;
}

/** Of the smallest measured bandwidth: below it no program was seen. */
const LEAST_SHARE = 0.5;
/** Percent: for links faster than the measured one. */
const MOST_BANDWIDTH = 400;
/** Doublings of the largest measured problem. */
const SCALES_BEYOND = 3;

/** Null where no model is believed for other node counts. */
export function planOf(basis: AnswerBasis): PlanData | null {
  const { model, setting, targets, isAdmissible, points, planned, dir, program } = basis;
  if (model.ensemble === null || setting === null) return null;
  const { ensemble } = model;
  const { form, trainedOn } = ensemble.fit;
  const [least = 1, most] = [trainedOn.nodes[0], last(targets)];
  const between = Array.from({ length: most - least + 1 }, (_, index) => least + index).filter(isAdmissible);
  const nodes = ascending([...trainedOn.nodes, ...between]);
  const bandwidths = bandwidthsOf(ensemble);
  const scales = form.fixed.includes('scale') ? trainedOn.scales : withLarger(trainedOn.scales);
  const [lowest, highest] = bandwidths ?? [Math.min(...trainedOn.bw), Math.max(...trainedOn.bw)];
  const command = ['predict', 'model', quote(dir ?? 'DIR'), ...(program === null ? [] : ['--program', quote(program)])];
  return {
    ...{ nodes, bandwidths, scales },
    start: {
      nodes: nodes.find((count) => count > setting.nodes) ?? setting.nodes,
      ...{ bw: setting.bw, scale: setting.scale },
      price: planned.inventory.costPerNodeHour ?? null,
    },
    ...{ lineRateBps: planned.inventory.lineRateBps, edgeFactor: basis.edgeFactor, noun: basis.noun },
    points: points.map(({ meanCt: ct, ...at }) => ({ nodes: at.nodes, bw: at.bw, scale: at.scale, ct })),
    command: command.join(' '),
    ensemble: packEnsemble(ensemble, [
      { nodes: least, bw: lowest, scale: Math.min(...scales) },
      { nodes: most, bw: highest, scale: Math.max(...scales) },
    ]),
  };
}

function bandwidthsOf({ fit }: Ensemble): PlanData['bandwidths'] {
  if (!usesBandwidth(fit.form) || fit.form.fixed.includes('bw')) return null;
  const least = Math.max(1, Math.floor(LEAST_SHARE * Math.min(...fit.trainedOn.bw)));
  return [least, Math.min(MOST_BANDWIDTH, highestBandwidth(fit.form))];
}

/** Of a program without sizes, or with one, there is nothing else to ask. */
function withLarger(scales: readonly number[]): readonly number[] {
  if (scales.length < 2) return scales;
  const [least, most] = [Math.min(...scales), Math.max(...scales) + SCALES_BEYOND];
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}
