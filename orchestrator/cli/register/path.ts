import type { Command } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

/** The command that follows the chain of work and messages that the end of a run hung on. */
export function registerPath(program: Command): void {
  program.commandsGroup('Why it takes so long:');
  addCommand(program, 'why', [
    'why campaigns/first',
    'why campaigns/first --json',
    'why campaigns/first --method path',
    'why campaigns/first --cell 25:22:10',
  ])
    .description('what limits it: Grade10, the critical path, call stacks and the model in one answer')
    .argument('<dir>', 'campaign folder')
    .option('--method <name>', 'one of them in full: grade10, path, stacks or jobs (watched dataflow jobs)')
    .option('--cell <cell>', 'one run in detail, by grade10 or path: its id, or NODES:SCALE:BW[:REP]')
    .option(...PROGRAM)
    .action(async (dir, flags) => (await import('../why.ts')).whyCommand(dir, flags));
  addCommand(program, 'critical-path', [
    'critical-path campaigns/first',
    'critical-path campaigns/first --cell 25:22:10 --what-if transfer=0.5',
    'critical-path --activities trace.jsonl --slice 1s --near 1 --trace path.json',
    'critical-path --activities traces.otf2 --what-if MPI_Recv=0.5',
    'critical-path --case input.json --json',
    'critical-path --activities trace.jsonl --format timely --slice 1s --follow',
  ])
    .description('critical path of each run (computation and messages)')
    .argument('[dir]', 'campaign folder')
    .option('--cell <cell>', 'one run in detail: its id, or NODES:SCALE:BW[:REP]; default: all runs')
    .option('--root <n>', 'with --cell: one search, step by step')
    .option('--against <cell>', 'with --cell: changes since that run; DIR:CELL for a run of another campaign')
    .option('--by <phase|rank|host|link>', 'group the time of the path by', 'phase')
    .option('--interval <level>', 'probability of the intervals', '0.9')
    .option(
      '--what-if <key=factor>',
      'with --cell or --activities: predicted time if KEY lasted FACTOR times as long; repeatable',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option(...PROGRAM)
    .option('--model <name|file>', 'name of a shipped model, or a YAML file; default: the model of the workload')
    .option('--case <file>', 'an activity graph or phases of MPI ranks in JSON instead of a campaign')
    .option('--activities <file>', 'a trace of workers and messages instead of a campaign; - is standard input')
    .option('--format <name>', 'trace format (timely, otf2, activities); default: auto-detected')
    .option('--slice <time>', 'with --activities: also the path of every slice of this length')
    .option('--near <percent>', 'with --activities: list activities whose slack is below this percentage')
    .option('--before <n>', 'with --activities: causes of each wait, over this many messages; default: 1')
    .option('--trace <file>', 'with --cell or --activities: write workers and their critical path for ui.perfetto.dev')
    .option('--out <file>', 'with --activities: write the steps of all paths as .csv or .parquet')
    .option('--follow', 'with --activities: print each slice (default: 1s) as soon as it is complete')
    .option(
      '--skew <process=ns>',
      'with --activities: ns by which the clock of a process is ahead; repeatable',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option(
      '--wait-from <op|gap>',
      'with --activities: waits begin at the first idle operator (op), or where work ended (gap)',
    )
    .option('--save-columns <file>', 'with --activities: save the trace in columns, which load several times faster')
    .action(async (dir, flags) => (await import('../path/index.ts')).criticalPathCommand(dir, flags));
}
