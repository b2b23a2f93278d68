import { badInput } from '../../../base/errors.ts';
import { joinWords } from '../../../base/text.ts';
import { formatSeconds } from '../../../base/units.ts';
import { type Converted, convert } from '../../../experiments/graphs/convert/convert-graph.ts';
import { FORMATS } from '../../../experiments/graphs/convert/graph-formats.ts';
import type { Flags } from '../flags.ts';
import { note, print, printJson } from '../print.ts';
import { describeDataset } from './describe-dataset.ts';

interface ConvertFlags extends Flags<'out' | 'format', 'name' | 'source', 'directed' | 'undirected'> {
  readonly weights?: string | boolean;
}

export async function convertCommand(file: string, flags: ConvertFlags): Promise<void> {
  const { out, name, source, directed, undirected, weights } = flags;
  if (directed && undirected) throw badInput('--directed and --undirected exclude each other: name one.');
  const format = FORMATS.find((one) => one === flags.format);
  if (format === undefined) throw badInput(`--format: '${flags.format}' is not one of ${FORMATS.join(', ')}.`);
  const start = performance.now();
  const result = await convert(file, {
    out,
    format,
    ...(name !== undefined && { name }),
    ...(source !== undefined && { source }),
    ...((directed || undirected) && { directed: directed === true }),
    ...(weights === false && { weights: null }),
    ...(typeof weights === 'string' && { weights }),
  });
  const seconds = (performance.now() - start) / 1000;
  for (const warning of result.warnings) note(`predict: ${warning}`);
  const { dataset, ...rest } = result;
  const { text, ...said } = describeDataset(dataset);
  if (flags.json) return printJson({ ...said, ...rest, seconds });
  print(text);
  print(`${whatWasRead(result)} in ${formatSeconds(seconds)}`);
}

function whatWasRead({ format, columns, read, selfLoops, repeated }: Converted): string {
  const { source, target, weight } = columns;
  const used = joinWords([source, target, ...(weight === null ? [] : [weight])]);
  const dropped = `${selfLoops} self-loops and ${repeated} repeated edges dropped`;
  return `${read} edges read as ${format} (columns ${used}); ${dropped},`;
}
