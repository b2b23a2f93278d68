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
    .description('what the wall clock waited for: the longest chain of work and messages of each run')
    .argument('[dir]', 'campaign folder')
    .option('--cell <cell>', 'one run in detail: its id, or NODES:SCALE:BW[:REP]; all of them by default')
    .option('--root <n>', 'with --cell: one search, step by step')
    .option('--against <cell>', 'with --cell: what changed since that run; DIR:CELL for one of another campaign')
    .option('--by <phase|rank|host|link>', 'what the time is divided by', 'phase')
    .option('--interval <level>', 'probability of the intervals', '0.9')
    .option(
      '--what-if <key=factor>',
      'with --cell or --activities: how long it would take if this lasted so many times as long; give it again for more',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option(...PROGRAM)
    .option('--model <name|file>', "a shipped model's name or a YAML file; by default the workload's own")
    .option('--case <file>', 'an activity graph or phases of MPI ranks in JSON instead of a campaign')
    .option('--activities <file>', 'a trace of workers and messages instead of a campaign; - is standard input')
    .option('--format <name>', 'of that trace: timely, otf2 or activities; by default whichever it is in')
    .option('--slice <time>', 'with --activities: the path of every part of this length too')
    .option('--near <percent>', 'with --activities: what could end so much of the trace later without delaying its end')
    .option('--before <n>', 'with --activities: what preceded each wait, over so many messages; 1 by default')
    .option('--trace <file>', 'with --cell or --activities: workers and the path through them for ui.perfetto.dev')
    .option('--out <file>', 'with --activities: steps of all paths as .csv or .parquet')
    .option('--follow', 'with --activities: each slice (of 1s by default) as soon as it is complete')
    .option(
      '--skew <process=ns>',
      'with --activities: the clock of a process is so many ns ahead; give it again for more',
      (text: string, before: readonly string[] = []) => [...before, text],
    )
    .option('--wait-from <op|gap>', 'with --activities: waits begin with the first idle operator, or where work ended')
    .option(
      '--save-columns <file>',
      'with --activities: keep the trace in columns, which are read several times as fast',
    )
    .action(async (dir, flags) => (await import('../path/index.ts')).criticalPathCommand(dir, flags));
}
