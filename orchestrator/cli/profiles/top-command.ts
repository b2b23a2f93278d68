import { topPaths, WEIGHTS, whereTaken } from '../../../analysis/profiles/questions/top-paths.ts';
import { openStore } from '../../../analysis/profiles/store/read-store.ts';
import { pathNamed } from '../../../analysis/profiles/tree/call-profile.ts';
import { parseCount, parseWord } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { parsePercent } from '../../../base/units.ts';
import { type Flags, given } from '../flags.ts';
import { left, print, printJson, printTable, right } from '../print.ts';

type Options = Flags<'degree' | 'weight' | 'most', 'benchmark' | 'function' | 'above'>;

export async function topCommand(store: string, flags: Options): Promise<void> {
  const { function: codePath, above } = flags;
  if (codePath !== undefined) return await profilesWith(store, { ...flags, codePath });
  if (above !== undefined) throw badInput('--above is a share of one code path: name that with --function.');
  const degree = parseCount(flags.degree, '--degree');
  const weight = parseWord(flags.weight, '--weight', WEIGHTS);
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

/** The profiles in which a code path has more than a share of the samples. */
async function profilesWith(
  store: string,
  { codePath, above, benchmark, json }: Options & { readonly codePath: string },
): Promise<void> {
  const share = (given(above, (text) => parsePercent(text, '--above')) ?? 0) / 100;
  const selection = await openStore(store, benchmark);
  pathNamed(selection, codePath);
  const rows = whereTaken(selection, { codePath, above: share });
  if (json) return printJson({ rows });
  if (rows.length === 0)
    return print(`No profile has ${above === undefined ? 'any' : `more than ${above}`} of its samples in ${codePath}.`);
  printTable(rows, [
    right('percent', (row) => (row.share * 100).toFixed(2)),
    left('benchmark', (row) => row.benchmark),
    left('run', ({ testRun }) => testRun),
    left('key', ({ key }) => key),
  ]);
}
