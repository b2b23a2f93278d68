import type { Command } from 'commander';
import { HELP } from '../help.ts';
import type { Grade10Flags } from './flags.ts';

export function registerGrade10(program: Command): void {
  program
    .command('grade10')
    .description('why it stops scaling: where the time of measured runs went, by the Grade10 method')
    .argument('[dir]', 'campaign folder')
    .option('--cell <cell>', 'one run in detail: its id, or NODES:SCALE:BW[:REP]; all of them by default')
    .option('--against <cell>', 'with --cell: what changed since that run; DIR:CELL for one of another campaign')
    .option('--model <name|file>', "a shipped model's name or a YAML file; by default the workload's own")
    .option('--slice <time>', "length of a time slice, such as 0.001s; the model's by default")
    .option('--sampling', 'with --cell: how well coarser measurements would have done (table 5.11 of the thesis)')
    .option('--trace <file>', 'with --cell: phases and counters as a trace for ui.perfetto.dev')
    .option('--export <folder>', 'with --cell: metrics, attribution, bottlenecks and issues as tables')
    .option('--format <parquet|tsv>', 'of the tables', 'parquet')
    .option(
      '--job <folder>',
      'a job that another program logged (phases.csv and more) instead of a campaign; needs --model',
    )
    .option('--case <file>', 'a Grade10 case in JSON instead of a campaign')
    .option('--json', HELP.json)
    .addHelpText(
      'after',
      '\nExamples:\n  predict grade10 campaigns/first\n  predict grade10 campaigns/first --cell 25:20:10 --trace trace.json\n  predict grade10 --case input.json --json',
    )
    .action(async (dir: string | undefined, flags: Grade10Flags) => {
      const { grade10 } = await import('./run.ts');
      await grade10(dir, flags);
    });
}
