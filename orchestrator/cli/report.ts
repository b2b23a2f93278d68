import type { Command } from 'commander';
import { HELP } from './help.ts';
import { print, printJson } from './print.ts';

export function registerReport(program: Command): void {
  program
    .command('report')
    .description('write one self-contained HTML page about a campaign')
    .argument('<dir>', 'campaign folder')
    .option('--out <file.html>', 'where to write it; report.html in the campaign folder by default')
    .option('--title <text>', 'heading of the page')
    .option('--json', HELP.json)
    .addHelpText('after', '\nExample:\n  predict report campaigns/first')
    .action(async (dir: string, flags: { out?: string; title?: string; json?: boolean }) => {
      const { writeReport } = await import('../write-report.ts');
      const path = await writeReport(dir, flags);
      if (flags.json) printJson({ report: path });
      else print(`Report: ${path}`);
    });
}
