import type { Command } from 'commander';
import { HELP } from './help.ts';
import { print, printJson } from './print.ts';

export function registerParse(program: Command): void {
  program
    .command('parse')
    .description('read the output of a benchmark')
    .command('graph500')
    .description("read a Graph500 run's output in any dialect: stdout and stderr, apart or merged")
    .argument('<file...>', 'the output files of one run')
    .option('--json', HELP.json)
    .addHelpText('after', '\nExample:\n  predict parse graph500 run.stdout run.stderr --json')
    .action(parse);
}

async function parse(files: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const { readFileSync } = await import('node:fs');
  const { badInput, formatSeconds, messageOf, PredictError, trimNumber } = await import('../../base/index.ts');
  const { parseGraph500 } = await import('../../experiments/index.ts');
  const texts = files.map((file) => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw badInput(`${file} cannot be read: ${messageOf(error)}.`);
    }
  });
  const result = parseGraph500(texts);
  const { searches, ...rest } = result;
  if (json) printJson({ ...rest, roots: searches.map(({ index, ...one }) => ({ root: index, ...one })) });
  else if (result.valid) {
    const { median } = await import('simple-statistics');
    const times = result.searches.map(({ ct }) => ct);
    print(`valid: scale ${result.summary?.scale}, ${result.searches.length} searches, ${result.summary?.ranks} ranks`);
    print(`median time ${formatSeconds(times.length === 0 ? Number.NaN : median(times))}`);
    const teps = result.summary?.bfs.harmonicMeanTeps;
    if (teps) print(`harmonic mean ${trimNumber(teps / 1e6)} million TEPS`);
  }
  if (!result.valid) throw new PredictError(`Not a valid run: ${result.reason}`, { kind: 'workload' });
}
