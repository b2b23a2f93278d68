import type { Command } from 'commander';
import { HELP } from './help.ts';

/** What every command that fits takes. */
export interface SourceFlags {
  readonly data?: string;
  readonly model?: string;
  readonly errors?: string;
  readonly ranksPerNode?: string;
  readonly baseScale?: string;
  readonly scale?: string;
  readonly bw?: string;
  readonly atNodes?: string;
  readonly trainNodes?: string;
  readonly ranksRule?: string;
  readonly json?: boolean;
}

export interface IntervalFlags {
  /** True when no level was given. */
  readonly interval?: string | true;
  readonly bootstrap?: string;
  readonly seed?: string;
}

export function withSource(command: Command): Command {
  return command
    .argument('[dir]', 'campaign folder')
    .option('--data <file>', 'rows from a file instead: CSV with columns scale,n,bw,rep,ct, or Parquet')
    .option('--ranks-per-node <n>', "MPI ranks per node; the campaign's own by default")
    .option('--base-scale <s>', 'D = 2^(scale - s); one below the smallest scale by default')
    .option('--at-nodes <n>', 'only rows of this node count (eq5)')
    .option('--train-nodes <range>', 'fit to the rows of these node counts only')
    .option('--ranks-rule <rule>', 'admissible rank counts: any, square, two-squares, power-of-two')
    .option(
      '--errors <kind>',
      'absolute: least squares of seconds (the default of a named model); relative: of percents',
    )
    .option('--json', HELP.json);
}

export function withModel(command: Command, fallback: string): Command {
  return command.option('--model <name>', `auto, eq2, eq3, eq5, eq6, eq7, volume, overlap or traffic; ${fallback}`);
}

export function withInterval(command: Command): Command {
  return command
    .option('--interval [level]', 'give every estimate its interval of this probability (0.9)')
    .option('--bootstrap <n>', 'replicates of the bootstrap', '1000')
    .option('--seed <n>', 'seed of the bootstrap', '1');
}
