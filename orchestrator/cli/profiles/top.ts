import { topPaths, WEIGHTS } from '../../../analysis/profiles/index.ts';
import { parseCount } from '../../../base/index.ts';
import type { Optional } from '../flags.ts';
import { left, print, printJson, printTable, right } from '../print.ts';
import { openStore, wordOf } from './open-store.ts';

interface Flags extends Optional<'benchmark'> {
  readonly degree: string;
  readonly weight: string;
  readonly most: string;
  readonly json?: boolean;
}

export async function topCommand(store: string, flags: Flags): Promise<void> {
  const degree = parseCount(flags.degree, '--degree');
  const weight = wordOf(flags.weight, '--weight', WEIGHTS);
  const most = parseCount(flags.most, '--most');
  const selection = await openStore(store, flags.benchmark);
  const rows = topPaths(selection, { degree, weight });
  if (flags.json) return printJson({ degree, weight, profiles: selection.profiles.map(({ key }) => key), rows });
  print(
    `Percent of what ${selection.profiles.length} profiles sampled, in a code path and within ${degree} calls below it:`,
  );
  printTable(rows.slice(0, most), [
    right('percent', ({ potential }) => potential.toFixed(2)),
    left('code path', ({ codePath }) => codePath),
  ]);
  if (rows.length > most) print(`${rows.length - most} more (--most).`);
}
