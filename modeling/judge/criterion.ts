import { at } from '../../base/lists.ts';
import type { Solved } from '../fit/fit.ts';
import { noiseOf } from './noise.ts';

/**
 * Schwarz's criterion, with the noise taken as known: squared errors over the variance of their cell mean, plus unknowns
 * times ln(evidence). The scatter of whole cells is that of the form that leaves the least; where there is any, the
 * pieces of evidence are cells, else rows.
 */
export function createCriterion(solved: readonly Solved[]): (one: Solved) => number {
  const noises = solved.map(noiseOf);
  const most = Math.max(...noises.map(({ freedom }) => freedom));
  const reliable = noises.filter(({ freedom }) => freedom > 0 && freedom >= most / 2);
  const between = Math.min(...reliable.map((noise) => noise.between), Number.POSITIVE_INFINITY);
  const scatter = Number.isFinite(between) ? between : 0;
  return (one) => {
    const { cells, design, u, coefficients, fit } = one;
    const { within } = noiseOf(one);
    const predicted = design.predict(u, coefficients);
    let squares = 0;
    for (let cell = 0; cell < cells.length; cell += 1) {
      const mean = at(cells.mean, cell);
      const variance = at(within, cell) + (Math.max(scatter, 1e-9) * mean) ** 2;
      squares += (mean - at(predicted, cell)) ** 2 / variance;
    }
    const unknowns = fit.form.terms.length + (fit.alpha === null ? 0 : 1) + (fit.form.searched ?? 0);
    return squares + unknowns * Math.log(scatter > 0 ? cells.length : fit.rows);
  };
}
