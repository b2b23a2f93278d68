import fc from 'fast-check';
import { fcnnlsVector } from 'ml-fcnnls';
import { expect, test } from 'vitest';
import { nnls } from '../../modeling/fit/nnls.ts';
import { times } from '../times.ts';

const element = fc.double({ min: -10, max: 10, noNaN: true }).map((value) => Math.round(value * 1e4) / 1e4);

/** Columns, y and weights of a random problem with more rows than columns. */
const problem = fc.integer({ min: 1, max: 6 }).chain((size) =>
  fc.integer({ min: size + 1, max: 20 }).chain((rows) =>
    fc.record({
      columns: fc.array(typed(element, rows), { minLength: size, maxLength: size }),
      y: typed(element, rows),
      weights: typed(fc.integer({ min: 1, max: 64 }), rows),
    }),
  ),
);
type LeastSquares = Parameters<typeof nnls>[0];

function typed(of: fc.Arbitrary<number>, length: number): fc.Arbitrary<Float64Array> {
  return fc.array(of, { minLength: length, maxLength: length }).map((values) => Float64Array.from(values));
}

test('the coefficients meet the KKT conditions', () => {
  fc.assert(
    fc.property(problem, ({ columns, y, weights }) => {
      const solution = nnls({ columns, y, weights });
      for (const [index, column] of columns.entries()) {
        const gradient = weightedDot(column, residual({ columns, y }, solution), weights);
        const size = Math.sqrt(weightedDot(column, column, weights) * weightedDot(y, y, weights));
        expect(solution[index]).toBeGreaterThanOrEqual(0);
        expect(gradient).toBeLessThanOrEqual(1e-8 * size + 1e-300);
        if ((solution[index] ?? 0) > 0) expect(Math.abs(gradient)).toBeLessThanOrEqual(1e-8 * size);
      }
    }),
    { numRuns: times(100) },
  );
});

test('scaling a column divides its coefficient, scaling y multiplies all', () => {
  const factor = fc.integer({ min: -60, max: 60 }).map((exponent) => 2 ** exponent);
  fc.assert(
    fc.property(problem, factor, factor, ({ columns, y, weights }, columnFactor, yFactor) => {
      const before = nnls({ columns, y, weights });
      const after = nnls({
        columns: columns.map((column, index) => (index === 0 ? column.map((value) => value * columnFactor) : column)),
        y: y.map((value) => value * yFactor),
        weights,
      });
      expect(before.length).toBe(columns.length);
      for (const [index, value] of before.entries()) {
        const expected = (value * yFactor) / (index === 0 ? columnFactor : 1);
        expect(Math.abs((after[index] ?? 0) - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
      }
    }),
  );
});

test('it agrees with ml-fcnnls on normalised columns', () => {
  fc.assert(
    fc.property(problem, ({ columns, y }) => {
      const unit = columns.map((column) => {
        const length = Math.hypot(...column);
        return column.map((value) => (length === 0 ? 0 : value / length));
      });
      fc.pre(independent(unit));
      const matrix = Array.from(y, (_, row) => unit.map((column) => column[row] ?? 0));
      const oracle = fcnnlsVector(matrix, [...y], { gradientTolerance: 1e-12, maxIterations: 1000 }).K.to1DArray();
      const solution = nnls({ columns: unit, y });
      const scale = Math.max(1, ...oracle.map(Math.abs));
      expect(oracle.length).toBe(columns.length);
      for (const [index, value] of oracle.entries()) {
        expect(Math.abs((solution[index] ?? 0) - value)).toBeLessThanOrEqual(1e-6 * scale);
      }
    }),
    { numRuns: times(100) },
  );
});

test('weights stand for repeated rows', () => {
  fc.assert(
    fc.property(problem, ({ columns, y, weights }) => {
      const repeat = (column: Float64Array): Float64Array =>
        Float64Array.from([...column].flatMap((value, row) => Array<number>(weights[row] ?? 0).fill(value)));
      const weighted = residual({ columns, y }, nnls({ columns, y, weights }));
      const repeated = residual({ columns, y }, nnls({ columns: columns.map(repeat), y: repeat(y) }));
      expect(weightedDot(weighted, weighted, weights)).toBeCloseTo(weightedDot(repeated, repeated, weights), 6);
    }),
  );
});

test('a column that only a negative coefficient could use gets 0', () => {
  const columns = [Float64Array.of(1, 1, 1), Float64Array.of(1, 2, 3)];
  expect([...nnls({ columns, y: Float64Array.of(3, 2, 1) })]).toEqual([expect.closeTo(2, 12), 0]);
});

test('equal columns, columns of zeros and y of zeros have finite solutions', () => {
  const column = Float64Array.of(1, 2, 3);
  const zeros = new Float64Array(3);
  const solution = nnls({ columns: [column, column, zeros], y: Float64Array.of(2, 4, 6) });
  expect((solution[0] ?? 0) + (solution[1] ?? 0)).toBeCloseTo(2, 12);
  expect(solution[2]).toBe(0);
  expect([...nnls({ columns: [column], y: zeros })]).toEqual([0]);
});

function residual({ columns, y }: LeastSquares, coefficients: Float64Array): Float64Array {
  return y.map((value, row) =>
    columns.reduce((rest, column, index) => rest - (column[row] ?? 0) * (coefficients[index] ?? 0), value),
  );
}

function weightedDot(a: Float64Array, b: Float64Array, weights: Float64Array): number {
  return a.reduce((sum, value, row) => sum + (weights[row] ?? 0) * value * (b[row] ?? 0), 0);
}

/** Gram-Schmidt: each unit column keeps a length of at least 0.05 beside those before it, so that all solvers agree. */
function independent(columns: readonly Float64Array[]): boolean {
  const basis: Float64Array[] = [];
  for (const column of columns) {
    let rest = column;
    for (const direction of basis) {
      const share = rest.reduce((sum, value, row) => sum + value * (direction[row] ?? 0), 0);
      rest = rest.map((value, row) => value - share * (direction[row] ?? 0));
    }
    const length = Math.hypot(...rest);
    if (length < 0.05) return false;
    basis.push(rest.map((value) => value / length));
  }
  return true;
}
