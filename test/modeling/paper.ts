import { models, type PaperModelName } from '../../modeling/forms/models.ts';
import type { Fit } from '../../modeling/model-records.ts';

const common = { errors: 'absolute', r2: 0.96, mse: 0.02, rows: 5376, ranksPerNode: 18, baseScale: 25 } as const;
const nodes = [4, 9, 16, 25];
const throttled = [10, 20, 30, 40, 50];

// Table II, scales 26 to 29: D, C1, C2.
const TABLE_II = [
  [2, 30.4, 0.98],
  [4, 68.66, 1.92],
  [8, 138.59, 4.004],
  [16, 326.12, 9.598],
] as const;
const sumOfSquares = TABLE_II.reduce((sum, [D]) => sum + D * D, 0);

/** The paper's printed fits: Tables II and III at scale 28, Table IV at 26-29. */
export const printed: Readonly<Record<PaperModelName, Fit>> = {
  eq2: {
    ...common,
    model: 'eq2',
    form: models.eq2,
    coefficients: { C1: 138.59, C2: 4.004 },
    alpha: null,
    trainedOn: { nodes, scales: [28], bw: [100] },
  },
  eq3: {
    ...common,
    model: 'eq3',
    form: models.eq3,
    // Least squares over a balanced design: C = sum(D * C_s) / sum(D²).
    coefficients: {
      C1: TABLE_II.reduce((sum, [D, c1]) => sum + D * c1, 0) / sumOfSquares,
      C2: TABLE_II.reduce((sum, [D, , c2]) => sum + D * c2, 0) / sumOfSquares,
    },
    alpha: null,
    trainedOn: { nodes, scales: [26, 27, 28, 29], bw: [100] },
  },
  eq5: {
    ...common,
    model: 'eq5',
    form: models.eq5,
    coefficients: { C: 1.02 },
    alpha: 1.07,
    trainedOn: { nodes: [25], scales: [29], bw: throttled },
  },
  eq6: {
    ...common,
    model: 'eq6',
    form: models.eq6,
    coefficients: { C1: 118.026, C2: 5.968 },
    alpha: 1.11,
    trainedOn: { nodes, scales: [28], bw: throttled },
  },
  eq7: {
    ...common,
    model: 'eq7',
    form: models.eq7,
    coefficients: { C1: 15.25, C2: 0.985 },
    alpha: 1.08,
    trainedOn: { nodes, scales: [26, 27, 28, 29], bw: throttled },
  },
};
