import {
  inform,
  PATH_MEASURES,
  runHistory,
  type SeriesRow,
  samplingNoise,
  series,
  seriesJudge,
} from '../../../analysis/profiles/index.ts';
import { badInput, parseCount, trimNumber } from '../../../base/index.ts';
import type { Optional } from '../flags.ts';
import { left, print, printCareful, printJson, printTable, right } from '../print.ts';
import { branchesOf, type ExpandFlags, MOST_EXPANDED, parseExpand, printBranches } from './branches.ts';
import { gitRecency } from './git-recency.ts';
import { openStore, wordOf } from './open-store.ts';

interface Flags extends ExpandFlags, Optional<'candidate' | 'repo' | 'runs'> {
  readonly benchmark: string;
  readonly window: string;
  readonly value: string;
  readonly noise: boolean;
  readonly most: string;
  readonly json?: boolean;
}

/** More deviations than sampling usually gives (thesis section 6.1). */
const UNUSUAL = 2;

export async function regressionsCommand(store: string, flags: Flags): Promise<void> {
  const { benchmark, noise, repo, json } = flags;
  const window = parseCount(flags.window, '--window');
  const most = parseCount(flags.most, '--most');
  const value = wordOf(flags.value, '--value', PATH_MEASURES);
  const asked = parseExpand(flags);
  if (repo !== undefined && asked === null)
    throw badInput('--repo tells how recent the steps of --expand are: give both.');
  const selection = await openStore(store, benchmark);
  const choice = { benchmark, candidate: flags.candidate ?? null, window, runs: flags.runs };
  const found = series(selection, { ...choice, value, noise });
  const bySize = (a: SeriesRow, b: SeriesRow): number => Math.abs(b.diff) - Math.abs(a.diff);
  const first = found.rows.filter(({ status }) => status === '+').sort(bySize);
  const gone = found.rows.filter(({ status }) => status === '-').sort(bySize);
  const unusual = found.rows.filter(({ score, status }) => score > UNUSUAL && status === '');
  const branches = asked === null ? null : await branchesOfRuns();
  if (json) return printJson({ ...found, first, gone, ...(branches !== null && { branches }) });
  for (const warning of found.warnings) printCareful(warning);
  print(`${found.candidate} against the ${found.history.length} runs before it:`);
  if (unusual.length === 0) print(`No code path deviates by more than ${UNUSUAL} standard deviations.`);
  else printRows(unusual.slice(0, most));
  if (first.length > 0) {
    print('\nNot in the runs before:');
    printRows(first.slice(0, most));
  }
  if (gone.length > 0) {
    print('\nGone:');
    printRows(gone.slice(0, most));
  }
  printBranches(branches ?? [], ({ newDepths, newModes, recency }) =>
    [
      ...(newDepths.length > 0 ? [`new at depth ${newDepths.join(', ')}`] : []),
      ...(newModes.length > 0 ? [`newly ${newModes.join(', ')}`] : []),
      ...(recency === null ? [] : [`changed recently: ${recency.toFixed(2)}`]),
    ].join('; '),
  );

  async function branchesOfRuns() {
    if (asked === null) return null;
    const runs = runHistory(selection, choice);
    const judge = seriesJudge(runs, { value, leastStd: noise ? samplingNoise(runs, value) : null });
    const codePaths = [...unusual, ...first].slice(0, MOST_EXPANDED).map(({ codePath }) => codePath);
    const found = branchesOf(selection, codePaths, {
      judge,
      asked,
      negatives: false,
      describe: (step) => inform(runs, step),
    });
    const timeNs = runs.candidate.profiles[0]?.timeNs ?? 0n;
    const names = found.flatMap(({ steps }) => steps.flat().map(({ codePath }) => codePath));
    const recency = repo === undefined ? null : await gitRecency(repo, { names, timeNs });
    return found.map((one) => ({
      ...one,
      steps: one.steps.map((steps) => steps.map((step) => ({ ...step, recency: recency?.get(step.codePath) ?? null }))),
    }));
  }
}

function printRows(rows: readonly SeriesRow[]): void {
  printTable(rows, [
    right('score', ({ score }) => trimNumber(score)),
    right('expected', ({ expected }) => trimNumber(expected)),
    right('actual', ({ actual }) => trimNumber(actual)),
    right('change', ({ diff }) => trimNumber(diff)),
    left('code path', ({ codePath }) => codePath),
  ]);
}
