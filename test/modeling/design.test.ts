import { expect, test } from 'vitest';
import { collapse } from '../../modeling/fit/collapse.ts';
import { createDesign } from '../../modeling/fit/design.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { models } from '../../modeling/forms/models.ts';
import { grid } from './fixtures.ts';

const rows = grid({ scale: [20], nodes: [1, 4, 9, 16, 25], bw: [10, 25, 50, 100] }, ({ nodes, bw }) => {
  const [work, transfer] = [4 / nodes, (0.3 * 1.1 ** (100 / bw)) / Math.sqrt(nodes)];
  return Math.max(work, transfer) + 0.2 * Math.min(work, transfer) + 0.01 * Math.sqrt(nodes);
});

test.each(['eq6', 'volume', 'overlap'] as const)(
  '%s changes with each of its unknowns as its gradient says',
  (name) => {
    const { fit, u, coefficients } = solveModel(name, rows, { ranksPerNode: 1 });
    const design = createDesign(models[name], collapse(rows), { ...fit, errors: 'absolute' });
    const gradient = design.gradient(u, coefficients);
    const at = (moved: number, by: number): Float64Array => {
      const unknowns = Float64Array.from([...coefficients, u], (value, index) => value + (index === moved ? by : 0));
      return design.predict(unknowns.at(-1) ?? 0, unknowns.slice(0, -1));
    };
    expect(gradient.length).toBeGreaterThanOrEqual(coefficients.length);
    for (const [index, column] of gradient.entries()) {
      const [up, down] = [at(index, 1e-6), at(index, -1e-6)];
      for (const [cell, change] of column.entries()) {
        expect(change).toBeCloseTo(((up[cell] ?? Number.NaN) - (down[cell] ?? Number.NaN)) / 2e-6, 4);
      }
    }
  },
);
