import type { Command } from 'commander';
import type { Candidate, UnseenAnswer } from '../../modeling/index.ts';
import { type IntervalFlags, type SourceFlags, withInterval, withSource } from './model-flags.ts';
import { print, printJson, table } from './print.ts';

export function registerCompare(program: Command): void {
  withInterval(withSource(program.command('compare')))
    .option('--scale <range>', 'only rows of this scale')
    .option('--bw <range>', 'only rows of this bandwidth')
    .description('rank scaling models by predicting node counts that were left out')
    .addHelpText(
      'after',
      '\nWith --train-nodes the choice is made on those node counts alone, and every model is then asked for the others.' +
        '\nExamples:\n  predict compare campaigns/first\n  predict compare campaigns/first --train-nodes 4,9\n' +
        '  predict compare --data runs.csv --ranks-per-node 18 --json',
    )
    .action(compare);
}

async function compare(dir: string | undefined, flags: SourceFlags & IntervalFlags): Promise<void> {
  const { bootstrapOptions, openSource, parseQuestion } = await import('./parse-question.ts');
  const { askForUnseen, compareForms, selectedFrom } = await import('../../modeling/index.ts');
  const interval = bootstrapOptions(flags);
  const source = await openSource(dir, flags);
  const question = parseQuestion(flags);
  const comparison = await compareForms(source, question);
  const unseen = askForUnseen(comparison, selectedFrom(source, question.at ?? {}), interval);
  if (flags.json) return printJson({ ...comparison, unseen });
  const { chosen, candidates, leftOutNodes, sentence, errors } = comparison;
  const right = 'right' as const;
  print(
    leftOutNodes.length > 0
      ? `Left out and predicted: ${leftOutNodes.join(', ')} nodes. Fits by ${errors} errors.`
      : `Too few node counts to leave one out: chosen by BIC. Fits by ${errors} errors.`,
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
  if (unseen.length > 0) printUnseen(unseen, chosen);
}

function printUnseen(unseen: readonly UnseenAnswer[], chosen: string): void {
  const [first] = unseen;
  const levels = first?.perBandwidth.map(({ bw }) => bw) ?? [];
  const right = 'right' as const;
  print(
    `\nAsked for ${first?.heldOutNodes.join(', ')} nodes, which none of them saw (${first?.cells.length} cells), median error:`,
  );
  print(
    table(unseen, [
      { title: '', value: ({ name }) => (name === chosen ? '*' : '') },
      { title: 'model', value: ({ name }) => name },
      { title: 'all', value: ({ medianErrorPercent }) => `${medianErrorPercent.toFixed(1)} %`, align: right },
      ...levels.map((bw, index) => ({
        title: `at ${bw} %`,
        value: ({ perBandwidth }: UnseenAnswer) => `${perBandwidth[index]?.medianErrorPercent.toFixed(1) ?? '-'} %`,
        align: right,
      })),
      {
        title: 'inside intervals',
        value: ({ insidePercent }) => `${insidePercent?.toFixed(0) ?? '-'} %`,
        align: right,
      },
    ]),
  );
}
