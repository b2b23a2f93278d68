import type { Command } from 'commander';
import type { Candidate } from '../../modeling/index.ts';
import { type SourceFlags, withSource } from './model-flags.ts';
import { print, printJson, table } from './print.ts';

export function registerCompare(program: Command): void {
  withSource(program.command('compare'))
    .option('--scale <range>', 'only rows of this scale')
    .option('--bw <range>', 'only rows of this bandwidth')
    .description('rank scaling models by predicting node counts that were left out')
    .addHelpText(
      'after',
      '\nExamples:\n  predict compare campaigns/first\n  predict compare --data runs.csv --ranks-per-node 18 --json',
    )
    .action(compare);
}

async function compare(dir: string | undefined, flags: SourceFlags): Promise<void> {
  const { openSource, resolve } = await import('./model-source.ts');
  const source = await openSource(dir, flags);
  const { comparison } = await resolve(source, { ...flags, model: 'auto' });
  if (!comparison) throw new Error('a comparison that was not made');
  const { fit, ...rest } = comparison;
  if (flags.json) return printJson({ ...rest, fit });
  const { chosen, candidates, leftOutNodes, sentence, errors } = comparison;
  const right = 'right' as const;
  print(
    leftOutNodes.length > 0
      ? `Left out and predicted: ${leftOutNodes.join(', ')} nodes. Fits by ${errors} errors.`
      : `Too few node counts to leave one out: ranked by BIC. Fits by ${errors} errors.`,
  );
  print(
    table(candidates, [
      { title: '', value: ({ name }) => (name === chosen ? '*' : '') },
      { title: 'model', value: ({ name }) => name },
      { title: 'median error', value: ({ score }) => (score === null ? '-' : `${score.toFixed(1)} %`), align: right },
      { title: 'BIC', value: ({ bic }) => bic.toFixed(1), align: right },
      { title: 'CT =', value: ({ terms }: Candidate) => terms.join(' + ') },
      { title: 'careful', value: ({ warning }) => (warning === null ? '' : (warning.split(/[:,(]/)[0] ?? '').trim()) },
    ]),
  );
  print(sentence);
  const warning = candidates.find(({ name }) => name === chosen)?.warning;
  if (warning) print(`Careful: ${warning}`);
}
