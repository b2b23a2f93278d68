// Whether 90 % intervals hold the truth nine times in ten: the paper's tables are redrawn with repetitions around them, and
// with whole cells off the curve, then fitted and bootstrapped. CALIBRATION_DRAWS sets the number of redraws.

import { findCrossovers } from '../../modeling/answers/dominance.ts';
import { solveModel } from '../../modeling/fit/fit.ts';
import { fitFromCoefficients } from '../../modeling/forms/from-coefficients.ts';
import type { ModelName } from '../../modeling/forms/models.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { bootstrap, estimates } from '../../modeling/judge/ensemble.ts';
import type { Fit } from '../../modeling/model-records.ts';
import { type MeasuredRow, rowsFrom } from '../../modeling/rows.ts';

const DRAWS = Number(process.env.CALIBRATION_DRAWS ?? 400);
const REPLICATES = 400;
const NODES = [4, 9, 16, 25];
const THROTTLED = Array.from({ length: 21 }, (_, index) => 10 + 2 * index);

interface Set {
  readonly model: ModelName;
  /** Tables II, III and IV. */
  readonly coefficients: string;
  readonly scales: readonly number[];
  readonly bw: readonly number[];
  /** Relative standard deviation of a repetition, as in the data made from the tables. */
  readonly noise: number;
}

const SETS: readonly Set[] = [
  { model: 'eq2', coefficients: 'C1=138.59,C2=4.004', scales: [28], bw: [100], noise: 0.128 },
  { model: 'eq3', coefficients: 'C1=19.65,C2=0.82', scales: [26, 27, 28, 29, 30], bw: [100], noise: 0.18 },
  { model: 'eq6', coefficients: 'C1=118.026,C2=5.968,alpha=1.11', scales: [28], bw: THROTTLED, noise: 0.09 },
  { model: 'eq7', coefficients: 'C1=16.77,C2=0.561,alpha=1.14', scales: [26, 27, 28], bw: THROTTLED, noise: 0.11 },
];

console.log(`share of ${DRAWS} redraws whose 90 % interval holds the truth, 64 repetitions per cell, percent`);
for (const between of [0, 0.05]) {
  console.log(
    between === 0 ? 'all cells on the curve:' : `whole cells off the curve by ${between * 100} % (standard deviation):`,
  );
  for (const set of SETS) console.log(`  ${set.model}  ${line(set, between)}`);
}

function line(set: Set, between: number): string {
  const truth = fitFromCoefficients(set.model, set.coefficients, {
    ranksPerNode: 18,
    baseScale: 25,
    trainedOn: { nodes: NODES, scales: [...set.scales], bw: [...set.bw] },
  });
  const scale = set.scales.at(-1) ?? 28;
  const targets = [64, 100, 256].flatMap((nodes) =>
    (set.bw.length > 1 ? [10, 100] : [100]).map((bw) => ({ nodes, bw, scale })),
  );
  const numbers = (fit: Fit): (number | null)[] => [
    ...targets.map((target) => predict(fit, target)),
    findCrossovers(fit, { bw: [100], scale })[0] ?? null,
  ];
  const wanted = numbers(truth);
  const hits = wanted.map(() => 0);
  for (let draw = 1; draw <= DRAWS; draw += 1) {
    const solved = solveModel(set.model, rowsFrom(redraw(truth, set, { between, seed: draw })), {
      ranksPerNode: 18,
      baseScale: 25,
    });
    const found = estimates(bootstrap(solved, { replicates: REPLICATES, seed: draw }), numbers);
    for (const [index, { low, high }] of found.entries()) {
      const value = wanted[index] ?? Number.NaN;
      if (value >= (low ?? Number.POSITIVE_INFINITY) && value <= (high ?? Number.POSITIVE_INFINITY)) {
        hits[index] = (hits[index] ?? 0) + 1;
      }
    }
  }
  const labels = [...targets.map(({ nodes, bw }) => `${nodes} nodes ${bw} %`), 'crossing'];
  return labels.map((label, index) => `${label}: ${(((hits[index] ?? 0) / DRAWS) * 100).toFixed(1)}`).join('  ');
}

function redraw(
  truth: Fit,
  { scales, bw, noise }: Set,
  { between, seed }: { between: number; seed: number },
): MeasuredRow[] {
  const random = createRandom(seed);
  const sigma = Math.sqrt(Math.log(1 + noise ** 2));
  return scales.flatMap((scale) =>
    NODES.flatMap((nodes) =>
      bw.flatMap((level) => {
        const cell = predict(truth, { nodes, bw: level, scale }) * Math.exp(between * random.normal());
        return Array.from({ length: 64 }, () => ({
          scale,
          nodes,
          bw: level,
          ct: cell * Math.exp(sigma * random.normal() - sigma ** 2 / 2),
        }));
      }),
    ),
  );
}
