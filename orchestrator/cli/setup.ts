import type { Command } from 'commander';
import { note, printJson } from './print.ts';

export function registerSetup(program: Command): void {
  program
    .command('setup')
    .description('install what this machine lacks (Debian packages) and compile the host programs')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  predict setup')
    .action(async ({ json }: { json?: boolean }) => {
      const { setUp } = await import('../setup/set-up.ts');
      const result = await setUp(note);
      if (json) printJson(result);
    });
}
