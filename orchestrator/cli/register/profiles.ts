import type { Command } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

/** Commands about call-stack profiles. */
export function registerProfiles(program: Command): void {
  const profiles = program
    .command('profiles')
    .description('call-stack profiles: which call path costs, regresses, and stops scaling');
  addCommand(profiles, 'scaling', [
    'profiles scaling campaigns/first',
    'profiles scaling campaigns/first --at-nodes 100',
  ])
    .description('which call path does not shrink with nodes, and which one the link slows')
    .argument('<dir>', 'campaign folder with profiled runs (predict sweep --profile wall)')
    .option('--at-nodes <n>', 'forecast the seconds of every call path for so many nodes')
    .option(...PROGRAM)
    .action(async (dir, flags) => (await import('../profiles/scaling.ts')).scalingCommand(dir, flags));
}
