import { formatSeconds } from '../../../base/index.ts';
import { readDataset, writeReferences } from '../../../experiments/graphs/index.ts';
import { given, type Optional } from '../flags.ts';
import { note, print, printJson } from '../print.ts';
import { parseAlgorithms } from './algorithms.ts';

interface Flags extends Optional<'algorithms'> {
  readonly replace?: boolean;
  readonly json?: boolean;
}

export async function referenceCommand(path: string, flags: Flags): Promise<void> {
  const algorithms = given(flags.algorithms, parseAlgorithms);
  const dataset = await readDataset(path);
  for (const warning of dataset.warnings) note(`predict: ${warning}`);
  const references = await writeReferences(dataset, {
    ...(algorithms !== undefined && { algorithms }),
    ...(flags.replace !== undefined && { replace: flags.replace }),
    onWritten: ({ file, seconds }) => {
      if (!flags.json) print(`${file} (${formatSeconds(seconds)})`);
    },
  });
  if (flags.json) printJson({ name: dataset.name, references });
}
