import type { Command } from 'commander';
import { addCommand } from './command.ts';
import { registerDagWatch } from './dag-watch.ts';

/** The command that names bottlenecks of dataflow jobs. */
export function registerDag(program: Command): void {
  const dag = addCommand(program, 'dag', [
    'dag runs/one',
    'dag runs/one --target 500/s --price 0.10 --out job.html',
    'dag runs/one runs/four --trace job.json',
    'dag --case input.json --json',
  ])
    .description('which task or channel of a dataflow job limits it, and how many instances each task needs')
    .argument('[runs...]', 'folders of watched runs of one job; the advice starts from the last one')
    .option('--alpha <share>', 'share of the time above which a task is busy (0.9)')
    .option('--beta <share>', 'share of the time above which an edge is saturated (0.9)')
    .option('--saturation <buffer|writer|pressure>', 'definition of full; default: how each edge was measured')
    .option('--target <rate>', 'required rate, to compute instances: 500/s (records) or 20MB/s')
    .option('--size <n>', 'records (or bytes, such as 40GB) of the whole job; default: those of the last run')
    .option('--price <p>', 'price of a machine per started hour')
    .option('--interval <level>', 'probability of the intervals', '0.9')
    .option('--case <file>', 'a JSON file instead of runs: fractions, tracks, a recording of pipes, or Flink responses')
    .option('--out <file>', 'write an HTML page with the job, its history and advice')
    .option('--trace <file>', 'write a trace of the last run for ui.perfetto.dev')
    .option('--json', 'print the result as JSON (docs/commands.md)')
    .action(async (runs, flags) => (await import('../dag/index.ts')).dagCommand(runs, flags));
  registerDagWatch(dag);
}
