// npm run bench -- fits: what a fit of 16, 1,000 and 1,000,000 rows takes and how much memory it needs, warm and in a new process.
import { spawnSync } from 'node:child_process';
import { solveModel } from '../../modeling/fit/fit.ts';
import { predict } from '../../modeling/forms/predict.ts';
import { chooseAmong } from '../../modeling/judge/compare-candidates.ts';
import { createRandom } from '../../modeling/judge/distributions.ts';
import { bootstrap, estimates } from '../../modeling/judge/ensemble.ts';
import { emptyRows, type Rows } from '../../modeling/rows.ts';

const RANKS = { ranksPerNode: 4 };
const NODES = [2, 4, 8, 16];
const BANDWIDTHS = [10, 25, 50, 100];
const TARGETS = [32, 64, 128].map((nodes) => ({ nodes, bw: 100, scale: 20 }));
const COUNTS = [16, 1000, 1_000_000];

/** One form by itself, and what `predict model` does: all forms as a mixture, with intervals. */
const FITS: Readonly<Record<string, (rows: Rows) => unknown>> = {
  'volume form alone': (rows) => solveModel('volume', rows, RANKS),
  'all forms, intervals': (rows) => {
    const ensemble = bootstrap(chooseAmong(rows, RANKS).solved);
    return estimates(ensemble, (fit) => TARGETS.map((target) => predict(fit, target)));
  },
};

const [command, name = '', count = ''] = process.argv.slice(process.argv.indexOf('fits')).slice(1);
if (command === 'once') reportOnce(name, Number(count));
else printAll();

function printAll(): void {
  console.log(`${'fit'.padEnd(22)}      rows    warm ms   first ms    process ms   peak MB`);
  for (const fit of Object.keys(FITS)) for (const rows of COUNTS) printOne(fit, rows);
}

function printOne(fit: string, count: number): void {
  const run = FITS[fit];
  // Of other rows each time: the last ones are known.
  const times = Array.from({ length: 12 }, (_, seed) => {
    const rows = makeRows(count, seed);
    return timeOf(() => run?.(rows));
  }).slice(5);
  const cold = Array.from({ length: 3 }, () => startAnew(fit, count));
  const of = (read: (one: Cold) => number): string => median(cold.map(read)).toFixed(0);
  console.log(
    `${fit.padEnd(22)} ${String(count).padStart(9)} ${median(times).toFixed(1).padStart(10)} ` +
      `${of(({ firstMs }) => firstMs).padStart(10)} ${of(({ processMs }) => processMs).padStart(13)} ` +
      `${of(({ peakMegabytes }) => peakMegabytes).padStart(9)}`,
  );
}

interface Cold {
  /** Of the first fit in a process, and of the whole process with making the rows. */
  readonly firstMs: number;
  readonly processMs: number;
  readonly peakMegabytes: number;
}

function startAnew(fit: string, count: number): Cold {
  const start = performance.now();
  const args = [...process.execArgv, new URL(import.meta.url).pathname, 'fits', 'once', fit, String(count)];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { ...JSON.parse(stdout), processMs: performance.now() - start };
}

function reportOnce(fit: string, count: number): void {
  const rows = makeRows(count, 1);
  const firstMs = timeOf(() => FITS[fit]?.(rows));
  console.log(JSON.stringify({ firstMs, peakMegabytes: process.resourceUsage().maxRSS / 1024 }));
}

function timeOf(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Rows of 16 configurations in mixed order, whose times scatter by 3 %. */
function makeRows(count: number, seed: number): Rows {
  const random = createRandom(seed);
  const rows = emptyRows(count);
  for (let row = 0; row < count; row += 1) {
    const cell = (row * 7) % 16;
    const nodes = NODES[cell % 4] ?? Number.NaN;
    const bw = BANDWIDTHS[cell >> 2] ?? Number.NaN;
    const x = nodes * RANKS.ranksPerNode;
    rows.nodes[row] = nodes;
    rows.bw[row] = bw;
    rows.scale[row] = 20;
    rows.ct[row] = (40 / x + (0.5 * 100) / bw / Math.sqrt(x) + 0.02) * Math.exp(0.03 * random.normal());
  }
  return rows;
}
