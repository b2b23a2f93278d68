import type { Command } from 'commander';
import { addCommand, PROGRAM } from './command.ts';

const FORMATS = 'csv, parquet, extrap-text, extrap-json or extrap-jsonl; default: by the file extension';

/** Commands that read what other programs wrote, and write what they read. */
export function registerExchange(program: Command): void {
  program.commandsGroup('Files of other programs:');
  addCommand(program.command('parse').description('read the output of a benchmark'), 'graph500', [
    'parse graph500 run.stdout run.stderr --json',
  ])
    .description('parse the output of a Graph500 run: stdout and stderr, separate or merged')
    .argument('<file...>', 'the output files of one run')
    .action(async (files, flags) => (await import('../parse.ts')).parse(files, flags));
  addCommand(program, 'import', [
    'import app.txt --format extrap-text',
    'import app.json --metric time --callpath main --map p=nodes,size=scale --out rows.csv',
  ])
    .description('import measurements of other programs, check them, and write rows for fit')
    .argument('<file>', 'CSV, Parquet, or Extra-P text, JSON or JSON Lines')
    .option('--format <name>', FORMATS)
    .option('--metric <name>', 'only this metric; default for --out: the only one, time or ct')
    .option('--callpath <name>', 'only this call path')
    .option('--map <list>', 'map parameters to variables: p=nodes,size=scale')
    .option('--out <file>', 'write one series as rows (scale,n,bw,rep,ct); the extension sets the format')
    .action(async (file, flags) => (await import('../exchange.ts')).importFile(file, flags));
  addCommand(program, 'export', [
    'export campaigns/first --format extrap-json --out first.json',
    'export --data runs.csv --format extrap-text',
  ])
    .description('export measurements for other programs')
    .argument('[dir]', 'campaign folder')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw,rep,ct, or Parquet')
    .option(...PROGRAM)
    .option('--format <name>', FORMATS)
    .option('--metric <name>', 'only ct (seconds) or only teps; with ct, fit can read csv and parquet')
    .option('--out <file>', 'output file; default: stdout (also for -), except for parquet')
    .action(async (dir, flags) => (await import('../exchange.ts')).exportFile(dir, flags));
}
