// Timings of the modeling room; of fits of all forms: the bench fits. Run from the repository's root, where the fixtures are.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseRowsCsv } from '../../modeling/exchange/csv.ts';
import { readRowsFile } from '../../modeling/exchange/formats.ts';
import { fitModel, solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { bootstrap, estimates } from '../../modeling/judge/ensemble.ts';
import { leaveLargestOut } from '../../modeling/judge/predict-unseen.ts';
import { validate } from '../../modeling/judge/validate.ts';
import { pickRows } from '../../modeling/rows.ts';

const path = join('test', 'fixtures', 'modeling', 'eq7_s26-28.csv');
const rows = await readRowsFile(path);
const many = pickRows(
  rows,
  Uint32Array.from({ length: 500_000 }, (_, index) => (index * 7919) % rows.length),
);
const text = [
  'scale,n,bw,rep,ct',
  ...Array.from(many.ct, (ct, i) => `${many.scale[i]},${many.nodes[i]},${many.bw[i]},${i},${ct}`),
];
const csv = text.join('\n');
const ranks = { ranksPerNode: 18 };

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`);
measure('fit eq7 with alpha, 16,128 rows (limit 10 ms)', 50, () => fitModel('eq7', rows, ranks));
measure('fit eq7 with alpha, 500,000 shuffled rows', 5, () => fitModel('eq7', many, ranks));
measure('1,000 bootstrap replicates of eq7, 6 projections (limit 1,000 ms)', 5, () => {
  const ensemble = bootstrap(solveModel('eq7', rows, ranks), { replicates: 1000 });
  const targets = [64, 100, 256].flatMap((nodes) => [10, 100].map((bw) => ({ nodes, bw, scale: 28 })));
  return estimates(ensemble, (one) => targets.map((target) => predict(one, target)));
});
measure('parse CSV and fit eq7, 500,000 rows (limit 2,000 ms)', 5, () =>
  fitModel('eq7', parseRowsCsv(csv, 'memory'), ranks),
);
measure('validate eq7, 5 folds, 16,128 rows', 10, () => validate('eq7', rows, ranks));
measure('leaveLargestOut eq7, 16,128 rows', 10, () => leaveLargestOut('eq7', rows, ranks));

/** Prints median and largest time of `runs` runs after as many to warm up. */
function measure(name: string, runs: number, run: () => unknown): void {
  const times: number[] = [];
  for (let turn = 0; turn < 2 * runs; turn += 1) {
    const start = performance.now();
    run();
    if (turn >= runs) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const [middle, last] = [times[Math.floor(times.length / 2)] ?? 0, times.at(-1) ?? 0];
  console.log(`${name.padEnd(66)} median ${middle.toFixed(2)} ms, largest ${last.toFixed(2)} ms`);
}
