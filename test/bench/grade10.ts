// Timings of Grade10 on a large job (64 workers on 16 machines, 100 supersteps, slices of 1 ms) in this process, then of the whole
// process that prints all results of that job as a case (test/cases), of 4 times and of 16 times as much of it. GRADE10_SIZES=1 leaves the others out.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Analysis, analyse } from '../../analysis/grade10/analyse-phases.ts';
import { createModel } from '../../analysis/grade10/model/create-model.ts';
import { isLeaf } from '../../analysis/grade10/model/phases.ts';
import { largeCase } from '../analysis/large-case.ts';
import { type JobSize, largeJob } from '../analysis/large-job.ts';
import { type Measured, measureCommand } from './measure-command.ts';

const RUNS = 9;
/** By how much more work each is than the job of size 1. */
const SIZES: readonly (readonly [string, JobSize])[] = [
  ['1', {}],
  ['4', { phases: 4 }],
  ['16', { phases: 16 }],
  ['4x4', { phases: 4, slices: 4 }],
];

inProcess();
await wholeProcess();

function inProcess(): void {
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
}

/** The best of several runs by processor time: other work on the machine only ever adds. */
async function wholeProcess(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-grade10-'));
  const wanted = process.env.GRADE10_SIZES?.split(',') ?? SIZES.map(([name]) => name);
  console.log('size      file  wall s  user s  system s  peak MB');
  try {
    for (const [name, size] of SIZES.filter(([own]) => wanted.includes(own))) {
      const path = join(folder, `${name}.json`);
      writeFileSync(path, largeCase(size));
      const megabytes = `${(statSync(path).size / 1e6).toFixed(1)} MB`;
      const runs: Measured[] = [];
      for (let run = 0; run < (name === '1' ? 5 : 2); run += 1) {
        runs.push(await measureCommand(['grade10', path], { script: 'test/cases/run.mjs' }));
      }
      const [best] = runs.sort((a, b) => a.userSeconds + a.systemSeconds - b.userSeconds - b.systemSeconds);
      if (best === undefined) continue;
      const { wallSeconds, userSeconds, systemSeconds, peakMegabytes } = best;
      const times = [wallSeconds, userSeconds, systemSeconds].map((seconds) => seconds.toFixed(2));
      const [wall = '', user = '', system = ''] = times;
      console.log(
        `${name.padEnd(4)}  ${megabytes.padStart(8)}  ${wall.padStart(6)}  ${user.padStart(6)}  ` +
          `${system.padStart(8)}  ${peakMegabytes.toFixed(0).padStart(7)}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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
