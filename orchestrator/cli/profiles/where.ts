import { pathNamed, whereTaken } from '../../../analysis/profiles/index.ts';
import { parsePercent } from '../../../base/index.ts';
import { given } from '../flags.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { openStore } from './open-store.ts';

interface Flags {
  readonly function: string;
  readonly above?: string;
  readonly json?: boolean;
}

export async function whereCommand(store: string, { function: codePath, above, json }: Flags): Promise<void> {
  const share = (given(above, (text) => parsePercent(text, '--above')) ?? 0) / 100;
  const selection = await openStore(store);
  pathNamed(selection, codePath);
  const rows = whereTaken(selection, { codePath, above: share });
  if (json) return printJson({ rows });
  if (rows.length === 0)
    return print(`No profile has ${above === undefined ? 'any' : `more than ${above}`} of its samples in ${codePath}.`);
  printTable(rows, [
    right('percent', (row) => (row.share * 100).toFixed(2)),
    left('benchmark', ({ benchmark }) => benchmark),
    left('run', ({ testRun }) => testRun),
    left('key', ({ key }) => key),
  ]);
}
