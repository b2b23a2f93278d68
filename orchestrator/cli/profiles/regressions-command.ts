import { inform } from '../../../analysis/profiles/questions/expand.ts';
import { runHistory } from '../../../analysis/profiles/questions/history.ts';
import { seriesJudge } from '../../../analysis/profiles/questions/judges.ts';
import {
  leastStdOf,
  pathBands,
  type RankedRow,
  rankRows,
  SERIES_RANKS,
  type SeriesRow,
  series,
  UNUSUAL_DEVIATIONS,
} from '../../../analysis/profiles/questions/path-series.ts';
import { PATH_MEASURES } from '../../../analysis/profiles/questions/path-values.ts';
import { openStore } from '../../../analysis/profiles/store/read-store.ts';
import { parseCount, parseWord } from '../../../base/bounds.ts';
import { badInput } from '../../../base/errors.ts';
import { at } from '../../../base/lists.ts';
import { shortened } from '../../../base/text.ts';
import { trimNumber } from '../../../base/units.ts';
import { writeFileWhole } from '../../../experiments/store/whole.ts';
import type { Flags } from '../flags.ts';
import { type Column, left, note, print, printCareful, printJson, printTable, right } from '../print.ts';
import { branchesOf, type ExpandFlags, MOST_EXPANDED, parseExpand, printBranches } from './branches.ts';
import { gitRecency } from './git-recency.ts';

type Named = Flags<'benchmark' | 'window' | 'value' | 'rank' | 'most', 'candidate' | 'repo' | 'runs' | 'out'>;
type RegressionFlags = ExpandFlags & Named & { readonly noise: boolean };

export async function regressionsCommand(store: string, flags: RegressionFlags): Promise<void> {
  const { benchmark, noise, repo, json } = flags;
  const window = parseCount(flags.window, '--window');
  const most = parseCount(flags.most, '--most');
  const value = parseWord(flags.value, '--value', PATH_MEASURES);
  const rank = parseWord(flags.rank, '--rank', SERIES_RANKS);
  const asked = parseExpand(flags);
  if (flags.out?.endsWith('.html') === false)
    throw badInput(`--out: ${shortened(flags.out)} does not end in .html: rename it.`);
  if (repo !== undefined && asked === null)
    throw badInput('--repo rates how recent the steps of --expand are: give both options.');
  const selection = await openStore(store, benchmark);
  const choice = { benchmark, candidate: flags.candidate ?? null, window, runs: flags.runs };
  const { rows, ...found } = series(selection, { ...choice, value, noise });
  const ranked = rankRows(rows, rank);
  const bySize = (a: SeriesRow, b: SeriesRow): number => Math.abs(b.diff) - Math.abs(a.diff);
  const first = ranked.filter(({ status }) => status === '+').sort(bySize);
  const gone = ranked.filter(({ status }) => status === '-').sort(bySize);
  const unusual = ranked.filter(({ score, status }) => score > UNUSUAL_DEVIATIONS && status === '');
  const branches = asked === null ? null : await branchesOfRuns();
  if (flags.out !== undefined) await writePlots(flags.out);
  if (json) return printJson({ ...found, rows: ranked, first, gone, ...(branches !== null && { branches }) });
  for (const warning of found.warnings) printCareful(warning);
  print(`${found.candidate} compared with the ${found.history.length} runs before it:`);
  if (unusual.length === 0) print(`No code path deviates by more than ${UNUSUAL_DEVIATIONS} standard deviations.`);
  else printRows(unusual.slice(0, most), [right<RankedRow>('beyond noise', ({ beyond }) => trimNumber(beyond))]);
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

  async function writePlots(file: string): Promise<void> {
    const codePaths = [...unusual, ...first, ...gone].slice(0, most).map(({ codePath }) => codePath);
    const { renderRegressions } = await import('../../../report/page/render-regressions.ts');
    const unit = selection.profiles[0]?.unit ?? 'samples';
    const isShare = value === 'total-share' || value === 'base-share';
    const page = {
      ...{ candidate: found.candidate, window, generatedAt: new Date().toISOString() },
      unit: isShare ? `share of all ${unit}` : unit,
      bands: pathBands(selection, { ...choice, value, noise }, codePaths),
    };
    await writeFileWhole(file, renderRegressions(page));
    note(`predict: ${file}: plots of ${codePaths.length} code paths.`);
  }

  async function branchesOfRuns() {
    if (asked === null) return null;
    const runs = runHistory(selection, choice);
    const judge = seriesJudge(runs, { value, leastStd: leastStdOf(runs, { value, noise }) });
    const codePaths = [...unusual, ...first].slice(0, MOST_EXPANDED).map(({ codePath }) => codePath);
    const found = branchesOf(selection, codePaths, {
      judge,
      asked,
      negatives: false,
      describe: (step) => inform(runs, step),
    });
    const timeNs = at(runs.candidate.profiles, 0).timeNs;
    const names = found.flatMap(({ steps }) => steps.flat().map(({ codePath }) => codePath));
    const recency = repo === undefined ? null : await gitRecency(repo, { names, timeNs });
    return found.map((one) => ({
      ...one,
      steps: one.steps.map((steps) => steps.map((step) => ({ ...step, recency: recency?.get(step.codePath) ?? null }))),
    }));
  }
}

function printRows<Row extends SeriesRow>(rows: readonly Row[], more: readonly Column<Row>[] = []): void {
  printTable(rows, [
    right('score', ({ score }) => trimNumber(score)),
    right('expected', ({ expected }) => trimNumber(expected)),
    right('actual', ({ actual }) => trimNumber(actual)),
    right('change', ({ diff }) => trimNumber(diff)),
    ...more,
    left('code path', ({ codePath }) => codePath),
  ]);
}
