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
    .argument('[runs...]', "folders of watched runs of one job; the last one's set-up is where advice begins")
    .option('--alpha <share>', 'a task that works for more of the time is busy (0.9)')
    .option('--beta <share>', 'an edge that is full for more of the time is saturated (0.9)')
    .option('--saturation <buffer|writer|pressure>', 'what full means; by default what each edge was measured by')
    .option('--target <rate>', 'instances for this rate: 500/s of records, or 20MB/s')
    .option('--size <n>', "records (or bytes, such as 40GB) of the whole job; by default the last run's")
    .option('--price <p>', 'of a machine and begun hour: what each set-up costs')
    .option('--interval <level>', 'probability of the intervals', '0.9')
    .option('--case <file>', 'fractions, tracks, a recording of pipes or answers of Flink in JSON, instead of runs')
    .option('--out <file>', 'an HTML page: the job drawn, its history and its advice')
    .option('--trace <file>', 'the last run for ui.perfetto.dev')
    .option('--json', 'print the result as JSON (docs/commands.md)')
    .action(async (runs, flags) => (await import('../dag/index.ts')).dagCommand(runs, flags));
  registerDagWatch(dag);
}
