import { median } from 'simple-statistics';
import { ascending } from '../../base/index.ts';
import type { BootstrapOptions } from '../judge/ensemble.ts';
import { insidePercent, predictUnseen } from '../judge/predict-unseen.ts';
import type { Comparison, Extrapolation } from '../records.ts';
import type { Measurements } from './measurements.ts';

/** One form, fitted to the training rows and asked for those that were kept out. */
export interface UnseenAnswer extends Omit<Extrapolation, 'fit'> {
  readonly name: string;
  readonly perBandwidth: readonly {
    readonly bw: number;
    readonly medianErrorPercent: number;
    readonly insidePercent: number;
  }[];
}

/** Every form of a comparison asked for the cells that were kept out, the nearest first; none where none were. */
export function askForUnseen(
  { candidates, fit, errors }: Comparison,
  { rows, unseen, ranksPerNode }: Measurements,
  interval: BootstrapOptions,
): UnseenAnswer[] {
  if (unseen.length === 0) return [];
  return candidates
    .map(({ name, form }): UnseenAnswer => {
      const options = { ranksPerNode, baseScale: fit.baseScale, errors, interval };
      const { fit: _, ...result } = predictUnseen(form, { training: rows, unseen }, options);
      return { name, ...result, perBandwidth: perBandwidth(result.cells) };
    })
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
