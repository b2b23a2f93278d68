import { median } from 'simple-statistics';
import { ascending } from '../../base/lists.ts';
import type { Choice } from '../judge/compare-candidates.ts';
import type { BootstrapOptions } from '../judge/ensemble.ts';
import { extrapolate, insidePercent, predictUnseen } from '../judge/predict-unseen.ts';
import type { Extrapolation } from '../model-records.ts';
import type { Measurements } from './measurements.ts';

/** One form, or `auto` for all of them, fitted to the training rows and asked for those that were kept out. */
export interface UnseenAnswer extends Omit<Extrapolation, 'fit'> {
  readonly name: string;
  readonly perBandwidth: readonly {
    readonly bw: number;
    readonly medianErrorPercent: number;
    readonly insidePercent: number;
  }[];
}

/** The mixture and every form of a comparison asked for the cells that were kept out, the nearest first; none where none were. */
export function askForUnseen(
  { comparison: { candidates, fit, errors }, solved }: Choice,
  { rows, unseen, ranksPerNode }: Measurements,
  interval: BootstrapOptions,
): UnseenAnswer[] {
  if (unseen.length === 0) return [];
  const options = { ranksPerNode, baseScale: fit.baseScale, errors, interval };
  const answers = [
    { name: 'auto', ...extrapolate(solved, unseen, interval) },
    ...candidates
      .map(({ name, form }) => ({ name, form, ...predictUnseen(form, { training: rows, unseen }, options) }))
      // Coefficients of either sign may lead to a time of 0 and below: no answer.
      .filter(({ form, cells }) => form.signed !== true || cells.every(({ predicted }) => predicted > 0)),
  ];
  return answers
    .map(
      ({ name, heldOutNodes, cells, medianErrorPercent, maxErrorPercent, insidePercent: inside }): UnseenAnswer => ({
        ...{ name, heldOutNodes, cells, medianErrorPercent, maxErrorPercent, insidePercent: inside },
        perBandwidth: perBandwidth(cells),
      }),
    )
    .sort((a, b) => a.medianErrorPercent - b.medianErrorPercent);
}

function perBandwidth(cells: Extrapolation['cells']): UnseenAnswer['perBandwidth'] {
  const levels = ascending(cells.map(({ bw }) => bw)).reverse();
  return levels.map((bw) => {
    const own = cells.filter((cell) => cell.bw === bw);
    return {
      bw,
      medianErrorPercent: median(own.map(({ errorPercent }) => Math.abs(errorPercent))),
      insidePercent: insidePercent(own) ?? 0,
    };
  });
}
