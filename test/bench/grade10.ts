// Timings of the Grade10 pipeline on a large job: 64 workers on 16 machines, 100 supersteps, slices of 1 ms. Peak memory is
// of the whole process, so run it alone.
import { cpus } from 'node:os';
import { type Analysis, analyse, createModel, isLeaf } from '../../analysis/index.ts';
import { largeJob } from '../analysis/large-job.ts';

const RUNS = 9;

const job = largeJob();
const loads: number[] = [];
const runs: number[] = [];
let [first, shown] = [0, ''];
for (let run = 0; run < RUNS; run += 1) {
  const start = performance.now();
  const model = createModel(job);
  const loaded = performance.now();
  const analysis = analyse(model);
  const done = performance.now();
  loads.push(loaded - start);
  runs.push(done - loaded);
  if (run === 0) [first, shown] = [done - start, summary(analysis)];
}

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}`);
console.log(shown);
console.log(`first run, model and pipeline, cold: ${first.toFixed(0)} ms`);
console.log(`model from columns: ${spread(loads)}`);
console.log(`pipeline, 4 predicates, 3 kinds of issues (limit 500 ms): ${spread(runs)}`);
console.log(`peak memory of the process (limit 400 MB): ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const [middle, last] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  return `median ${middle.toFixed(1)} ms, largest ${last.toFixed(1)} ms of ${times.length} runs`;
}

function summary({ model, attribution, issues }: Analysis): string {
  const { phases, sliceCount } = model;
  let leaves = 0;
  for (let row = 0; row < phases.count; row += 1) if (isLeaf(phases, row)) leaves += 1;
  const parts = [
    `${phases.count} phases (${leaves} leaves)`,
    `${sliceCount} slices`,
    `${model.metrics.length} metrics`,
    `${attribution.activity.active.length} leaf-slices`,
    `${attribution.usage.length} attributed values`,
    `${issues.length} issues`,
  ];
  return parts.join(', ');
}
